// The picture in the plane, on a canvas.
import { color, curveColor, prepare } from './element';
import { type PictureData, traceMoments, type Vector } from './picture';

export class Plane {
  constructor(
    private readonly canvas: HTMLCanvasElement,
    private readonly picture: PictureData,
  ) {}

  draw(now: number, width: number, height: number, flashTime: number): void {
    const context = prepare(this.canvas, width, height);
    const { picture } = this;
    const { low, high } = picture;
    const [w, h] = [Math.max(high[0] - low[0], 1e-300), Math.max(high[1] - low[1], 1e-300)];
    const size = Math.max(w, h);
    const scale = 0.88 * Math.min(width / Math.max(w, size * 0.05), height / Math.max(h, size * 0.05));
    const x = (at: Vector) => width / 2 + (at[0] - (low[0] + high[0]) / 2) * scale;
    const y = (at: Vector) => height / 2 - (at[1] - (low[1] + high[1]) / 2) * scale;
    const line = (points: Vector[]) => {
      context.beginPath();
      points.forEach((one, i) => (i ? context.lineTo(x(one), y(one)) : context.moveTo(x(one), y(one))));
      context.stroke();
    };
    const at = picture.moment(now);
    context.lineCap = 'round';
    context.lineJoin = 'round';
    picture.shapes.forEach((shape, i) => {
      const [a, b] = [picture.place(shape, 0, at), shape.places[1] ? picture.place(shape, 1, at) : null];
      const radius = shape.numbers.length ? picture.number(shape.numbers[0], at) * scale : 0;
      context.strokeStyle = color('--body-line');
      context.fillStyle = color('--body');
      context.lineWidth = 2;
      switch (shape.kind) {
        case 'rod':
          context.lineWidth = Math.max(3, shape.sizes[0] * scale);
          line([a, b!]);
          break;
        case 'spring':
          line(coil(a, b!, size));
          break;
        case 'wall':
          context.strokeStyle = color('--text-soft');
          line([a, b!]);
          hatch(context, x(a), y(a), x(b!), y(b!));
          break;
        case 'ring':
        case 'disk':
        case 'sphere': {
          const shown = Math.max(radius, shape.kind === 'ring' ? 1 : 4);
          context.beginPath();
          context.arc(x(a), y(a), shown, 0, 7);
          if (shape.kind !== 'ring') context.fill();
          context.stroke();
          if (shape.turn.length > 0) {
            const angle = picture.angle(shape, at);
            context.beginPath();
            context.moveTo(x(a), y(a));
            context.lineTo(x(a) + shown * Math.cos(angle), y(a) - shown * Math.sin(angle));
            context.stroke();
          }
          break;
        }
        case 'box': {
          context.save();
          context.translate(x(a), y(a));
          context.rotate(-picture.angle(shape, at));
          const [bw, bh] = [shape.sizes[0] * scale, shape.sizes[1] * scale];
          context.fillRect(-bw / 2, -bh / 2, bw, bh);
          context.strokeRect(-bw / 2, -bh / 2, bw, bh);
          context.restore();
          break;
        }
        case 'trace':
          context.strokeStyle = curveColor(i);
          context.lineWidth = 1.2;
          context.globalAlpha = 0.7;
          line(traceMoments(picture, shape.sizes[0] ?? Infinity, now).map((moment) => picture.place(shape, 0, moment)));
          context.globalAlpha = 1;
          break;
        case 'touch': {
          const light = picture.flash(shape, now, flashTime);
          if (light > 0) {
            context.globalAlpha = light;
            context.fillStyle = color('--event');
            context.beginPath();
            context.arc(x(a), y(a), 6 + 10 * light, 0, 7);
            context.fill();
            context.globalAlpha = 1;
          }
          if (shape.force !== undefined && b) {
            const force = picture.number(shape.force, at);
            const length = Math.hypot(b[0], b[1]) || 1;
            this.arrow(context, x(a), y(a), (b[0] / length) * force, (b[1] / length) * force, Math.min(width, height));
          }
          break;
        }
        case 'arrow':
          this.arrow(context, x(a), y(a), b![0], b![1], Math.min(width, height));
          break;
      }
    });
  }

  private arrow(context: CanvasRenderingContext2D, x: number, y: number, fx: number, fy: number, size: number): void {
    const most = this.picture.largestForce;
    const force = Math.hypot(fx, fy);
    if (!(most > 0) || !(force > most * 1e-3)) return;
    const length = size * 0.25 * Math.sqrt(Math.min(1, force / most)); // small forces are seen too
    const [dx, dy] = [(fx / force) * length, (-fy / force) * length];
    context.strokeStyle = context.fillStyle = color('--force');
    context.lineWidth = 2.5;
    context.beginPath();
    context.moveTo(x, y);
    context.lineTo(x + dx, y + dy);
    context.stroke();
    const angle = Math.atan2(dy, dx);
    context.beginPath();
    context.moveTo(x + dx, y + dy);
    for (const side of [-1, 1]) context.lineTo(x + dx - 9 * Math.cos(angle + side * 0.4), y + dy - 9 * Math.sin(angle + side * 0.4));
    context.fill();
  }
}

function coil(a: Vector, b: Vector, size: number): Vector[] {
  const [dx, dy] = [b[0] - a[0], b[1] - a[1]];
  const length = Math.hypot(dx, dy) || 1;
  const turns = 8;
  const wide = size * 0.02;
  const points: Vector[] = [a];
  for (let k = 0; k < 2 * turns; ++k) {
    const along = 0.15 + (0.7 * (k + 0.5)) / (2 * turns);
    const aside = (k % 2 ? wide : -wide) / length;
    points.push([a[0] + dx * along - dy * aside, a[1] + dy * along + dx * aside, 0]);
  }
  return [...points, b];
}

function hatch(context: CanvasRenderingContext2D, x0: number, y0: number, x1: number, y1: number): void {
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (!(length > 0)) return;
  const [ux, uy] = [(x1 - x0) / length, (y1 - y0) / length];
  context.lineWidth = 1;
  context.beginPath();
  for (let along = 0; along <= length; along += 9) {
    const [px, py] = [x0 + ux * along, y0 + uy * along];
    context.moveTo(px, py);
    context.lineTo(px - 6 * ux - 6 * uy, py - 6 * uy + 6 * ux);
  }
  context.stroke();
}
