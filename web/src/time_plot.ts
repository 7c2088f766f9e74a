// Curves over time, by uPlot. All time plots show the same window; a drag zooms, a drag with Shift pans, a double click
// shows everything, a click sets the time of the picture.
import uPlot from 'uplot';
import type { Curve } from './curve';
import { color, curveColor, curveDash, element } from './element';
import { makeGrid, sample } from './sampling';
import { format, formatValue, type View } from './view';

const minimumOnLog = 1e-18; // zero is drawn at this floor, not left out

export const margins = { left: 74, right: 26 }; // beside the frame of a plot

/// Distances between ticks: round numbers of any size, and whole decades before parts of them.
const increments = Array.from({ length: 620 }, (_, i) => Number(`1e${i - 310}`)).flatMap((ten) => [ten, 2 * ten, 2.5 * ten, 5 * ten]).filter((one) => one > 0 && Number.isFinite(one));
const decades = [1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 2, 3, 5, 10, 20, 50, 100, 200];

/// Ten to this power, as few digits as tell ticks apart.
function power(exponent: number): string {
  const isWhole = Math.abs(exponent - Math.round(exponent)) < 1e-9;
  return isWhole ? `1e${Math.round(exponent)}` : format(Number((10 ** exponent).toPrecision(4)));
}

export interface PlotOptions {
  height?: number;
  log?: boolean;
  label: string;
}

export class TimePlot {
  readonly element: HTMLElement;
  readonly curves: Curve[] = [];
  private plot: uPlot | null = null;
  private readonly box: HTMLElement;
  private readonly legend: HTMLElement;
  private isLog: boolean;
  private hover: number | null = null;
  private readonly height: number;

  constructor(
    private readonly view: View,
    curves: Curve[],
    options: PlotOptions,
    private readonly onActive: (plot: TimePlot) => void = () => {},
    onRemove?: (plot: TimePlot) => void,
  ) {
    this.isLog = options.log ?? false;
    this.height = options.height ?? 220;
    this.curves.push(...curves);
    this.box = element('div', { className: 'plot', tabIndex: 0, role: 'group', 'aria-label': `${options.label}: arrow keys pan, with Shift they move the mark, + and - zoom, 0 shows everything` });
    this.legend = element('div', { className: 'legend', 'aria-live': 'off' });
    const log = element('button', { className: 'small', type: 'button', title: 'logarithmic values', 'aria-pressed': String(this.isLog) }, 'log');
    log.onclick = () => {
      this.isLog = !this.isLog;
      log.setAttribute('aria-pressed', String(this.isLog));
      this.rebuild();
    };
    const tools = element('div', { className: 'tools' }, log);
    if (onRemove) {
      const remove = element('button', { className: 'small', type: 'button', title: 'remove this plot', 'aria-label': `remove plot ${options.label}` }, '×');
      remove.onclick = () => onRemove(this);
      tools.append(remove);
    }
    this.element = element('div', { className: 'card' }, element('div', { className: 'bar' }, this.legend, tools), this.box);
    this.box.addEventListener('keydown', (event) => this.key(event));
    this.box.addEventListener('focus', () => this.onActive(this));
    this.element.addEventListener('pointerdown', () => this.onActive(this));
    view.onChange(() => this.refresh());
    view.onNow(() => {
      this.plot?.redraw(false, false);
      this.say();
    });
  }

  get area(): { left: number; width: number } | null {
    const bbox = this.plot?.bbox;
    const ratio = window.devicePixelRatio || 1;
    return bbox ? { left: bbox.left / ratio, width: bbox.width / ratio } : null;
  }

  toggle(curve: Curve): void {
    const i = this.curves.indexOf(curve);
    if (i >= 0) this.curves.splice(i, 1);
    else this.curves.push(curve);
    this.rebuild();
  }

  /// The points drawn now, for whoever wants to check them.
  get drawn(): uPlot.AlignedData | null {
    return this.plot ? this.plot.data : null;
  }
  get scale(): { min: number; max: number } | null {
    const x = this.plot?.scales.x;
    return x && x.min != null && x.max != null ? { min: x.min, max: x.max } : null;
  }

