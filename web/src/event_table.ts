// Every event as a row that centres the plots on it and shows the values before and after.
import type { Curve } from './curve';
import type { EventRow } from './data';
import { element } from './element';
import { exactTime, formatValue, type View } from './view';

const page = 100;

/// The mode after an event; of one of many parts what the event has changed.
function changes(event: EventRow): string {
  const parts = event.after.split(', ');
  if (parts.length <= 3) return event.after;
  const before = new Set(event.before.split(', '));
  return parts.filter((part) => !before.has(part)).join(', ') || 'as before';
}

export class EventTable {
  readonly element: HTMLElement;
  private readonly body = element('tbody');
  private readonly more = element('button', { type: 'button', className: 'small' }, 'more');
  private readonly filter = element('input', { type: 'search', placeholder: 'name, kind or mode', 'aria-label': 'show events whose name, kind or mode has this in it' });
  private readonly both = element('div', { className: 'both', 'aria-live': 'polite' });
  private shown = page;

  constructor(
    private readonly view: View,
    private readonly curves: () => Curve[],
  ) {
    const head = element('tr', {}, ...['t', 'kind', 'what', 'mode after', 'notes'].map((word) => element('th', { scope: 'col' }, word)));
    this.filter.oninput = () => {
      this.shown = page;
      this.fill();
    };
    this.more.onclick = () => {
      this.shown += page;
      this.fill();
    };
    this.element = element('div', {}, element('div', { className: 'bar' }, this.filter, this.both), element('div', { className: 'scroll' }, element('table', { className: 'events' }, element('thead', {}, head), this.body)), this.more);
    this.fill();
    view.onChange(() => this.mark());
  }

  private fill(): void {
    const wanted = this.filter.value.trim().toLowerCase();
    const { events } = this.view.report;
    const rows: number[] = [];
    let count = 0;
    events.forEach((event, row) => {
      if (wanted && !`${event.names.join(' ')} ${event.kind} ${event.after}`.toLowerCase().includes(wanted)) return;
      if (++count <= this.shown) rows.push(row);
    });
    this.body.replaceChildren(
      ...rows.map((row) => {
        const event = events[row];
        const jump = element('button', { type: 'button', className: 'link', 'data-row': String(row) }, exactTime(event.t));
        jump.onclick = () => this.view.choose(row);
        return element('tr', { 'data-row': String(row) }, element('td', {}, jump), element('td', {}, event.kind), element('td', {}, event.names.join(', ')), element('td', { title: event.after }, changes(event)), element('td', {}, event.notes.join('; ')));
      }),
    );
    this.more.hidden = count <= this.shown;
    this.more.textContent = `${Math.min(page, count - this.shown)} more of ${count}`;
    this.mark();
  }

  private mark(): void {
    const { event, report } = this.view;
    for (const row of this.body.rows) row.classList.toggle('chosen', row.dataset.row === String(event));
    if (event < 0) {
      this.both.textContent = '';
      return;
    }
    const { t } = report.events[event];
    this.both.textContent =
      `t = ${exactTime(t)}: ` +
      this.curves()
        .slice(0, 6)
        .map((curve) => `${curve.name} ${formatValue(report.value(curve, t, true), curve)} → ${formatValue(report.value(curve, t), curve)}`)
        .join(', ');
  }
}
