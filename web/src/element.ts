// Elements are made here, with text as text: no name or message is ever read as HTML.

type Child = Node | string;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]> & { [attribute: `aria-${string}` | `data-${string}`]: string; role?: string } = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('aria-') || name.startsWith('data-') || name === 'role') made.setAttribute(name, String(value));
    else Object.assign(made, { [name]: value });
  }
  made.append(...children);
  return made;
}

/// A part of the page with a heading that opens and closes it.
export function section(title: string, isOpen: boolean, ...children: Child[]): HTMLDetailsElement {
  const made = element('details', { open: isOpen, className: 'section' }, element('summary', {}, title), ...children);
  return made;
}

export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/// Colours told apart by all (tests/report/colours.py), near those of Okabe and Ito; with dashes after the first round.
export function curveColor(i: number): string {
  return color(`--curve-${i % 7}`);
}
export function curveDash(i: number): number[] {
  return [[], [8, 4], [2, 3], [10, 3, 2, 3]][Math.floor(i / 7) % 4];
}

/// A canvas as sharp as the screen; draws in CSS pixels.
export function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
