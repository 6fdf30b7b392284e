import { StatementFault } from './statement.ts';

/** In characters: far more than any bank writes into a line, and little memory. */
const LONGEST_LINE = 1024 * 1024;
/** Some bank files use lone carriage returns, or other line ends than the standard requires. */
const LINE_END = /\r\n|\r|\n/g;

/**
 * The lines of a text that arrives in pieces; those that one piece completes are yielded together. The last one is the
 * text after the last line end.
 * @throws StatementFault for a line that is too long
 */
export async function* linesOf(text: AsyncIterable<string>): AsyncGenerator<readonly string[]> {
  let rest = '';
  let count = 0;
  for await (const piece of text) {
    const whole = rest + piece;
    const lines: string[] = [];
    let from = 0;
    // A carriage return at the end may be half of a line end.
    const end = whole.endsWith('\r') ? whole.length - 1 : whole.length;
    for (const found of whole.slice(0, end).matchAll(LINE_END)) {
      lines.push(whole.slice(from, found.index));
      from = found.index + found[0].length;
    }
    rest = whole.slice(from);
    count += lines.length;
    if (rest.length > LONGEST_LINE) {
      throw new StatementFault('the line is too long', `line ${count + 1}`, 'STATEMENT_FILE_TOO_LARGE');
    }
    if (lines.length > 0) yield lines;
  }
  yield rest.endsWith('\r') ? [rest.slice(0, -1), ''] : [rest];
}
