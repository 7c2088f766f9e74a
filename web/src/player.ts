// Play, pause and scrub: the picture in step with the mark in the plots.
import { element, section } from './element';
import { PictureData } from './picture';
import { Plane } from './plane';
import { exactTime, type View } from './view';

export interface Stage {
  draw(now: number, width: number, height: number, flashTime: number): void;
}

/// What the second script, for space, offers; it is in the file where the picture needs it.
declare global {
  interface Window {
    pawlSpace?: (canvas: HTMLCanvasElement, picture: PictureData, repaint: () => void) => Stage;
  }
}

export class Player {
  readonly element: HTMLElement;
  readonly canvas = element('canvas', { className: 'picture', role: 'img', 'aria-label': 'the mechanism at the time of the mark' });
  readonly scrub = element('input', { type: 'range', min: '0', max: '10000', value: '0', className: 'scrub', 'aria-label': 'time of the picture' });
  private readonly button = element('button', { type: 'button', className: 'play', 'aria-label': 'play' }, '▶');
  private readonly speed = element('select', { 'aria-label': 'speed' });
  private readonly clock = element('span', { className: 'clock soft' });
  private readonly stage: Stage | null;
  private running = 0;
  private last = 0;

  constructor(private readonly view: View) {
    const picture = new PictureData(view.report);
    this.stage = picture.isInSpace ? this.space(picture) : new Plane(this.canvas, picture);
    const length = view.report.pieces.last - view.report.pieces.first;
    for (const [text, seconds] of [['in 5 s', 5], ['in 10 s', 10], ['in 30 s', 30], ['in 2 min', 120]] as const) this.speed.append(element('option', { value: String(length / seconds), selected: seconds === 10 }, text));
    this.speed.append(element('option', { value: '1' }, 'real time'));
    this.button.onclick = () => (this.running ? this.stop() : this.play());
    this.scrub.oninput = () => {
      this.stop();
      const [first, last] = [view.report.pieces.first, view.report.pieces.last];
      view.setNow(first + ((last - first) * Number(this.scrub.value)) / 10000);
    };
    view.onNow(() => this.draw());
    this.canvas.hidden = this.stage === null;
    const hint = !picture.isInSpace ? '' : this.stage ? ' Drag or arrow keys turn, wheel or + and - zoom.' : ' This browser has no WebGL: a picture in space cannot be drawn.';
    const origin = picture.isDeclared ? '' : 'The model declares no picture: this is what its coordinates say.';
    this.element = section('Picture', true, element('div', { className: 'card' }, this.canvas, element('div', { className: 'bar' }, this.button, this.scrub, this.speed, this.clock), element('div', { className: 'soft' }, origin, element('span', { className: 'screen' }, hint))));
  }

  private space(picture: PictureData): Stage | null {
    try {
      return window.pawlSpace?.(this.canvas, picture, () => this.draw()) ?? null;
    } catch {
      return null; // the rest of the page is of use without it
    }
  }

  toggle(): void {
    this.button.click();
  }
  draw(): void {
    const { pieces } = this.view.report;
    const width = (this.canvas.parentElement?.clientWidth ?? 0) - 2;
    const length = pieces.last - pieces.first;
    const wide = this.view.time(this.view.max) - this.view.time(this.view.min);
    if (width > 0) this.stage?.draw(this.view.now, width, Math.max(260, Math.min(480, width * 0.62)), Math.min(length / 25, wide / 5));
    this.scrub.value = String(Math.round(((this.view.now - pieces.first) / (length || 1)) * 10000));
    this.clock.textContent = `t = ${exactTime(Number(this.view.now.toPrecision(8)))}`;
  }

  private play(): void {
    const { pieces } = this.view.report;
    if (this.view.now >= pieces.last) this.view.setNow(pieces.first);
    this.button.textContent = '❚❚';
    this.button.setAttribute('aria-label', 'pause');
    this.last = performance.now();
    const frame = (time: number) => {
      this.view.setNow(this.view.now + (Math.max(0, time - this.last) / 1000) * Number(this.speed.value));
      this.last = time;
      if (this.view.now >= pieces.last) this.stop();
      else this.running = requestAnimationFrame(frame);
    };
    this.running = requestAnimationFrame(frame);
  }
  private stop(): void {
    cancelAnimationFrame(this.running);
    this.running = 0;
    this.button.textContent = '▶';
    this.button.setAttribute('aria-label', 'play');
  }
}
