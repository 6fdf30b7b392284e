import { styleText } from 'node:util';
import { say } from '../say.ts';

export type Column<Row> = {
  readonly title: string;
  readonly of: (row: Row) => string | number | null | undefined;
  /** Numbers end under each other. */
  readonly right?: true;
  /** Coloured on a terminal, unless `NO_COLOR`; the text alone says as much. */
  readonly tone?: (row: Row) => Tone | null;
};

export type Tone = 'good' | 'warn' | 'bad';
const COLOURS = { good: 'green', warn: 'yellow', bad: 'red' } as const;

const WIDEST = 48;

/** One JSON text a line, so that a script can read each as it comes. */
export function sayJson(value: unknown): void {
  say(JSON.stringify(value));
}

/** Columns as wide as what is in them, at most 48 characters; the head in bold on a terminal, unless `NO_COLOR`. */
export function sayTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void {
  const cells = rows.map((row) => columns.map((column) => shown(column.of(row))));
  const widths = columns.map(({ title }, at) =>
    Math.max(title.length, ...cells.map((line) => Array.from(line[at] ?? '').length)),
  );
  const line = (texts: readonly string[], row: Row | null): string =>
    texts
      .map((text, at) => {
        const column = columns[at];
        const isLast = at === texts.length - 1 && !column?.right;
        const space = isLast ? '' : ' '.repeat(Math.max(0, (widths[at] ?? 0) - Array.from(text).length));
        const tone = row === null ? null : (column?.tone?.(row) ?? null);
        const painted = tone === null ? text : styleText(COLOURS[tone], text, { stream: process.stdout });
        return column?.right ? space + painted : painted + space;
      })
      .join('  ')
      .trimEnd();
  const titles = columns.map(({ title }) => title);
  say(styleText('bold', line(titles, null), { stream: process.stdout }));
  for (const [at, row] of rows.entries()) say(line(cells[at] ?? [], row));
}

/** Facts of one thing, a line each; what is not there is left out. */
export function sayFacts(facts: readonly (readonly [name: string, value: string | number | null | undefined])[]): void {
  const there = facts.filter(([, value]) => value !== null && value !== undefined && value !== '');
  const width = Math.max(...there.map(([name]) => name.length));
  for (const [name, value] of there) {
    say(`${styleText('bold', name.padEnd(width), { stream: process.stdout })}  ${onOneLine(value)}`);
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a bank's text must not control the terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

export function onOneLine(value: string | number | null | undefined): string {
  return String(value ?? '').replaceAll(CONTROL, ' ');
}

function shown(value: string | number | null | undefined): string {
  const text = onOneLine(value);
  const characters = Array.from(text);
  return characters.length <= WIDEST ? text : `${characters.slice(0, WIDEST - 1).join('')}…`;
}
