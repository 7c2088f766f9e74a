// The list of everything that can be drawn: a click shows it in the chosen plot or takes it away.
import type { Curve } from './curve';
import { element } from './element';
import type { View } from './view';

const most = 150;

export class Variables {
  readonly element: HTMLElement;
  private readonly list = element('div', { className: 'variables', role: 'group', 'aria-label': 'variables' });
  private readonly filter = element('input', { type: 'search', placeholder: 'find a variable', 'aria-label': 'find a variable' });

  constructor(
    private readonly view: View,
    private readonly isShown: (curve: Curve) => boolean,
    private readonly toggle: (curve: Curve) => void,
  ) {
    this.filter.oninput = () => this.fill();
    this.element = element('div', {}, this.filter, this.list);
    this.fill();
  }

  fill(): void {
    const wanted = this.filter.value.trim().toLowerCase();
    const all = this.view.report.curves.filter((curve) => curve.name.toLowerCase().includes(wanted));
    const buttons: Node[] = all.slice(0, most).map((curve) => {
      const button = element('button', { type: 'button', className: 'variable', 'aria-pressed': String(this.isShown(curve)), title: `${curve.kind}${curve.note ? `; ${curve.note}` : ''}` }, curve.name);
      button.onclick = () => {
        this.toggle(curve);
        button.setAttribute('aria-pressed', String(this.isShown(curve)));
      };
      return button;
    });
    if (all.length > most) buttons.push(element('div', { className: 'soft' }, `and ${all.length - most} more: find them by name`));
    this.list.replaceChildren(...buttons);
  }
}
