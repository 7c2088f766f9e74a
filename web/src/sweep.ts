// The page of a sweep: what was varied and what came of it, and the command behind every run.
import { element, section } from './element';
import { loadSweep, type Quantity, type SweepData } from './sweep_data';
import { heatMap, histogram, number, parallel, scale, Scatter } from './sweep_plots';

class Page {
  private readonly scatter: Scatter;
  private readonly choices: { x: HTMLSelectElement; y: HTMLSelectElement; shading: HTMLSelectElement };
  private readonly scale = element('canvas');
  private readonly heat = element('canvas', { className: 'heat' });
  private readonly lines = element('canvas', { className: 'parallel' });
  private readonly histograms: [Quantity, HTMLCanvasElement][];
  private readonly detail = element('div', { className: 'detail' });
  private readonly left = element('div', { className: 'stack' });
  chosen = -1;

  constructor(
    readonly data: SweepData,
    root: HTMLElement,
  ) {
    const { head, quantities } = data;
    this.scatter = new Scatter(data);
    this.scatter.canvas.className = 'scatter';
    this.histograms = quantities.filter((one) => !one.isParameter).slice(0, 24).map((one) => [one, element('canvas', { className: 'histogram' })]);
    const parameters = quantities.filter((one) => one.isParameter);
    const kept = quantities.filter((one) => !one.isParameter);
    this.choices = {
      x: this.choice(parameters[0]),
      y: this.choice(kept[0]),
      shading: this.choice(parameters[1] ?? kept[0]),
    };
    root.append(
      element('h1', {}, head.title),
      element('p', {}, head.counts),
      ...head.remarks.map((text) => element('p', { className: 'soft' }, text)),
      element('div', { className: 'main' }, this.left, element('div', {}, element('h2', {}, 'One run'), this.detail, ...this.tables())),
    );
    this.left.append(
      element('div', { className: 'toolbar' }, 'across ', this.choices.x, ' up ', this.choices.y, ' colour ', this.choices.shading, this.scale),
      element('div', { className: 'card' }, this.scatter.canvas),
      section('Heat map: the mean of what is up over cells of two parameters', true, element('div', { className: 'card' }, this.heat)),
      section('Every run through all its values', true, element('div', { className: 'card' }, this.lines)),
      section('Histograms', true, element('div', { className: 'columns' }, ...this.histograms.map(([, canvas]) => canvas))),
    );
    for (const one of Object.values(this.choices)) one.addEventListener('change', () => this.draw());
    this.scatter.canvas.addEventListener('click', (event) => {
      const found = this.scatter.find(this.quantity('x'), this.quantity('y'), event.offsetX, event.offsetY);
      if (found >= 0) this.choose(found);
    });
    this.scatter.canvas.tabIndex = 0;
    this.scatter.canvas.setAttribute('role', 'group');
    this.scatter.canvas.setAttribute('aria-label', 'all runs: arrow keys choose the next one');
    this.scatter.canvas.addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by === undefined) return;
      this.choose(Math.min(data.size - 1, Math.max(0, this.chosen + by)));
      event.preventDefault();
    });
    window.addEventListener('resize', () => this.draw());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.draw());
    this.choose(-1);
  }

  private choice(first: Quantity): HTMLSelectElement {
    const made = element('select', {}, ...this.data.quantities.map((one, i) => element('option', { value: String(i) }, one.name)));
    made.value = String(Math.max(0, this.data.quantities.indexOf(first)));
    return made;
  }
  private quantity(which: 'x' | 'y' | 'shading'): Quantity {
    return this.data.quantities[Number(this.choices[which].value)];
  }

  private tables(): Node[] {
    const { head, reasons } = this.data;
    const made: Node[] = head.facts.map(([title, heads, rows]) =>
      section(title, true, element('div', { className: 'scroll' }, element('table', { className: 'numbers' }, element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', {}, text)))), element('tbody', {}, ...rows.map((row) => element('tr', {}, ...row.map((text) => element('td', {}, text)))))))),
    );
    if (reasons.size > 0) {
      const rows = [...reasons].map(([run, reason]) => {
        const link = element('button', { className: 'link' }, String(run));
        link.addEventListener('click', () => this.choose(this.data.row(run)));
        return element('tr', {}, element('td', {}, link), element('td', {}, reason));
      });
      made.push(section('Runs without values', true, element('div', { className: 'scroll failed' }, element('table', {}, element('tbody', {}, ...rows)))));
    }
    return made;
  }

  choose(row: number): void {
    this.chosen = row;
    const { data } = this;
    if (row < 0) {
      this.detail.replaceChildren(element('p', { className: 'soft' }, 'Click a dot to see its values and its command.'));
    } else {
      const run = data.runs[row];
      const reason = data.reasons.get(run);
      this.detail.replaceChildren(
        element('p', {}, `run ${run}: ${data.head.words[data.outcomes[row]]}`),
        ...(reason ? [element('p', { className: 'message warning' }, reason)] : []),
        element('pre', { className: 'command' }, data.command(row)),
        element('table', { className: 'facts' }, element('tbody', {}, ...data.quantities.map((one) => element('tr', {}, element('th', {}, one.name), element('td', {}, number(one.values[row])))))),
      );
    }
    this.draw();
  }

  draw(): void {
    const width = Math.max(320, this.left.clientWidth - 4);
    const [x, y, shading] = [this.quantity('x'), this.quantity('y'), this.quantity('shading')];
    scale(this.scale, shading);
    this.scatter.draw(x, y, shading, this.chosen, width);
    const other = this.data.quantities.find((one) => one.isParameter && one !== x) ?? y;
    heatMap(this.heat, x, other, y, width);
    parallel(this.lines, this.data, this.data.quantities.slice(0, 12), shading, this.chosen, width);
    for (const [one, canvas] of this.histograms) histogram(canvas, one, 400);
  }
}

async function begin(): Promise<void> {
  const root = document.getElementById('page')!;
  try {
    const data = await loadSweep(document.getElementById('data')!.textContent ?? '');
    root.replaceChildren();
    document.title = `${data.head.title} · pawl`;
    Object.assign(window, { sweep: new Page(data, root) });
    document.documentElement.dataset.ready = 'yes';
  } catch (error) {
    root.replaceChildren(element('pre', { className: 'message warning' }, `This report cannot be shown: ${String(error)}. It needs a browser of 2023 or later.`));
    throw error;
  }
}

void begin();
