// What the page of a sweep draws: scatter, histogram, heat map, parallel coordinates.
import { color, prepare } from './element';
import type { Quantity, SweepData } from './sweep_data';
import { ticks } from './view';

export const number = (value: number): string => (Number.isFinite(value) ? String(Number(value.toPrecision(5))) : '-');

/// Viridis in nine colours (van der Walt and Smith), linear between them.
const map = [
  [68, 1, 84], [71, 44, 122], [59, 81, 139], [44, 113, 142], [33, 144, 141], [39, 173, 129], [92, 200, 99], [170, 220, 50], [253, 231, 37],
];
export function shade(share: number): string {
  const place = Math.min(Math.max(share, 0), 1) * (map.length - 1);
  const i = Math.min(Math.floor(place), map.length - 2);
  const mix = map[i].map((part, k) => Math.round(part + (place - i) * (map[i + 1][k] - part)));
  return `rgb(${mix.join(',')})`;
}

export const share = (one: Pick<Quantity, 'low' | 'high'>, value: number): number => (one.high > one.low ? (value - one.low) / (one.high - one.low) : 0.5);

const margin = { left: 62, right: 20, top: 12, bottom: 38 };

interface Frame {
  context: CanvasRenderingContext2D;
  width: number;
  height: number;
  x: (share: number) => number;
  y: (share: number) => number;
}

function frame(canvas: HTMLCanvasElement, width: number, height: number): Frame {
  const context = prepare(canvas, width, height);
  context.font = '12px system-ui, sans-serif';
  return {
    context,
    width,
    height,
    x: (part) => margin.left + part * (width - margin.left - margin.right),
    y: (part) => height - margin.bottom - part * (height - margin.top - margin.bottom),
  };
}

type Range = Pick<Quantity, 'name' | 'low' | 'high'>;

/// Round numbers of an axis; of one value alone, that.
function marks(one: Range, count: number): { at: number; text: string }[] {
  return one.high > one.low ? ticks(one.low, one.high, count) : [{ at: one.low, text: number(one.low) }];
}

function axes(to: Frame, horizontal: Range, vertical: Range): void {
  const { context, x, y } = to;
  context.lineWidth = 1;
  context.fillStyle = color('--text-soft');
  context.strokeStyle = color('--grid');
  context.textBaseline = 'top';
  context.textAlign = 'center';
  for (const { at, text } of marks(horizontal, 8)) {
    context.strokeRect(x(share(horizontal, at)), y(1), 0, y(0) - y(1));
    context.fillText(text, x(share(horizontal, at)), y(0) + 4);
  }
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const { at, text } of marks(vertical, 5)) {
    context.strokeRect(x(0), y(share(vertical, at)), x(1) - x(0), 0);
    context.fillText(text, x(0) - 4, y(share(vertical, at)));
  }
  context.strokeStyle = color('--line');
  context.strokeRect(x(0), y(1), x(1) - x(0), y(0) - y(1));
  context.textBaseline = 'bottom';
  context.fillStyle = color('--text');
  context.textAlign = 'center';
  context.fillText(horizontal.name, x(0.5), to.height - 2);
  context.save();
  context.translate(12, y(0.5));
  context.rotate(-Math.PI / 2);
  context.textBaseline = 'middle';
  context.fillText(vertical.name, 0, 0);
  context.restore();
}

/// What the colours of a quantity mean.
export function scale(canvas: HTMLCanvasElement, one: Quantity): void {
  const [width, height] = [220, 34];
  const context = prepare(canvas, width, height);
  const wide = width - 20;
  for (let i = 0; i < wide; ++i) {
    context.fillStyle = shade(i / (wide - 1));
    context.fillRect(10 + i, 2, 1, 12);
  }
  context.font = '12px system-ui, sans-serif';
  context.fillStyle = color('--text-soft');
  context.textBaseline = 'bottom';
  context.textAlign = 'left';
  context.fillText(number(one.low), 2, height);
  context.textAlign = 'right';
  context.fillText(number(one.high), width - 2, height);
}

/// Dots, and which run is at a place.
export class Scatter {
  readonly canvas = document.createElement('canvas');
  private frame: Frame | null = null;

  constructor(private readonly data: SweepData) {}

  draw(horizontal: Quantity, vertical: Quantity, shading: Quantity | null, chosen: number, width: number): void {
    const to = (this.frame = frame(this.canvas, width, Math.round(Math.min(520, width * 0.62))));
    axes(to, horizontal, vertical);
    const size = Math.min(9, Math.max(1.5, 300 / Math.sqrt(this.data.size)));
    for (let row = 0; row < this.data.size; ++row) {
      const [x, y] = this.place(to, horizontal, vertical, row);
      if (!Number.isFinite(x) || !Number.isFinite(y)) continue;
      const part = shading ? shading.values[row] : 0;
      if (shading && !Number.isFinite(part)) continue;
      to.context.fillStyle = shading ? shade(share(shading, part)) : color('--curve-0');
      if (size > 3) {
        to.context.beginPath();
        to.context.arc(x, y, size / 2, 0, 7);
        to.context.fill();
      } else {
        to.context.fillRect(x - size / 2, y - size / 2, size, size);
      }
    }
    if (chosen < 0) return;
    const [x, y] = this.place(to, horizontal, vertical, chosen);
    to.context.strokeStyle = color('--event');
    to.context.lineWidth = 2;
    to.context.beginPath();
    to.context.arc(x, y, 7, 0, 2 * Math.PI);
    to.context.stroke();
  }

