// The page: reads the data that is in the file and builds everything else.
import { Change, type Curve } from './curve';
import { load, type Report } from './data';
import { element, section } from './element';
import { EventTable } from './event_table';
import { facts, messages } from './facts';
import { Lanes } from './lanes';
import { PhasePlot } from './phase_plot';
import { Player } from './player';
import { TimePlot } from './time_plot';
import { Variables } from './variables';
import { exactTime, View } from './view';

class Page {
  readonly view: View;
  readonly plots: TimePlot[] = [];
  readonly phases: PhasePlot[] = [];
  readonly others: TimePlot[] = []; // steps, drift
  private active: TimePlot | null = null;
  private onScreen: { theme?: string; closed: HTMLDetailsElement[] } = { closed: [] }; // while the page is printed
  private readonly stack = element('div', { className: 'stack' });
  private readonly over = element('div', { className: 'stack' }); // above it: what is drawn over something else than time
  private readonly lanes: Lanes;
  private readonly variables: Variables;
  readonly player: Player | null;

  constructor(readonly report: Report, root: HTMLElement) {
    const { head } = report;
    this.view = new View(report);
    this.lanes = new Lanes(this.view, () => this.plots);
    this.variables = new Variables(this.view, (curve) => this.active?.curves.includes(curve) ?? false, (curve) => this.toggle(curve));
    this.player = head.picture && report.pieces.count > 0 ? new Player(this.view) : null;
    const variables = section('Variables', true, this.variables.element);
    variables.classList.add('screen');
    root.append(
      this.header(),
      ...messages(report, (level) => level !== 'note'),
      ...head.remarks.map((remark) => element('p', { className: 'message note' }, remark)),
      element('div', { className: 'main' }, element('div', { className: 'left' }, this.toolbar(), this.over, this.stack), element('div', { className: 'right' }, ...(this.player ? [this.player.element] : []), variables)),
    );
    if (report.events.length > 0) root.append(section(`Events (${report.events.length})`, true, new EventTable(this.view, () => this.plots.flatMap((plot) => plot.curves)).element));
    this.addDefaultPlots();
    if (report.steps.length > 0 && head.outcome !== 'compared') root.append(this.stepSection()); // files that are compared have no steps
    const drift = this.driftSection();
    if (drift) root.append(drift);
    const notes = messages(report, (level) => level === 'note');
    if (notes.length > 0) root.append(section(`Messages (${notes.length})`, true, ...notes));
    root.append(facts(report));
    root.append(element('footer', { className: 'soft' }, head.outcome === 'compared' ? '' : head.exact ? 'Numbers are as they were recorded.' : 'Curves follow the recorded polynomials to 1e-6 of their ranges; ask for an exact report for all digits.'));
    this.layout();
    new ResizeObserver(() => this.layout(true)).observe(root);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.repaint());
    document.addEventListener('keydown', (event) => {
      if (event.key === ' ' && event.target === document.body && this.player) {
        this.player.toggle();
        event.preventDefault();
      }
    });
    window.addEventListener('beforeprint', () => this.print(true));
    window.addEventListener('afterprint', () => this.print(false));
  }

  /// On paper everything is open, light, and as wide as the paper; afterwards the page is as it was.
  private print(isPrinting: boolean): void {
    const root = document.documentElement;
    if (isPrinting) {
      this.onScreen = { theme: root.dataset.theme, closed: [...document.querySelectorAll('details')].filter((one) => !one.open) };
      root.dataset.theme = 'light';
    } else {
      if (this.onScreen.theme) root.dataset.theme = this.onScreen.theme;
      else delete root.dataset.theme;
    }
    root.classList.toggle('printing', isPrinting);
    for (const one of this.onScreen.closed) one.open = isPrinting;
    this.layout(true);
    this.repaint();
  }

  private header(): HTMLElement {
    const { head } = this.report;
    const theme = element('button', { type: 'button', className: 'small', 'aria-label': 'light or dark' }, '◐');
    theme.onclick = () => {
      const isDark = getComputedStyle(document.documentElement).colorScheme.includes('dark');
      document.documentElement.dataset.theme = isDark ? 'light' : 'dark';
      this.repaint();
    };
    const outcome = element('span', { className: `outcome ${head.outcome}` }, head.outcome);
    const made = element('header', {}, element('h1', {}, head.title, ' ', outcome, theme), element('p', {}, head.summary), element('p', { className: 'soft' }, `${head.method}, t = ${exactTime(head.t_start)} to ${exactTime(head.t_end)}, ${head.counts ?? `${this.report.pieces.count} steps, ${this.report.events.length} events`}`));
    if (head.reason) made.append(element('pre', { className: 'message warning' }, head.reason));
    if (head.command) {
      const copy = element('button', { type: 'button', className: 'small' }, 'copy');
      const text = element('code', {}, head.command);
      copy.onclick = () => {
        getSelection()?.selectAllChildren(text);
        document.execCommand('copy');
      };
      made.append(element('p', { className: 'command' }, text, ' ', copy));
    }
    return made;
  }

  private toolbar(): HTMLElement {
    const button = (text: string, title: string, act: () => void) => {
      const made = element('button', { type: 'button', title, 'aria-label': title }, text);
      made.onclick = act;
      return made;
    };
    const log = element('button', { type: 'button', title: 'time since the start on a logarithmic axis', 'aria-pressed': String(this.view.isLog) }, 'log t');
    log.onclick = () => {
      this.view.setLog(!this.view.isLog);
      log.setAttribute('aria-pressed', String(this.view.isLog));
    };
    const over = element('select', { 'aria-label': 'draw the first variable of the chosen plot over this one' }, element('option', { value: '' }, 'over …'));
    for (const curve of this.report.curves.slice(0, 200)) over.append(element('option', { value: curve.name }, curve.name));
    over.onchange = () => {
      const x = this.report.find(over.value);
      const y = this.active?.curves[0];
      if (x && y) this.addPhase(y, x);
      over.value = '';
    };
    return element('div', { className: 'toolbar', role: 'toolbar', 'aria-label': 'plots' },
      button('all', 'show the whole run (0)', () => this.view.reset()),
      button('+', 'zoom in', () => this.view.zoom(0.5)),
      button('−', 'zoom out', () => this.view.zoom(2)),
      button('◀', 'earlier', () => this.view.pan(-0.25)),
      button('▶', 'later', () => this.view.pan(0.25)),
      log,
      button('+ plot', 'add an empty plot', () => this.addPlot([]).rebuild()),
      over,
    );
  }

  private addDefaultPlots(): void {
    const { report } = this;
    this.stack.append(...(this.lanes.isEmpty ? [] : [this.lanes.element]));
    const wanted = report.head.plots.map((names) => names.map((name) => report.find(name)));
    const stacked = (report.head.stacked ?? []).map((names) => names.map((name) => report.find(name)).filter((curve): curve is Curve => curve !== undefined));
    const phase = wanted.filter((curves) => curves.length === 2 && curves[0] && curves[1]) as Curve[][];
    const single = wanted.filter((curves) => curves.length === 1 && curves[0]) as Curve[][];
    const first = report.curves.filter((curve) => curve.kind === 'state' && curve.high > curve.low).slice(0, 3);
    const all = stacked.length > 0 ? stacked : single.length > 0 ? single : phase.length > 0 ? phase[0].map((curve) => [curve]) : first.map((curve) => [curve]);
    for (const curve of first) if (stacked.length === 0 && all.length < 3 && !all.some((plot) => plot.includes(curve))) all.push([curve]);
    for (const curves of all) this.addPlot(curves);
    if (all.length === 0) this.addPlot(report.curves.slice(0, 1));
    this.setActive(this.plots[0]);
    for (const [y, x] of phase) this.addPhase(y, x);
  }

  private addPlot(curves: Curve[]): TimePlot {
    const label = curves.map((curve) => curve.name).join(', ') || 'new plot';
    const plot = new TimePlot(this.view, curves, { label }, (one) => this.setActive(one), (one) => {
      if (this.plots.length < 2) return;
      this.plots.splice(this.plots.indexOf(one), 1);
      one.remove();
      this.setActive(this.plots[0]);
    });
    this.plots.push(plot);
    this.stack.insertBefore(plot.element, this.lanes.element.parentElement ? this.lanes.element : null);
    this.setActive(plot);
    return plot;
  }
  private addPhase(y: Curve, x: Curve): void {
    const plot = new PhasePlot(this.view, y, x, (one) => {
      this.phases.splice(this.phases.indexOf(one), 1);
      one.element.remove();
    });
    this.phases.push(plot);
    this.over.append(plot.element);
    plot.draw();
  }
  private setActive(plot: TimePlot): void {
    if (this.active === plot) return;
    this.active?.element.classList.remove('active');
    this.active = plot;
    plot.element.classList.add('active');
    this.variables.fill();
  }
  private toggle(curve: Curve): void {
    this.active?.toggle(curve);
  }

  private stepSection(): HTMLElement {
    const { report } = this;
    const logarithmic = report.steps.filter((curve) => curve.kind !== 'order');
    const order = report.steps.filter((curve) => curve.kind === 'order');
    const size = new TimePlot(this.view, logarithmic.slice(0, 1), { label: 'step size', log: true, height: 150 });
    this.others.push(size);
    const made = section('Steps: size, order, method', true, size.element);
    if (logarithmic.length > 1) {
      const error = new TimePlot(this.view, logarithmic.slice(1), { label: 'error estimate', log: true, height: 130 });
      this.others.push(error);
      made.append(error.element);
    }
    if (order.length > 0) {
      const plot = new TimePlot(this.view, order, { label: 'order', height: 110 });
      this.others.push(plot);
      made.append(plot.element);
    }
    if (report.methods.length > 0 && report.methodOfPiece) {
      const counts = report.methods.map(() => 0);
      for (let i = 0; i < report.methodOfPiece.length; ++i) ++counts[report.methodOfPiece[i]];
      const line = element('p', { className: 'soft' });
      this.view.onNow(() => (line.textContent = this.methodLine(counts)));
      line.textContent = this.methodLine(counts);
      made.append(line);
      if (report.methods.length > 1) {
        const of = report.methodOfPiece;
        const plot = new TimePlot(this.view, report.methods.map((name, k) => ({ name, kind: 'method', low: 0, high: 1, valueIn: (piece: number) => (of[piece] === k ? k + 1 : NaN) })), { label: 'method', height: 110 });
        this.others.push(plot);
        made.append(plot.element);
      }
    }
    return made;
  }
  private methodLine(counts: number[]): string {
    const { methods, methodOfPiece, pieces } = this.report;
    const now = methods[methodOfPiece![pieces.at(this.view.now)]];
    return `steps by method: ${methods.map((name, i) => `${name} ${counts[i]}`).join(', ')}; at the mark: ${now}`;
  }

  private driftSection(): HTMLElement | null {
    const { report } = this;
    if (report.pieces.count === 0) return null;
    const energies = report.head.energies.map((name) => report.find(name)).filter((curve): curve is Curve => curve !== undefined);
    const watched = energies.length > 0 ? energies : report.curves.filter((curve) => curve.kind === 'observable').slice(0, 1);
    const curves = [...report.drifts, ...watched.map((curve) => new Change(curve, report.pieces))];
    if (curves.length === 0 && !report.head.drift) return null;
    const made = section('Drift: residuals of constraints, change of energy since the start', true);
    if (curves.length > 0) {
      const plot = new TimePlot(this.view, curves, { label: 'drift', log: true, height: 180 });
      this.others.push(plot);
      made.append(plot.element);
    }
    if (report.head.drift && report.drifts.length === 0) made.append(element('p', { className: 'soft' }, 'all residuals of the constraints are zero at the ends of all steps'));
    return made;
  }

  layout(isResize = false): void {
    for (const plot of [...this.plots, ...this.others]) isResize ? plot.resize() : plot.rebuild();
    this.lanes.draw();
    for (const plot of this.phases) plot.draw();
    this.player?.draw();
  }
  repaint(): void {
    for (const plot of [...this.plots, ...this.others]) plot.repaint();
    this.lanes.draw();
    for (const plot of this.phases) plot.draw();
    this.player?.draw();
  }
}

declare global {
  interface Window {
    pawl?: Page & { value?: (name: string, t: number, before?: boolean) => number };
  }
}

async function begin(): Promise<void> {
  const root = document.getElementById('page')!;
  try {
    const report = await load(document.getElementById('data')!.textContent ?? '');
    root.replaceChildren();
    document.title = `${report.head.title} · pawl`;
    const page = new Page(report, root) as Window['pawl'];
    page!.value = (name, t, before = false) => {
      const curve = report.find(name);
      return curve ? report.value(curve, t, before) : NaN;
    };
    window.pawl = page;
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    root.replaceChildren(element('pre', { className: 'message warning' }, `This report cannot be shown: ${String(error)}. It needs a browser of 2023 or later.`));
    throw error;
  }
}

void begin();
