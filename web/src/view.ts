// What all parts of the page share: the window of time that is shown, the time that is looked at, the event that is
// chosen. Axes are linear or logarithmic in time since the start; plots work in axis units u, everything else in t.
import type { Curve } from './curve';
import type { Report } from './data';

export class View {
  min = 0;
  max = 1;
  now: number; // of the picture, and the mark in every plot
  event = -1; // chosen row
  isLog = false;
  private readonly listeners: (() => void)[] = [];
  private readonly nowListeners: (() => void)[] = [];
  private readonly eventTimes: Float64Array; // ascending
  private smallest: number; // distance from the start where a logarithmic axis begins

  constructor(readonly report: Report) {
    const { pieces } = report;
    this.now = pieces.first;
    this.eventTimes = Float64Array.from(report.events, (event) => event.t).sort();
    const length = pieces.last - pieces.first;
    let first = length;
    for (let i = 0; i < Math.min(pieces.count, 50); ++i) if (pieces.ends[i] > pieces.first) first = Math.min(first, pieces.ends[i] - pieces.first);
    this.smallest = Math.max(first / 10, length * 1e-18, Number.MIN_VALUE);
    this.isLog = pieces.count > 1 && pieces.ends[pieces.count >> 1] - pieces.first < 1e-3 * length; // half of the steps are there
    this.fullRange();
  }
  get full(): [number, number] {
    const { first, last } = this.report.pieces;
    if (!(last > first)) return [first - 1, first + 1];
    return this.isLog ? [this.axis(first), this.axis(last)] : [first, last];
  }
  axis(t: number): number {
    return this.isLog ? Math.log10(Math.max(t - this.report.pieces.first, this.smallest)) : t;
  }
  time(u: number): number {
    return this.isLog ? this.report.pieces.first + 10 ** u : u;
  }
  /// The times of the events that are shown now.
  get visibleEvents(): Float64Array {
    const from = lowerBound(this.eventTimes, this.time(this.min));
    let to = lowerBound(this.eventTimes, this.time(this.max));
    while (to < this.eventTimes.length && this.eventTimes[to] <= this.time(this.max)) ++to;
    return this.eventTimes.subarray(from, to);
  }
  fullRange(): void {
    [this.min, this.max] = this.full;
  }
  show(min: number, max: number): void {
    const [low, high] = this.full;
    const least = Math.max((high - low) * 1e-13, Math.abs(high) * 4e-16, Number.MIN_VALUE);
    if (!(max - min >= least)) {
      const middle = (min + max) / 2;
      min = middle - least / 2;
      max = middle + least / 2;
    }
    this.min = Math.max(low, Math.min(min, high - (max - min)));
    this.max = Math.min(high, this.min + (max - min));
    this.changed();
  }
  pan(share: number): void {
    const by = (this.max - this.min) * share;
    this.show(this.min + by, this.max + by);
  }
  zoom(factor: number, around = (this.min + this.max) / 2): void {
    this.show(around - (around - this.min) * factor, around + (this.max - around) * factor);
  }
  reset(): void {
    this.fullRange();
    this.changed();
  }
  setLog(isLog: boolean): void {
    const [a, b] = [this.time(this.min), this.time(this.max)];
    this.isLog = isLog;
    this.show(this.axis(a), this.axis(b));
  }
  setNow(t: number): void {
    this.now = Math.min(this.report.pieces.last, Math.max(this.report.pieces.first, t));
    for (const each of this.nowListeners) each();
  }
  /// By a share of the window that is shown, from an end of it where the mark is outside.
  moveNow(share: number): void {
    const from = Math.min(this.max, Math.max(this.min, this.axis(this.now)));
    this.setNow(this.time(from + (this.max - this.min) * share));
  }
  /// Centres the event, in a window not wider than a tenth of the run.
  choose(row: number): void {
    this.event = row;
    const t = this.report.events[row].t;
    const [low, high] = this.full;
    const width = Math.min(this.max - this.min, (high - low) / 10);
    const u = this.axis(t);
    this.min = u - width / 2;
    this.max = u + width / 2;
    this.changed();
    this.setNow(t);
  }
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }
  onNow(listener: () => void): void {
    this.nowListeners.push(listener);
  }
  changed(): void {
    for (const each of this.listeners) each();
  }
}

function lowerBound(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/// Enough digits to tell ticks of this distance apart.
export function format(value: number, increment = 0): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'no number' : String(value);
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (increment > 0) {
    const digits = Math.max(1, Math.min(17, Math.ceil(Math.log10(Math.max(size, increment) / increment)) + 2));
    const text = value.toPrecision(digits);
    return trim(text);
  }
  return trim(value.toPrecision(7));
}

/// The shortest text of a number that has been rounded, with an exponent where it would be long.
function trim(text: string): string {
  const value = Number(text);
  const size = Math.abs(value);
  return size === 0 || (size >= 1e-5 && size < 1e9) ? String(value) : value.toExponential().replace('+', '');
}

/// Round numbers between two, about so many, as they are written.
export function ticks(low: number, high: number, count: number): { at: number; text: string }[] {
  const raw = (high - low) / count;
  if (!(raw > 0)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = power * ([1, 2, 5, 10].find((k) => k * power >= raw) ?? 10);
  const first = Math.ceil(low / step);
  const all = Array.from({ length: 2 * count }, (_, i) => (first + i) * step); // counted: where rounding is larger, steps do not get on
  return all.filter((at) => at <= high).map((at) => ({ at, text: format(at, step) }));
}

/// A value of a curve with the digits that the file has of it.
export function formatValue(value: number, curve: Curve): string {
  if (!curve.resolution || !Number.isFinite(value)) return format(value);
  const unit = 10 ** Math.ceil(Math.log10(2 * curve.resolution));
  const count = Math.round(value / unit);
  return count === 0 ? '0' : trim((count * unit).toPrecision(Math.min(15, Math.floor(Math.log10(Math.abs(count))) + 1)));
}

/// A duration or a time with all digits that count.
export function exactTime(t: number): string {
  return trim(t.toPrecision(15));
}
