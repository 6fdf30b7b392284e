import { StatementFault } from './statement.ts';

/** Characters of one line: no bank's is as long, and each is held in memory. */
const LONGEST_LINE = 256 * 1024;
const LINE_END = /\r\n|\r|\n/g;

/** The lines of a text that comes in pieces of any length, without their ends. @throws StatementFault */
export async function* textLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let open: string[] = [];
  let length = 0;
  let afterReturn = false;
  for await (const given of text) {
    // A line end that is cut in two is one all the same.
    const piece = afterReturn && given.startsWith('\n') ? given.slice(1) : given;
    if (given !== '') afterReturn = given.endsWith('\r');
    let from = 0;
    for (const end of piece.matchAll(LINE_END)) {
      const line = open.join('') + piece.slice(from, end.index);
      if (line.length > LONGEST_LINE) throw tooLong();
      yield line;
      open = [];
      length = 0;
      from = end.index + end[0].length;
    }
    open.push(piece.slice(from));
    length += piece.length - from;
    if (length > LONGEST_LINE) throw tooLong();
  }
  if (length > 0) yield open.join('');
}

function tooLong(): StatementFault {
  return new StatementFault('a line is too long', null, 'STATEMENT_FILE_TOO_LARGE');
}
