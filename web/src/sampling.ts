// Points of curves for a window of time. Where there is room every piece is drawn from its polynomial, at about two
// points a pixel and at both its ends, so a jump is a vertical line and no zoom shows a chord. Where there are more
// pieces than pixels, every column of pixels shows the smallest and the largest value in it.
import { type Curve, Extremes, type Pieces } from './curve';
import type { View } from './view';

export interface Grid {
  u: Float64Array; // of the axis
  t: Float64Array;
  piece: Int32Array; // -1: of a column
  columns: { from: number; to: number }[] | null;
}

const extremes = new WeakMap<Curve, Extremes>();

export function makeGrid(view: View, pixels: number): Grid {
  const { pieces } = view.report;
  if (pieces.count === 0) return { u: new Float64Array(0), t: new Float64Array(0), piece: new Int32Array(0), columns: null };
  const low = Math.max(pieces.first, view.time(view.min));
  const high = Math.min(pieces.last, view.time(view.max));
  const from = pieces.at(low, true);
  const to = pieces.at(high);
  if (to - from + 1 > 2 * pixels) return makeColumns(view, pieces, from, to, pixels);
  const scale = (2 * pixels) / (view.max - view.min);
  const u: number[] = [];
  const t: number[] = [];
  const piece: number[] = [];
  for (let i = from; i <= to; ++i) {
    const a = Math.max(low, pieces.starts[i]);
    const b = Math.min(high, pieces.ends[i]);
    if (a > b) continue;
    const [ua, ub] = [view.axis(a), view.axis(b)];
    const count = Math.min(4 * pixels, Math.max(1, Math.ceil((ub - ua) * scale)));
    for (let k = 0; k <= count; ++k) {
      const at = k === 0 ? a : k === count ? b : Math.min(b, Math.max(a, view.time(ua + ((ub - ua) * k) / count)));
      t.push(at);
      u.push(view.axis(at));
      piece.push(i);
    }
  }
  return { u: Float64Array.from(u), t: Float64Array.from(t), piece: Int32Array.from(piece), columns: null };
}

function makeColumns(view: View, pieces: Pieces, from: number, to: number, pixels: number): Grid {
  const columns: { from: number; to: number }[] = [];
  const u = new Float64Array(2 * pixels);
  const t = new Float64Array(2 * pixels);
  let next = from;
  for (let k = 0; k < pixels; ++k) {
    const right = view.min + ((view.max - view.min) * (k + 1)) / pixels;
    const last = k + 1 === pixels ? to : Math.min(to, pieces.at(view.time(right), true));
    columns.push({ from: next, to: Math.max(next, last) });
    next = Math.max(next, last);
    u[2 * k] = u[2 * k + 1] = right - (view.max - view.min) / (2 * pixels);
    t[2 * k] = t[2 * k + 1] = view.time(u[2 * k]);
  }
  return { u, t, piece: new Int32Array(2 * pixels).fill(-1), columns };
}

export function sample(curve: Curve, grid: Grid, view: View): Float64Array {
  const values = new Float64Array(grid.u.length);
  if (grid.columns) {
    let known = extremes.get(curve);
    if (!known) extremes.set(curve, (known = new Extremes(curve, view.report.pieces)));
    const { pieces } = view.report;
    const width = (view.max - view.min) / grid.columns.length;
    let last = NaN;
    grid.columns.forEach(({ from, to }, k) => {
      // The pieces at the edges of the column by what lies inside it, those between them whole.
      let [low, high] = to - from > 1 ? known.over(from + 1, to - 1) : [Infinity, -Infinity];
      const [left, right] = [view.time(view.min + width * k), view.time(view.min + width * (k + 1))];
      for (const piece of from === to ? [from] : [from, to]) {
        for (const t of [Math.max(left, pieces.starts[piece]), Math.min(right, pieces.ends[piece])]) {
          const value = curve.valueIn(piece, Math.min(pieces.ends[piece], Math.max(pieces.starts[piece], t)));
          if (value < low) low = value;
          if (value > high) high = value;
        }
      }
      const isRising = !(Math.abs(last - high) < Math.abs(last - low)); // the nearer one first
      values[2 * k] = isRising ? low : high;
      last = values[2 * k + 1] = isRising ? high : low;
    });
    return values;
  }
  for (let i = 0; i < values.length; ++i) values[i] = curve.valueIn(grid.piece[i], grid.t[i]);
  return values;
}