  rebuild(): void {
    this.plot?.destroy();
    const width = Math.max(200, this.box.clientWidth || 600);
    const axis = { stroke: () => color('--text-soft'), grid: { stroke: () => color('--grid'), width: 1 }, ticks: { stroke: () => color('--grid'), width: 1 }, font: '12px system-ui, sans-serif' };
    this.plot = new uPlot(
      {
        width,
        height: this.height,
        legend: { show: false },
        padding: [8, margins.right, 0, 0],
        scales: {
          x: { time: false, auto: false, range: () => [this.view.min, this.view.max] },
          y: { range: (_, min, max) => padded(min, max) },
        },
        axes: [
          { ...axis, size: 34, incrs: () => (this.view.isLog ? decades : increments), values: (_, ticks, __, ___, increment) => ticks.map((u) => (this.view.isLog ? power(u) : format(u, increment))) },
          // On a logarithmic axis the decimal logarithm is drawn: uPlot's own axis does not end for values of 1e-30.
          { ...axis, size: margins.left, incrs: () => (this.isLog ? decades : increments), values: (_, ticks, __, ___, increment) => ticks.map((value) => (this.isLog ? power(value) : format(value, increment))) },
        ],
        series: [{}, ...this.curves.map((curve, i) => ({ label: curve.name, stroke: () => curveColor(i), dash: curveDash(i), width: 1.6, pxAlign: 0, points: { show: false }, spanGaps: false }))],
        cursor: {
          sync: { key: 'pawl' },
          points: { show: false },
          drag: { x: true, y: false, setScale: false, dist: 4 },
          bind: { dblclick: () => () => { this.view.reset(); return null; } },
        },
        hooks: {
          setSelect: [(plot) => this.selected(plot)],
          setCursor: [(plot) => this.moved(plot)],
          drawAxes: [(plot) => this.eventLines(plot)], // behind the curves
          draw: [(plot) => this.marks(plot)],
        },
      },
      this.data(width),
      this.box,
    );
    this.bindPan(this.plot.over);
    this.say();
  }

  refresh(): void {
    if (!this.plot) return;
    const width = this.plot.width;
    this.plot.setData(this.data(width), false);
    this.plot.setScale('x', { min: this.view.min, max: this.view.max });
    this.say();
  }

  /// Takes the plot from the page; it no longer follows the window of time.
  remove(): void {
    this.plot?.destroy();
    this.plot = null;
    this.element.remove();
  }

  resize(): void {
    if (this.plot && this.box.clientWidth > 0 && this.box.clientWidth !== this.plot.width) {
      this.plot.setSize({ width: this.box.clientWidth, height: this.height });
      this.refresh();
    }
  }

  repaint(): void {
    this.plot?.redraw(false, true);
    this.say();
  }

  private data(width: number): uPlot.AlignedData {
    const grid = makeGrid(this.view, Math.max(100, Math.round((width - margins.left - margins.right) * (window.devicePixelRatio || 1))));
    const all = this.curves.map((curve) => sample(curve, grid, this.view));
    if (this.isLog) {
      let [least, most] = [Infinity, 0];
      for (const values of all) for (const value of values) if (value > 0 && value < Infinity) [least, most] = [Math.min(least, value), Math.max(most, value)];
      const floor = most > 0 ? Math.max(least / 10, most * 1e-20, 1e-300) : minimumOnLog;
      for (const values of all) for (let i = 0; i < values.length; ++i) if (!Number.isNaN(values[i])) values[i] = Math.log10(Math.max(values[i], floor));
    }
    return [grid.u, ...all.map((values) => Array.from(values, (value) => (Number.isFinite(value) ? value : null)))] as unknown as uPlot.AlignedData;
  }

  private selected(plot: uPlot): void {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [a, b] = [plot.posToVal(left, 'x'), plot.posToVal(left + width, 'x')];
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
    this.view.show(a, b);
  }

  private moved(plot: uPlot): void {
    const left = plot.cursor.left ?? -1;
    this.hover = left >= 0 ? this.view.time(plot.posToVal(left, 'x')) : null;
    this.say();
  }