  private place(to: Frame, horizontal: Quantity, vertical: Quantity, row: number): [number, number] {
    return [to.x(share(horizontal, horizontal.values[row])), to.y(share(vertical, vertical.values[row]))];
  }

  /// The nearest row to a place on the canvas, within twelve pixels; -1: none.
  find(horizontal: Quantity, vertical: Quantity, x: number, y: number): number {
    if (!this.frame) return -1;
    let [nearest, least] = [-1, 12 * 12];
    for (let row = 0; row < this.data.size; ++row) {
      const [px, py] = this.place(this.frame, horizontal, vertical, row);
      const distance = (px - x) ** 2 + (py - y) ** 2;
      if (distance < least) [nearest, least] = [row, distance];
    }
    return nearest;
  }
}

export function histogram(canvas: HTMLCanvasElement, one: Quantity, width: number): void {
  const bins = new Array<number>(30).fill(0);
  for (let row = 0; row < one.values.length; ++row) {
    const value = one.values[row];
    if (Number.isFinite(value)) ++bins[Math.min(bins.length - 1, Math.floor(share(one, value) * bins.length))];
  }
  const most = Math.max(1, ...bins);
  const to = frame(canvas, width, 150);
  axes(to, one, { name: 'runs', low: 0, high: most });
  to.context.fillStyle = color('--curve-0');
  bins.forEach((count, i) => {
    const [x0, x1] = [to.x(i / bins.length), to.x((i + 1) / bins.length)];
    to.context.fillRect(x0 + 0.5, to.y(count / most), x1 - x0 - 1, to.y(0) - to.y(count / most));
  });
}

/// Means over cells: as many as there are levels, where there are few.
export function heatMap(canvas: HTMLCanvasElement, horizontal: Quantity, vertical: Quantity, shading: Quantity, width: number): void {
  const cells = (one: Quantity): number => {
    const seen = new Set<number>();
    for (let row = 0; row < one.values.length && seen.size <= 60; ++row) seen.add(one.values[row]);
    return seen.size <= 60 ? seen.size : Math.max(2, Math.min(40, Math.round(Math.sqrt(one.values.length / 4))));
  };
  const [columns, rows] = [Math.max(1, cells(horizontal)), Math.max(1, cells(vertical))];
  const sums = new Float64Array(columns * rows);
  const counts = new Float64Array(columns * rows);
  for (let row = 0; row < shading.values.length; ++row) {
    const [x, y, value] = [share(horizontal, horizontal.values[row]), share(vertical, vertical.values[row]), shading.values[row]];
    if (!Number.isFinite(x) || !Number.isFinite(y) || !Number.isFinite(value)) continue;
    const cell = Math.min(columns - 1, Math.floor(x * columns)) + columns * Math.min(rows - 1, Math.floor(y * rows));
    sums[cell] += value;
    ++counts[cell];
  }
  const to = frame(canvas, width, Math.round(Math.min(420, width * 0.5)));
  axes(to, horizontal, vertical);
  let [low, high] = [Infinity, -Infinity];
  sums.forEach((sum, i) => {
    if (counts[i] === 0) return;
    low = Math.min(low, sum / counts[i]);
    high = Math.max(high, sum / counts[i]);
  });
  for (let j = 0; j < rows; ++j) {
    for (let i = 0; i < columns; ++i) {
      const cell = i + columns * j;
      if (counts[cell] === 0) continue;
      to.context.fillStyle = shade(high > low ? (sums[cell] / counts[cell] - low) / (high - low) : 0.5);
      const [x0, x1, y0, y1] = [to.x(i / columns), to.x((i + 1) / columns), to.y((j + 1) / rows), to.y(j / rows)];
      to.context.fillRect(x0, y0, x1 - x0 + 0.5, y1 - y0 + 0.5);
    }
  }
}

/// A line per run through its share of every quantity; of many runs, two thousand at equal distances.
export function parallel(canvas: HTMLCanvasElement, data: SweepData, shown: Quantity[], shading: Quantity | null, chosen: number, width: number): void {
  const to = frame(canvas, width, 300);
  const place = (i: number) => to.x(shown.length > 1 ? i / (shown.length - 1) : 0.5);
  const line = (row: number) => {
    to.context.beginPath();
    shown.forEach((one, i) => to.context.lineTo(place(i), to.y(share(one, one.values[row]))));
    to.context.stroke();
  };
  const stride = Math.max(1, Math.ceil(data.size / 2000));
  to.context.globalAlpha = Math.max(0.08, Math.min(0.7, 60 / (data.size / stride)));
  for (let row = 0; row < data.size; row += stride) {
    if (shown.some((one) => !Number.isFinite(one.values[row]))) continue;
    to.context.strokeStyle = shading ? shade(share(shading, shading.values[row])) : color('--curve-0');
    line(row);
  }
  to.context.globalAlpha = 1;
  to.context.textAlign = 'center';
  shown.forEach((one, i) => {
    to.context.strokeStyle = color('--line');
    to.context.strokeRect(place(i), to.y(1), 0, to.y(0) - to.y(1));
    to.context.fillStyle = color('--text');
    to.context.textBaseline = 'bottom';
    to.context.fillText(one.name, place(i), to.height - 2);
    to.context.fillStyle = color('--text-soft');
    to.context.fillText(number(one.high), place(i), to.y(1));
    to.context.textBaseline = 'top';
    to.context.fillText(number(one.low), place(i), to.y(0) + 2);
  });
  if (chosen < 0) return;
  to.context.strokeStyle = color('--event');
  to.context.lineWidth = 2.5;
  line(chosen);
}
