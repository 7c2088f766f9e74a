// Events on the axis of time, one lane per name, and below them the mode. Aligned with the plots above.
import { color, curveColor, element, prepare } from './element';
import { margins, type TimePlot } from './time_plot';
import type { View } from './view';

const laneHeight = 18;
const mostLanes = 24;
const frameIn = (width: number) => ({ left: margins.left, width: width - margins.left - margins.right });

export class Lanes {
  readonly element: HTMLElement;
  private readonly canvas = element('canvas', { className: 'lanes', tabIndex: 0 });
  private readonly names: string[] = [];
  private readonly rows = new Map<string, number[]>();
  private readonly hasModes: boolean;
  private readonly hiddenNames: number;
  private readonly modes = new Map<number, { place: number; text: string }>();

  constructor(
    private readonly view: View,
    private readonly plots: () => TimePlot[],
  ) {
    const { report } = view;
    report.events.forEach((event, row) => {
      for (const name of event.names.length > 0 ? event.names : [event.kind]) {
        const rows = this.rows.get(name);
        if (rows) rows.push(row);
        else this.rows.set(name, [row]);
      }
    });
    this.names = [...this.rows.keys()].slice(0, mostLanes);
    this.hiddenNames = this.rows.size - this.names.length;
    this.hasModes = report.head.modes.t.length > 1;
    this.nameModes();
    this.canvas.setAttribute('role', 'group');
    this.canvas.setAttribute('aria-label', 'events over time: arrow keys choose the next event');
    this.canvas.onclick = (event) => this.click(event);
    this.canvas.onkeydown = (event) => this.key(event);
    const more = this.hiddenNames > 0 ? [element('div', { className: 'soft' }, `${this.hiddenNames} more guards with events: the table lists them`)] : [];
    this.element = element('div', { className: 'card' }, this.canvas, ...more);
    view.onChange(() => this.draw());
    view.onNow(() => this.draw());
  }
  get isEmpty(): boolean {
    return this.names.length === 0 && !this.hasModes;
  }

  /// What distinguishes a mode stands first in its name: the parts that fewest modes have.
  private nameModes(): void {
    const { modes, words } = this.view.report.head;
    const all = [...new Set(modes.name)];
    const parts = all.map((number) => words[number].split(', '));
    const counts = new Map<string, number>();
    for (const part of parts.flat()) counts.set(part, (counts.get(part) ?? 0) + 1);
    all.forEach((number, place) => this.modes.set(number, { place, text: parts[place].sort((a, b) => counts.get(a)! - counts.get(b)!).join(', ') || 'no mode' }));
  }

  draw(): void {
    const width = (this.canvas.parentElement?.clientWidth ?? 0) - 2;
    const area = this.plots()[0]?.area ?? frameIn(width);
    if (width <= 0) return;
    const height = this.names.length * laneHeight + (this.hasModes ? laneHeight + 6 : 0) + 4;
    const context = prepare(this.canvas, width, height);
    const { report, event, now } = this.view;
    const x = (t: number) => area.left + ((this.view.axis(t) - this.view.min) / (this.view.max - this.view.min)) * area.width;
    context.font = '11px system-ui, sans-serif';
    this.names.forEach((name, lane) => {
      const top = lane * laneHeight + 2;
      context.fillStyle = color('--grid');
      context.fillRect(area.left, top + laneHeight / 2, area.width, 1);
      context.strokeStyle = color('--surface'); // around the letters, so that the line does not run into them; events may
      context.lineWidth = 5;
      context.lineJoin = 'round';
      context.strokeText(name, area.left + 4, top + laneHeight - 6, area.width - 8);
      const counts = new Uint16Array(Math.ceil(area.width) + 1);
      for (const row of this.rows.get(name)!) {
        const at = x(report.events[row].t) - area.left;
        if (at >= 0 && at <= area.width) ++counts[Math.floor(at)];
      }
      context.fillStyle = curveColor(lane);
      const total = counts.reduce((sum, one) => sum + one, 0);
      const isDense = total * 4 > area.width;
      counts.forEach((count, at) => {
        if (count === 0) return;
        context.globalAlpha = isDense ? Math.min(1, 0.25 + count / 8) : 1;
        context.fillRect(area.left + at - (isDense ? 0 : 1), top + 2, isDense ? 1 : 2.5, laneHeight - 5);
      });
      context.globalAlpha = 1;
      if (event >= 0 && this.rows.get(name)!.includes(event)) {
        context.fillStyle = color('--event');
        context.fillRect(x(report.events[event].t) - 2, top, 4, laneHeight - 2);
      }
      context.fillStyle = color('--text');
      context.fillText(name, area.left + 4, top + laneHeight - 6, area.width - 8);
    });
    if (this.hasModes) this.drawModes(context, area, this.names.length * laneHeight + 6, x);
    context.fillStyle = color('--now');
    const mark = x(now);
    if (mark >= area.left && mark <= area.left + area.width) context.fillRect(mark, 0, 1, height);
  }

  private drawModes(context: CanvasRenderingContext2D, area: { left: number; width: number }, top: number, x: (t: number) => number): void {
    const { modes, t_end, t_start } = this.view.report.head;
    const colours = Array.from({ length: 7 }, (_, i) => curveColor(i));
    modes.t.forEach((t, i) => {
      const until = i + 1 < modes.t.length ? modes.t[i + 1] : t_end;
      const [a, b] = t_start <= t_end ? [t, until] : [until, t];
      const from = Math.max(area.left, x(a));
      const to = Math.min(area.left + area.width, x(b));
      if (to < from) return;
      const size = Math.max(0.5, to - from);
      const { place, text } = this.modes.get(modes.name[i])!;
      context.globalAlpha = 0.35;
      context.fillStyle = colours[place % colours.length];
      context.fillRect(from, top, size, laneHeight);
      context.globalAlpha = 1;
      if (size > 24) {
        context.fillStyle = color('--text');
        context.save();
        context.beginPath();
        context.rect(from, top, size, laneHeight);
        context.clip();
        context.fillText(text, from + 4, top + 13);
        context.restore();
      }
    });
  }

  private click(event: MouseEvent): void {
    const area = this.plots()[0]?.area ?? frameIn(this.canvas.clientWidth);
    const lane = Math.floor((event.offsetY - 2) / laneHeight);
    const u = this.view.min + ((event.offsetX - area.left) / area.width) * (this.view.max - this.view.min);
    const rows = this.rows.get(this.names[lane]) ?? this.view.report.events.map((_, i) => i);
    let best = -1;
    for (const row of rows) {
      const distance = Math.abs(this.view.axis(this.view.report.events[row].t) - u);
      if (best < 0 || distance < Math.abs(this.view.axis(this.view.report.events[best].t) - u)) best = row;
    }
    if (best >= 0) this.view.choose(best);
  }

  private key(event: KeyboardEvent): void {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const count = this.view.report.events.length;
    if (by === undefined || count === 0) return;
    this.view.choose(Math.min(count - 1, Math.max(0, this.view.event + by)));
    event.preventDefault();
  }
}