  /// Values at the cursor, from the polynomials; at the chosen event both of them.
  private say(): void {
    const { report, event } = this.view;
    const t = this.hover ?? this.view.now;
    const isEvent = this.hover === null && event >= 0 && report.events[event].t === this.view.now;
    const items: Node[] = this.curves.map((curve, i) => {
      const swatch = element('span', { className: 'swatch' });
      swatch.style.background = curveColor(i);
      const after = report.value(curve, t);
      const words = curve.kind === 'method' ? (Number.isNaN(after) ? '' : 'in force') : isEvent ? `${formatValue(report.value(curve, t, true), curve)} → ${formatValue(after, curve)}` : formatValue(after, curve);
      const item = element('span', { className: 'item', title: curve.note ?? '' }, swatch, `${curve.name}${curve.note ? '*' : ''} `, element('b', {}, words));
      return item;
    });
    items.push(element('span', { className: 'item soft' }, `t = ${format(t, (this.view.time(this.view.max) - this.view.time(this.view.min)) / 1000)}`));
    this.legend.replaceChildren(...items);
  }

  private eventLines(plot: uPlot): void {
    const visible = this.view.visibleEvents;
    if (visible.length * 8 * (window.devicePixelRatio || 1) < plot.bbox.width) this.verticals(plot, visible, '--event-soft', [3, 4], 1);
  }
  private marks(plot: uPlot): void {
    const { report, event, now } = this.view;
    if (event >= 0) this.verticals(plot, [report.events[event].t], '--event', [], 1.5);
    this.verticals(plot, [now], '--now', [6, 3], 1.2);
  }
  private verticals(plot: uPlot, times: Iterable<number>, stroke: string, dash: number[], thickness: number): void {
    const { ctx, bbox } = plot;
    const ratio = window.devicePixelRatio || 1;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = color(stroke);
    ctx.lineWidth = thickness * ratio;
    ctx.setLineDash(dash.map((d) => d * ratio));
    ctx.beginPath();
    for (const t of times) {
      const x = Math.round(plot.valToPos(this.view.axis(t), 'x', true)) + 0.5;
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    ctx.restore();
  }

  private bindPan(over: HTMLElement): void {
    let from: { x: number; min: number; max: number } | null = null;
    let pressed = 0;
    over.addEventListener('mousedown', (event) => {
      pressed = event.clientX;
      if (!event.shiftKey) return;
      from = { x: event.clientX, min: this.view.min, max: this.view.max };
      event.stopImmediatePropagation();
      event.preventDefault();
    }, { capture: true });
    const move = (event: MouseEvent) => {
      if (!from) return;
      const by = ((from.x - event.clientX) / over.clientWidth) * (from.max - from.min);
      this.view.show(from.min + by, from.max + by);
    };
    window.addEventListener('mousemove', move);
    window.addEventListener('mouseup', () => (from = null));
    over.addEventListener('click', (event) => {
      if (Math.abs(event.clientX - pressed) > 3 || event.shiftKey || !this.plot) return;
      const box = over.getBoundingClientRect();
      this.view.setNow(this.view.time(this.plot.posToVal(event.clientX - box.left, 'x')));
    });
    over.addEventListener('wheel', (event) => {
      if (!this.plot) return;
      if (event.ctrlKey) {
        const box = over.getBoundingClientRect();
        this.view.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.plot.posToVal(event.clientX - box.left, 'x'));
      } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        this.view.pan((event.deltaX || event.deltaY) / 1000);
      } else {
        return;
      }
      event.preventDefault();
    }, { passive: false });
  }

  private key(event: KeyboardEvent): void {
    const move = (share: number) => (event.shiftKey ? this.view.moveNow(share / 10) : this.view.pan(share));
    const act: Record<string, () => void> = {
      ArrowLeft: () => move(-0.1),
      ArrowRight: () => move(0.1),
      '+': () => this.view.zoom(0.5),
      '=': () => this.view.zoom(0.5),
      '-': () => this.view.zoom(2),
      '0': () => this.view.reset(),
      Home: () => this.view.reset(),
    };
    if (!act[event.key]) return;
    act[event.key]();
    event.preventDefault();
  }
}

/// A little air around the values; a constant gets a range of its own size.
function padded(min: number | null, max: number | null): [number, number] {
  if (min == null || max == null || !Number.isFinite(min) || !Number.isFinite(max)) return [0, 1];
  const size = max - min;
  if (!(size > Math.max(Math.abs(min), Math.abs(max)) * 1e-15)) {
    const about = Math.abs(max) > 0 ? Math.abs(max) * 0.1 : 1;
    return [min - about, max + about];
  }
  return [min - size * 0.06, max + size * 0.06];
}
