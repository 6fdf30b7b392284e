import { styleText } from 'node:util';
import { say } from '../say.ts';

export type Column<Row> = {
  readonly title: string;
  readonly of: (row: Row) => string | number | null | undefined;
  /** Numbers end under each other. */
  readonly right?: true;
};

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
  const line = (texts: readonly string[]): string =>
    texts
      .map((text, at) => {
        const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - Array.from(text).length));
        return columns[at]?.right ? space + text : text + space;
      })
      .join('  ')
      .trimEnd();
  const head = line(columns.map(({ title }) => title));
  say(styleText('bold', head, { stream: process.stdout }));
  for (const texts of cells) say(line(texts));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a bank's text must not control the terminal.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;

function shown(value: string | number | null | undefined): string {
  const text = String(value ?? '').replaceAll(CONTROL, ' ');
  const characters = Array.from(text);
  return characters.length <= WIDEST ? text : `${characters.slice(0, WIDEST - 1).join('')}…`;
}
