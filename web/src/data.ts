// The data of a report on a run.
import { type Curve, Held, PerPiece, Pieces, Polynomials } from './curve';
import { type ArrayPlace, readArray, unpack } from './packing';

export interface EventRow {
  t: number;
  names: string[];
  kind: string;
  before: string;
  after: string;
  notes: string[];
  uncertainty: number;
}

export interface Head {
  title: string;
  model: string;
  summary: string;
  method: string;
  outcome: string;
  reason: string;
  counts?: string; // instead of those of steps and events
  command: string;
  t_start: number;
  t_end: number;
  exact: boolean;
  remarks: string[]; // what the page does not show, and why
  plots: string[][]; // one: over time; two: the first over the second
  stacked?: string[][]; // several curves in one plot: runs over each other
  facts: [string, [string, string][]][]; // tables: a heading and its rows
  texts: [string, string][]; // a heading and text
  messages: { level: string; code: string; t: number | null; text: string }[];
  events: { t: number[]; names: number[][]; kind: number[]; before: number[]; after: number[]; notes: number[][]; uncertainty: number[] };
  words: string[];
  pieces: { ends: ArrayPlace; starts?: ArrayPlace; origins?: ArrayPlace; spans?: ArrayPlace };
  curves: {
    name: string;
    kind: string;
    low: number;
    high: number;
    note?: string;
    middle: number;
    quantum: number;
    counts: ArrayPlace;
    coefficients: ArrayPlace;
    power?: boolean;
  }[];
  held: { name: string; t: number[]; values: number[] }[];
  modes: { t: number[]; name: number[] };
  history?: { size: ArrayPlace; error: ArrayPlace; order: ArrayPlace; method: ArrayPlace; methods: string[] };
  drift?: { name: string; values: ArrayPlace }[];
  energies: string[];
  picture?: { space: boolean; declared: boolean; shapes: ShapeData[]; channels: (number | string)[] };
}

/// Numbers of a shape are places in `picture.channels`: a constant, or the name of a curve.
export interface ShapeData {
  kind: string;
  places: number[][]; // three numbers each
  turn: number[]; // none, an angle, or a quaternion
  numbers: number[]; // radius
  sizes: number[]; // constants
  events?: number[]; // of a touch: rows of the events
  force?: number; // of a touch: its size
}

export class Report {
  readonly pieces: Pieces;
  readonly curves: Curve[] = []; // what can be drawn
  readonly hidden = new Map<string, Curve>(); // of the picture alone
  readonly events: EventRow[];
  readonly steps: Curve[] = [];
  readonly drifts: Curve[] = [];
  readonly methods: string[] = [];
  readonly methodOfPiece: ArrayLike<number> | null = null;
  private readonly byName = new Map<string, Curve>();

  constructor(
    readonly head: Head,
    bytes: Uint8Array,
  ) {
    const read = (place: ArrayPlace) => readArray(bytes, place);
    const ends = read(head.pieces.ends) as Float64Array;
    let starts: Float64Array;
    if (head.pieces.starts) {
      starts = read(head.pieces.starts) as Float64Array;
    } else {
      starts = new Float64Array(ends.length);
      if (ends.length > 0) starts[0] = Math.min(head.t_start, head.t_end);
      starts.set(ends.subarray(0, Math.max(0, ends.length - 1)), Math.min(1, ends.length));
    }
    this.pieces = new Pieces(starts, ends, head.t_start, head.t_end);
    const power =
      head.pieces.origins && head.pieces.spans
        ? { origins: read(head.pieces.origins) as Float64Array, spans: read(head.pieces.spans) as Float64Array }
        : null;
    for (const one of head.curves) {
      const counts = read(one.counts) as Uint8Array;
      const raw = read(one.coefficients);
      const coefficients = one.quantum > 0 ? undelta(counts, raw as Int32Array, one.quantum) : (raw as Float64Array);
      const curve = new Polynomials(one.name, one.kind, one.low, one.high, one.note, this.pieces, counts, coefficients, one.middle, one.quantum, one.power ? power : null);
      if (one.kind === 'picture') this.hidden.set(one.name, curve);
      else this.add(curve);
    }
    for (const one of head.held) this.add(new Held(one.name, this.pieces, one.t, one.values));
    if (head.history) {
      this.steps.push(new PerPiece('step size', 'step', read(head.history.size)));
      this.steps.push(new PerPiece('order', 'order', read(head.history.order)));
      const error = new PerPiece('error estimate / tolerance', 'error', read(head.history.error));
      if (error.high > 0) this.steps.push(error);
      this.methods = head.history.methods;
      this.methodOfPiece = read(head.history.method);
    } else if (this.pieces.count > 0) {
      this.steps.push(new PerPiece('step size', 'step', ends.map((end, i) => end - starts[i])));
    }
    for (const one of head.drift ?? []) this.drifts.push(new PerPiece(one.name, 'drift', read(one.values)));
    const e = head.events;
    this.events = e.t.map((t, i) => ({
      t,
      names: e.names[i].map((k) => head.words[k]),
      kind: head.words[e.kind[i]],
      before: head.words[e.before[i]],
      after: head.words[e.after[i]],
      notes: e.notes[i].map((k) => head.words[k]),
      uncertainty: e.uncertainty[i],
    }));
  }

  private add(curve: Curve): void {
    this.curves.push(curve);
    if (!this.byName.has(curve.name)) this.byName.set(curve.name, curve);
  }
  find(name: string): Curve | undefined {
    return this.byName.get(name) ?? this.hidden.get(name);
  }
  /// At an event the value after it, or the one before it.
  value(curve: Curve, t: number, before = false): number {
    if (this.pieces.count === 0) return NaN;
    // Backward in time, what was before an event lies at later times.
    const earlier = before === this.pieces.runStart <= this.pieces.runEnd;
    return curve.valueIn(this.pieces.at(t, earlier), t);
  }
}

export async function load(text: string): Promise<Report> {
  const { head, arrays } = await unpack(text);
  return new Report(head as Head, arrays);
}

/// Coefficients are stored by their number: all first ones, each as the difference to what the piece before has, then
/// all second ones, ... with the sign in the lowest bit. Here they are put together piece by piece.
function undelta(counts: Uint8Array, stored: Int32Array, quantum: number): Int32Array {
  const out = new Int32Array(stored.length);
  const first = new Uint32Array(counts.length);
  let total = 0;
  let most = 0;
  for (let i = 0; i < counts.length; ++i) {
    first[i] = total;
    total += counts[i];
    most = Math.max(most, counts[i]);
  }
  let next = 0;
  let before = 0;
  for (let k = 0; k < most; ++k) {
    for (let i = 0; i < counts.length; ++i) {
      if (counts[i] <= k) continue;
      const zigzag = stored[next++];
      let value = (zigzag >>> 1) ^ -(zigzag & 1);
      if (k === 0) {
        const unit = quantum / counts[i];
        value += Math.floor(before / unit + 0.5);
        before = value * unit;
      }
      out[first[i] + k] = value;
    }
  }
  return out;
}
