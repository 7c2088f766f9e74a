// One quantity over another, for the window of time that the other plots show. Jumps are dotted.
import type { Curve } from './curve';
import { color, curveColor, element, prepare } from './element';
import { formatValue, ticks, type View } from './view';

export class PhasePlot {
  readonly element: HTMLElement;
  private readonly canvas = element('canvas', { className: 'phase' });
  private readonly legend: HTMLElement;
  private readonly height = 300;

  constructor(
    private readonly view: View,
    readonly y: Curve,
    readonly x: Curve,
    onRemove: (plot: PhasePlot) => void,
  ) {
    const remove = element('button', { className: 'small', type: 'button', title: 'remove this plot', 'aria-label': `remove plot ${y.name} over ${x.name}` }, '×');
    remove.onclick = () => onRemove(this);
    this.canvas.setAttribute('role', 'img');
    this.canvas.setAttribute('aria-label', `${y.name} over ${x.name}`);
    this.legend = element('div', { className: 'legend' }, `${y.name} over ${x.name}`);
    this.element = element('div', { className: 'card' }, element('div', { className: 'bar' }, this.legend, element('div', { className: 'tools' }, remove)), this.canvas);
    view.onChange(() => this.draw());
    view.onNow(() => this.draw());
  }

  draw(): void {
    const width = this.canvas.parentElement?.clientWidth ?? 0;
    if (width === 0) return;
    const context = prepare(this.canvas, width - 2, this.height);
    const { pieces } = this.view.report;
    if (pieces.count === 0) return;
    const low = Math.max(pieces.first, this.view.time(this.view.min));
    const high = Math.min(pieces.last, this.view.time(this.view.max));
    const from = pieces.at(low, true);
    const to = pieces.at(high);
    const stride = Math.max(1, Math.ceil((to - from + 1) / 20000));
    const points = Math.max(2, Math.min(64, Math.ceil(4000 / (to - from + 1))));
    const parts: [number, number][][] = [];
    let [xl, xh, yl, yh] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = from; i <= to; i += stride) {
      const a = Math.max(low, pieces.starts[i]);
      const b = Math.min(high, pieces.ends[i]);
      const part: [number, number][] = [];
      for (let k = 0; k <= points; ++k) {
        const t = a + ((b - a) * k) / points;
        const [px, py] = [this.x.valueIn(i, t), this.y.valueIn(i, t)];
        if (!Number.isFinite(px) || !Number.isFinite(py)) continue;
        part.push([px, py]);
        [xl, xh, yl, yh] = [Math.min(xl, px), Math.max(xh, px), Math.min(yl, py), Math.max(yh, py)];
      }
      parts.push(part);
    }
    if (!(xl <= xh)) return;
    [xl, xh] = widened(xl, xh);
    [yl, yh] = widened(yl, yh);
    const [left, top, right, bottom] = [74, 10, width - 14, this.height - 40];
    const toX = (x: number) => left + ((x - xl) / (xh - xl)) * (right - left);
    const toY = (y: number) => bottom - ((y - yl) / (yh - yl)) * (bottom - top);
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = color('--text-soft');
    context.strokeStyle = color('--grid');
    context.lineWidth = 1;
    context.textAlign = 'center';
    for (const { at, text } of ticks(xl, xh, 6)) {
      stroke(context, [[toX(at), top], [toX(at), bottom]]);
      context.fillText(text, toX(at), bottom + 16);
    }
    context.fillText(this.x.name, (left + right) / 2, bottom + 33);
    context.textAlign = 'right';
    for (const { at, text } of ticks(yl, yh, 5)) {
      stroke(context, [[left, toY(at)], [right, toY(at)]]);
      context.fillText(text, left - 6, toY(at) + 4);
    }
    // One path for the curve and one for its jumps: strokes cost, not points.
    const curve = new Path2D();
    const jumps = new Path2D();
    let last: [number, number] | null = null;
    for (const part of parts) {
      part.forEach(([px, py], k) => {
        const at: [number, number] = [toX(px), toY(py)];
        if (k > 0 || (last && (stride > 1 || Math.hypot(last[0] - at[0], last[1] - at[1]) <= 0.7))) {
          curve.lineTo(...at);
        } else {
          if (last) {
            jumps.moveTo(...last);
            jumps.lineTo(...at);
          }
          curve.moveTo(...at);
        }
        last = at;
      });
    }
    context.strokeStyle = curveColor(0);
    context.lineWidth = 1.6;
    context.stroke(curve);
    context.setLineDash([2, 3]);
    context.lineWidth = 1;
    context.stroke(jumps);
    context.setLineDash([]);
    const { report, now } = this.view;
    const [x, y] = [report.value(this.x, now), report.value(this.y, now)];
    this.legend.textContent = `${this.y.name} over ${this.x.name}, at the mark ${formatValue(y, this.y)} over ${formatValue(x, this.x)}`;
    context.fillStyle = color('--now');
    context.beginPath();
    context.arc(toX(x), toY(y), 4, 0, 7);
    context.fill();
  }
}

function widened(low: number, high: number): [number, number] {
  const size = high > low ? high - low : Math.abs(high) || 1;
  return [low - size * 0.05, high + size * 0.05];
}

function stroke(context: CanvasRenderingContext2D, points: [number, number][]): void {
  context.beginPath();
  points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
  context.stroke();
}
