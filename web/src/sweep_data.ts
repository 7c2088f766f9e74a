// The data of a report on a sweep: a row per run.
import { type ArrayPlace, readArray, unpack } from './packing';

interface Head {
  title: string;
  counts: string; // "1000 runs: 963 finished, 37 failed"
  command: string; // of one run, without the values that are varied
  remarks: string[];
  parameters: { name: string; values: ArrayPlace }[];
  columns: { name: string; values: ArrayPlace }[];
  runs: ArrayPlace; // numbers of the rows
  outcomes: ArrayPlace;
  words: string[]; // of outcomes
  reasons: [number, string][]; // run and why it has no values
  facts: [string, string[], string[][]][]; // tables: a heading, column heads, rows
}

/// One quantity of all runs.
export interface Quantity {
  name: string;
  isParameter: boolean;
  values: ArrayLike<number>;
  low: number;
  high: number;
}

export class SweepData {
  readonly quantities: Quantity[];
  readonly runs: Int32Array;
  readonly outcomes: Uint8Array;
  readonly reasons: Map<number, string>;

  constructor(
    readonly head: Head,
    arrays: Uint8Array,
  ) {
    const quantity = (one: { name: string; values: ArrayPlace }, isParameter: boolean): Quantity => {
      const values = readArray(arrays, one.values);
      let [low, high] = [Infinity, -Infinity];
      for (const value of values) {
        if (!Number.isFinite(value)) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      return { name: one.name, isParameter, values, low, high };
    };
    this.quantities = [...head.parameters.map((one) => quantity(one, true)), ...head.columns.map((one) => quantity(one, false))];
    this.runs = readArray(arrays, head.runs) as Int32Array;
    this.outcomes = readArray(arrays, head.outcomes) as Uint8Array;
    this.reasons = new Map(head.reasons);
  }

  get size(): number {
    return this.runs.length;
  }
  row(run: number): number {
    let [low, high] = [0, this.size];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.runs[middle] < run) low = middle + 1;
      else high = middle;
    }
    return this.runs[low] === run ? low : -1;
  }
  /// The command that makes this run alone.
  command(row: number): string {
    const values = this.quantities.filter((one) => one.isParameter).map((one) => [one.name, String(one.values[row])]);
    const quote = (text: string) => (/^[\w=.+:/-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);
    return values.reduce((text, [name, value]) => `${text}${text ? ' ' : ''}${this.head.command ? '--set ' : ''}${quote(`${name}=${value}`)}`, this.head.command);
  }
}

export async function loadSweep(text: string): Promise<SweepData> {
  const { head, arrays } = await unpack(text);
  return new SweepData(head as Head, arrays);
}
