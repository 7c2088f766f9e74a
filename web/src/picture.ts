// The picture at a time: numbers of shapes read from the curves, and the box that everything stays in.
import type { Curve } from './curve';
import type { Report, ShapeData } from './data';

export type Vector = [number, number, number];

/// A place inside a piece of the run.
export interface Moment {
  piece: number;
  t: number;
}

export class PictureData {
  readonly shapes: ShapeData[];
  readonly isInSpace: boolean;
  readonly isDeclared: boolean;
  readonly low: Vector = [Infinity, Infinity, Infinity];
  readonly high: Vector = [-Infinity, -Infinity, -Infinity];
  readonly largestForce: number;
  private readonly channels: (number | Curve)[];

  constructor(readonly report: Report) {
    const picture = report.head.picture!;
    this.shapes = picture.shapes;
    this.isInSpace = picture.space;
    this.isDeclared = picture.declared;
    this.channels = picture.channels.map((one) => (typeof one === 'number' ? one : (report.find(one) ?? NaN)));
    this.largestForce = this.measure();
  }

  moment(t: number): Moment {
    return { piece: this.report.pieces.at(t, this.report.pieces.runStart > this.report.pieces.runEnd), t };
  }
  number(channel: number, at: Moment): number {
    const one = this.channels[channel];
    return typeof one === 'number' ? one : one.valueIn(at.piece, at.t);
  }
  place(shape: ShapeData, k: number, at: Moment): Vector {
    const [x, y, z] = shape.places[k];
    return [this.number(x, at), this.number(y, at), this.number(z, at)];
  }
  /// As a quaternion, scalar part first.
  turn(shape: ShapeData, at: Moment): [number, number, number, number] {
    const values = shape.turn.map((channel) => this.number(channel, at));
    if (values.length === 4) return values as [number, number, number, number];
    const half = (values[0] ?? 0) / 2;
    return [Math.cos(half), 0, 0, Math.sin(half)];
  }
  angle(shape: ShapeData, at: Moment): number {
    const [w, , , z] = this.turn(shape, at);
    return shape.turn.length === 1 ? this.number(shape.turn[0], at) : 2 * Math.atan2(z, w);
  }
  /// How brightly a touch flashes: 1 at its event, 0 after a while that is a share of what is shown.
  flash(shape: ShapeData, t: number, while_: number): number {
    let light = 0;
    for (const row of shape.events ?? []) {
      const since = Math.abs(t - this.report.events[row].t);
      if (t >= this.report.events[row].t || since < while_ * 1e-3) light = Math.max(light, 1 - since / while_);
    }
    return light;
  }

  private measure(): number {
    const { pieces } = this.report;
    const steps = 400;
    const within = this.shapes.filter((shape) => shape.kind !== 'floor'); // floors go on beyond what is shown
    const shown = within.length > 0 ? within : this.shapes;
    let force = 0;
    for (let k = 0; k <= steps; ++k) {
      const at = this.moment(pieces.first + ((pieces.last - pieces.first) * k) / steps);
      for (const shape of shown) {
        if (shape.kind === 'arrow') force = Math.max(force, Math.hypot(...this.place(shape, 1, at)) || 0);
        if (shape.force !== undefined) force = Math.max(force, Math.abs(this.number(shape.force, at)) || 0);
        const around = shape.kind === 'box' ? Math.hypot(...shape.sizes) / 2 : shape.kind === 'floor' ? shape.sizes[0] / 2 : shape.numbers.length ? this.number(shape.numbers[0], at) : 0;
        const places = shape.kind === 'arrow' || shape.kind === 'touch' ? 1 : shape.places.length;
        for (let p = 0; p < places; ++p) {
          this.place(shape, p, at).forEach((value, axis) => {
            if (!Number.isFinite(value)) return;
            const reach = shape.kind === 'floor' && axis === 2 ? 0 : around;
            this.low[axis] = Math.min(this.low[axis], value - reach);
            this.high[axis] = Math.max(this.high[axis], value + reach);
          });
        }
      }
    }
    for (let axis = 0; axis < 3; ++axis)
      if (!(this.low[axis] <= this.high[axis])) [this.low[axis], this.high[axis]] = [-1, 1];
    return force;
  }
}

/// The window of time that a trace covers, as moments.
export function traceMoments(picture: PictureData, seconds: number, now: number): Moment[] {
  const { pieces } = picture.report;
  const from = Math.max(pieces.first, now - seconds);
  const [first, last] = [pieces.at(from), pieces.at(now, true)];
  const moments: Moment[] = [];
  const stride = Math.max(1, Math.ceil((last - first + 1) / 400));
  const points = Math.max(1, Math.min(24, Math.ceil(400 / Math.max(1, last - first + 1))));
  for (let piece = first; piece <= last; piece += stride) {
    const a = Math.max(from, pieces.starts[piece]);
    const b = Math.min(now, pieces.ends[piece]);
    for (let k = 0; k <= points; ++k) moments.push({ piece, t: a + ((b - a) * k) / points });
  }
  return moments;
}
