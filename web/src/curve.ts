// Curves over the pieces of a run. A piece is one recorded step: inside it every quantity is smooth, and between two
// pieces it may jump. So a curve is read as (piece, time), never as time alone, and both values of a jump are there.

export interface Curve {
  readonly name: string;
  readonly kind: string;
  readonly low: number;
  readonly high: number;
  readonly note?: string;
  /// How exact its values are, where they are not stored with all digits.
  readonly resolution?: number;
  /// The value at a time inside that piece, ends included.
  valueIn(piece: number, t: number): number;
}

/// The pieces in ascending order of time: piece i covers [start(i), end(i)].
export class Pieces {
  readonly count: number;
  constructor(
    readonly starts: Float64Array,
    readonly ends: Float64Array,
    readonly runStart: number,
    readonly runEnd: number,
  ) {
    this.count = ends.length;
  }
  get first(): number {
    return this.count > 0 ? this.starts[0] : Math.min(this.runStart, this.runEnd);
  }
  get last(): number {
    return this.count > 0 ? this.ends[this.count - 1] : Math.max(this.runStart, this.runEnd);
  }
  /// The piece that holds this time; at a boundary the later one, or the earlier one.
  at(t: number, earlier = false): number {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (earlier ? this.ends[middle] < t : this.ends[middle] <= t) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/// Σ c_k T_k(s), s in [-1, 1] over the piece, with integers c_k in units of quantum / number of coefficients; or with
/// numbers as they are.
export class Polynomials implements Curve {
  readonly resolution: number;
  private readonly first: Uint32Array;
  constructor(
    readonly name: string,
    readonly kind: string,
    readonly low: number,
    readonly high: number,
    readonly note: string | undefined,
    private readonly pieces: Pieces,
    private readonly counts: Uint8Array,
    private readonly coefficients: Int32Array | Float64Array,
    private readonly middle: number,
    private readonly quantum: number, // 0: the coefficients are numbers
    private readonly power: { origins: Float64Array; spans: Float64Array } | null,
  ) {
    this.resolution = quantum > 0 ? (high - low) * 1e-6 : 0;
    this.first = new Uint32Array(counts.length + 1);
    for (let i = 0; i < counts.length; ++i) this.first[i + 1] = this.first[i] + counts[i];
  }

  valueIn(piece: number, t: number): number {
    const n = this.counts[piece];
    if (!n) return NaN;
    const first = this.first[piece];
    const c = this.coefficients;
    if (this.power) {
      const theta = (t - this.power.origins[piece]) / this.power.spans[piece];
      let value = c[first + n - 1];
      for (let k = n - 2; k >= 0; --k) value = value * theta + c[first + k];
      return value;
    }
    const a = this.pieces.starts[piece];
    const b = this.pieces.ends[piece];
    const s = b > a ? (t - a) / (b - a) * 2 - 1 : 1;
    let one = 0;
    let two = 0;
    for (let k = n - 1; k > 0; --k) {
      const next = 2 * s * one - two + c[first + k];
      two = one;
      one = next;
    }
    const sum = s * one - two + c[first];
    return this.quantum > 0 ? this.middle + sum * (this.quantum / n) : this.middle + sum;
  }
}

/// What is held between events: a value from each of these times on.
export class Held implements Curve {
  readonly kind = 'held';
  readonly low: number;
  readonly high: number;
  constructor(
    readonly name: string,
    private readonly pieces: Pieces,
    private readonly times: number[],
    private readonly values: number[],
  ) {
    this.low = Math.min(...values);
    this.high = Math.max(...values);
  }
  valueIn(piece: number, t: number): number {
    const middle = this.pieces.count > 0 ? (this.pieces.starts[piece] + this.pieces.ends[piece]) / 2 : t;
    let low = 0;
    let high = this.times.length;
    while (low < high) {
      const m = (low + high) >> 1;
      if (this.times[m] <= middle) low = m + 1;
      else high = m;
    }
    return this.values[Math.max(0, low - 1)];
  }
}

/// One number per piece: the size of a step, its order, a drift.
export class PerPiece implements Curve {
  readonly low: number;
  readonly high: number;
  constructor(
    readonly name: string,
    readonly kind: string,
    private readonly values: ArrayLike<number>,
  ) {
    let low = Infinity;
    let high = -Infinity;
    for (let i = 0; i < values.length; ++i) {
      if (values[i] < low) low = values[i];
      if (values[i] > high) high = values[i];
    }
    this.low = low <= high ? low : 0;
    this.high = low <= high ? high : 0;
  }
  valueIn(piece: number): number {
    return this.values[piece];
  }
}

/// |curve - its value at the start of the run|, of what should not change.
export class Change implements Curve {
  readonly kind = 'change';
  readonly name: string;
  readonly low = 0;
  readonly high: number;
  readonly resolution?: number;
  private readonly start: number;
  constructor(
    private readonly of: Curve,
    pieces: Pieces,
  ) {
    this.name = `change of ${of.name}`;
    this.resolution = of.resolution;
    this.start = pieces.runStart <= pieces.runEnd ? of.valueIn(0, pieces.first) : of.valueIn(pieces.count - 1, pieces.last);
    this.high = Math.max(Math.abs(of.high - this.start), Math.abs(of.low - this.start));
  }
  valueIn(piece: number, t: number): number {
    return Math.abs(this.of.valueIn(piece, t) - this.start);
  }
}

/// Smallest and largest value over runs of pieces, found once per curve, so that a million pieces are drawn as fast as a
/// thousand: blocks of 16, of 256, ...
export class Extremes {
  private readonly levels: { low: Float64Array; high: Float64Array }[] = [];
  constructor(curve: Curve, pieces: Pieces) {
    const low = new Float64Array(pieces.count);
    const high = new Float64Array(pieces.count);
    for (let i = 0; i < pieces.count; ++i) {
      const a = pieces.starts[i];
      const b = pieces.ends[i];
      const values = [curve.valueIn(i, a), curve.valueIn(i, (a + b) / 2), curve.valueIn(i, b)];
      low[i] = Math.min(...values);
      high[i] = Math.max(...values);
    }
    this.levels.push({ low, high });
    while (this.levels[this.levels.length - 1].low.length > 16) {
      const below = this.levels[this.levels.length - 1];
      const size = Math.ceil(below.low.length / 16);
      const next = { low: new Float64Array(size).fill(Infinity), high: new Float64Array(size).fill(-Infinity) };
      for (let i = 0; i < below.low.length; ++i) {
        const k = i >> 4;
        if (below.low[i] < next.low[k]) next.low[k] = below.low[i];
        if (below.high[i] > next.high[k]) next.high[k] = below.high[i];
      }
      this.levels.push(next);
    }
  }
  /// Over the pieces from..to, both included.
  over(from: number, to: number): [number, number] {
    let low = Infinity;
    let high = -Infinity;
    const take = (level: number, i: number) => {
      const at = this.levels[level];
      if (at.low[i] < low) low = at.low[i];
      if (at.high[i] > high) high = at.high[i];
    };
    let level = 0;
    let a = from;
    let b = to + 1;
    while (a < b) {
      if (level + 1 === this.levels.length || b - a < 32) {
        for (let i = a; i < b; ++i) take(level, i);
        break;
      }
      while (a & 15) take(level, a++);
      while (b & 15) take(level, --b);
      a >>= 4;
      b >>= 4;
      ++level;
    }
    return [low, high];
  }
}
