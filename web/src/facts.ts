// What the run says in words and tables.
import type { Report } from './data';
import { element, section } from './element';

const longest = 3000; // characters: what is longer is closed at first
const most = 40; // rows

export function facts(report: Report): HTMLElement {
  const { head } = report;
  const tables = head.facts.map(([heading, rows]) =>
    section(heading, heading !== 'Options' && rows.length < most, element('table', { className: 'facts' }, element('tbody', {}, ...rows.map(([label, words]) => element('tr', {}, element('th', { scope: 'row' }, label), element('td', {}, words)))))),
  );
  const texts = head.texts.map(([heading, text]) => section(heading, text.length < longest, element('pre', {}, text)));
  return element('div', { className: 'columns' }, ...tables, ...texts);
}

export function messages(report: Report, isWanted: (level: string) => boolean): HTMLElement[] {
  return report.head.messages.filter((message) => isWanted(message.level)).map((message) => element('p', { className: `message ${message.level === 'note' ? 'note' : 'warning'}` }, element('b', {}, `${message.level}: `), message.text));
}
