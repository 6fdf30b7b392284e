export type CsvDialect = { readonly separator: string; readonly decimal: '.' | ','; readonly bom: boolean };

/** A numeric cell; every other cell is text and escaped. */
export type Cell = string | boolean | null | { readonly number: string };

/** Characters with which a spreadsheet starts a formula, including their full-width forms. */
const FORMULA = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/;

/** Quoted besides fields with the separator: some readers take a lone CR or LF as the end of a line. */
const QUOTED = /["\r\n]/;

/** What most cells have nothing of. */
const SPECIAL = /^[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]|["\r\n]/;

const BYTE_ORDER_MARK = '\uFEFF';
export const LINE_END = '\r\n';

/**
 * Writes one cell. A text that a spreadsheet would take for a formula gets an apostrophe before it (OWASP, CSV
 * injection); a number keeps its sign and only gets the dialect's decimal mark.
 *
 * Not by a library: `csv-stringify` took as long as reading and parsing a row. It is what the tests compare with.
 * @param width the number of cells of each line
 */
export function cellWriter({ separator, decimal }: CsvDialect, width: number): (cell: Cell) => string {
  // A line with one empty cell would be an empty line.
  const empty = width === 1 ? '""' : '';
  const isPlain = decimal === '.';
  const quoted = (text: string): string =>
    QUOTED.test(text) || text.includes(separator) ? `"${text.replaceAll('"', '""')}"` : text;
  return (cell) => {
    if (typeof cell === 'string') {
      if (cell === '') return empty;
      if (!SPECIAL.test(cell) && !cell.includes(separator)) return cell;
      return quoted(FORMULA.test(cell) ? `'${cell}` : cell);
    }
    if (cell === null) return empty;
    if (typeof cell === 'boolean') return cell ? 'true' : 'false';
    return isPlain ? cell.number : quoted(cell.number.replace('.', decimal));
  };
}

/** RFC 4180 lines. */
export function csvLines(rows: readonly (readonly Cell[])[], dialect: CsvDialect): string {
  const write = cellWriter(dialect, rows[0]?.length ?? 0);
  let lines = '';
  for (const row of rows) lines += row.map(write).join(dialect.separator) + LINE_END;
  return lines;
}

export function csvHeader(names: readonly string[], dialect: CsvDialect): string {
  return `${dialect.bom ? BYTE_ORDER_MARK : ''}${csvLines([names], dialect)}`;
}
