import { stringify } from 'csv-stringify/sync';

export type CsvDialect = { readonly separator: string; readonly decimal: '.' | ','; readonly bom: boolean };

/** A numeric cell; every other cell is text and escaped. */
export type Cell = string | boolean | null | { readonly number: string };

/** Characters with which a spreadsheet starts a formula, including their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Quoted besides fields with the separator: some readers take a lone CR or LF as the end of a line. */
const QUOTED = /["\r\n]/;

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * RFC 4180 lines. A text that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, CSV
 * injection); a number keeps its sign and only gets the dialect's decimal mark.
 */
export function csvLines(rows: readonly (readonly Cell[])[], { separator, decimal }: CsvDialect): string {
  const plain = rows.map((row) =>
    row.map((cell) => {
      if (cell === null) return '';
      if (typeof cell === 'boolean') return String(cell);
      if (typeof cell === 'object') return decimal === '.' ? cell.number : cell.number.replace('.', decimal);
      return FORMULA.test(cell) ? `'${cell}` : cell;
    }),
  );
  // A line with one empty cell would be an empty line.
  const options = { delimiter: separator, record_delimiter: '\r\n', quoted_match: QUOTED };
  return stringify(plain, { ...options, quoted_empty: plain[0]?.length === 1 });
}

export function csvHeader(names: readonly string[], dialect: CsvDialect): string {
  return `${dialect.bom ? BYTE_ORDER_MARK : ''}${csvLines([names], dialect)}`;
}
