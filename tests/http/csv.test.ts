import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import Papa from 'papaparse';
import { describe, expect, it } from 'vitest';
import { type Cell, type CsvDialect, csvHeader, csvLines } from '../../src/http/core/csv.ts';

const SEPARATORS = [',', ';', '\t'];
/** What a reader may stumble over, in any order and number. */
const awkward = fc
  .array(
    fc.constantFrom('\r', '\n', '\r\n', '"', '""', ',', ';', '\t', '=', '+', '-', '@', "'", ' ', '\uFEFF', 'a', '＝'),
  )
  .map((parts) => parts.join(''));
const text = fc.oneof(awkward, fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'Çiğdem', '2026-01-05'));
const number = fc
  .tuple(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), fc.stringMatching(/^\d{1,5}$/))
  .map(([whole, fraction]) => ({ number: `${whole}.${fraction}` }));
const cell: fc.Arbitrary<Cell> = fc.oneof(text, text, number, fc.boolean(), fc.constant(null));
const dialect: fc.Arbitrary<CsvDialect> = fc.record({
  separator: fc.constantFrom(...SEPARATORS),
  decimal: fc.constantFrom('.', ','),
  bom: fc.boolean(),
});

/** What a reader is to see: text that a spreadsheet would run has an apostrophe before it. */
function shown(value: Cell, { decimal }: CsvDialect): string {
  if (value === null) return '';
  if (typeof value === 'object') return value.number.replace('.', decimal);
  if (typeof value === 'boolean') return String(value);
  return /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/.test(value) ? `'${value}` : value;
}

/** The least patient of readers: outside of quotes CR, LF and CRLF each end a line. */
function readLines(written: string, separator: string): string[][] {
  const lines: string[][] = [];
  let [line, field, isQuoted]: [string[], string, boolean] = [[], '', false];
  for (let at = 0; at < written.length; at += 1) {
    const letter = written[at] ?? '';
    if (isQuoted && letter === '"' && written[at + 1] === '"') {
      field += letter;
      at += 1;
    } else if (letter === '"') isQuoted = !isQuoted;
    else if (isQuoted) field += letter;
    else if (letter === separator || letter === '\r' || letter === '\n') {
      line.push(field);
      field = '';
      if (letter === separator) continue;
      lines.push(line);
      line = [];
      if (letter === '\r' && written[at + 1] === '\n') at += 1;
    } else field += letter;
  }
  return lines;
}

describe('CSV', () => {
  it('is read back by an independent parser as it was written, whatever the cells hold', () => {
    const tables = fc
      .integer({ min: 1, max: 5 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(tables, dialect, (rows, asked) => {
        const names = (rows[0] ?? []).map((_, nth) => `column ${nth}`);
        // The parser finds out for itself what ends a line, as spreadsheets do.
        const written = csvHeader(names, asked) + csvLines(rows, asked);
        const { data, errors } = Papa.parse<string[]>(written, { delimiter: asked.separator });
        expect(errors).toEqual([]);
        // What comes after the last line's end is no line.
        expect(data.at(-1)).toEqual(['']);
        const expected = [names, ...rows.map((row) => row.map((value) => shown(value, asked)))];
        expect(data.slice(0, -1)).toEqual(expected);
        expect(readLines(asked.bom ? written.slice(1) : written, asked.separator)).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is written as csv-stringify writes it', () => {
    const tables = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }),
      );
    fc.assert(
      fc.property(tables, dialect, (rows, asked) => {
        const texts = rows.map((row) => row.map((value) => shown(value, asked)));
        const options = { delimiter: asked.separator, record_delimiter: '\r\n', quoted_match: /["\r\n]/ };
        const expected = stringify(texts, { ...options, quoted_empty: texts[0]?.length === 1 });
        expect(csvLines(rows, asked)).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each(['\r', '\n', '\r\n', '"', ','])('quotes a cell with %j in it, as RFC 4180 asks', (part) => {
    const [quoted] = csvLines([[`a${part}b`, 'c']], { separator: ',', decimal: '.', bom: false }).split(',c');
    expect(quoted).toBe(`"a${part.replace('"', '""')}b"`);
  });
});
