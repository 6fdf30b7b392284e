import { Readable } from 'node:stream';
import { CsvError, parse } from 'csv-parse';
import { StatementFault } from './statement.ts';

/** The most characters of one row and of one line: no bank writes as many, and each is held in memory. */
const LONGEST_ROW = 256 * 1024;

/** A row's cells, trimmed, and the line at which it ends. */
export type CsvRecord = { readonly cells: readonly string[]; readonly line: number };

/**
 * The rows of a CSV text that are not blank (RFC 4180; a quotation mark inside a cell that does not start with one is
 * literal).
 * @throws StatementFault
 */
export async function* csvRecords(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<CsvRecord> {
  const parser = parse({
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
  });
  const source = Readable.from(withShortLines(text)).on('error', (error) => parser.destroy(error));
  source.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>) {
      const cells = record.map((cell) => cell.trim());
      if (cells.some((cell) => cell !== '')) yield { cells, line: info.lines };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const place = typeof error.lines === 'number' ? `line ${error.lines}` : null;
    if (error.code === 'CSV_MAX_RECORD_SIZE') throw tooLong(place);
    throw new StatementFault('a row has a quotation mark without its end', place);
  } finally {
    source.destroy();
  }
}

/**
 * The parser limits the characters of a row's cells, but not the number of empty cells; and it works on bytes, so no
 * piece may end within a character.
 */
async function* withShortLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let length = 0;
  let half = '';
  for await (const given of text) {
    const whole = half + given;
    half = /[\uD800-\uDBFF]$/.exec(whole)?.[0] ?? '';
    const piece = whole.slice(0, whole.length - half.length);
    let from = 0;
    for (const end of piece.matchAll(/[\r\n]/g)) {
      if (length + end.index - from > LONGEST_ROW) throw tooLong(null);
      length = 0;
      from = end.index + 1;
    }
    length += piece.length - from;
    if (length > LONGEST_ROW) throw tooLong(null);
    yield piece;
  }
}

function tooLong(place: string | null): StatementFault {
  return new StatementFault('a row is too long', place, 'STATEMENT_FILE_TOO_LARGE');
}
