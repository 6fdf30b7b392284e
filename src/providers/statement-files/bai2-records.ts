import { StatementFault } from './statement.ts';
import { linesOf } from './text-lines.ts';

/** Characters of a record including its continuations. */
const LONGEST = 256 * 1024;

/** A logical record: its code, the text after it, and the line at which it starts. */
export type Bai2Record = { readonly code: string; readonly text: string; readonly line: number };

/**
 * The records of a BAI2 file, each with its continuations (88). If the record ended with `/`, a continuation adds
 * fields; otherwise it continues the text.
 * @throws StatementFault
 */
export async function* bai2Records(text: AsyncIterable<string>): AsyncGenerator<Bai2Record> {
  let open: { code: string; parts: string[]; line: number } | null = null;
  let [line, length] = [0, 0];
  const record = (): Bai2Record | null =>
    open === null ? null : { code: open.code, text: joined(open.parts), line: open.line };
  for await (const given of eachLine(text)) {
    line += 1;
    const written = given.replaceAll('\u0000', '').trim();
    if (written === '' || written === '\u001a') continue;
    const [, code, rest = ''] = /^(\d\d)(?:,(.*))?$/.exec(written) ?? [];
    if (code === undefined) throw new StatementFault('a line is not a BAI2 record', `line ${line}`);
    if (code === '88') {
      if (open === null) throw new StatementFault('a continuation (88) follows no record', `line ${line}`);
      length += rest.length;
      if (length > LONGEST)
        throw new StatementFault('a record is too long', `line ${line}`, 'STATEMENT_FILE_TOO_LARGE');
      open.parts.push(rest);
      continue;
    }
    const before = record();
    if (before !== null) yield before;
    open = { code, parts: [rest], line };
    length = rest.length;
  }
  const last = record();
  if (last !== null) yield last;
}

async function* eachLine(text: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const lines of linesOf(text)) yield* lines;
}

function joined(parts: readonly string[]): string {
  const [first = '', ...others] = parts;
  const whole = [first.replace(/\/$/, '')];
  let before = first;
  for (const part of others) {
    whole.push(before.endsWith('/') ? ',' : ' ', part.replace(/\/$/, ''));
    before = part;
  }
  return whole.join('');
}
