import type { ComponentChildren } from 'preact';

export type SimpleColumn<Row> = {
  readonly key: string;
  readonly title: string;
  readonly end?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
};

type Props<Row> = {
  /** Said to screen readers; the heading above says it to the rest. */
  readonly caption: string;
  readonly columns: readonly SimpleColumn<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row, index: number) => string;
};

/** A table of a few rows that is read, not walked through: all of them are drawn. */
export function SimpleTable<Row>({ caption, columns, rows, keyOf }: Props<Row>) {
  return (
    <div class="simple-table" tabIndex={0} role="region" aria-label={caption}>
      <table>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ key, title, end }) => (
              <th key={key} scope="col" class={end ? 'end' : ''}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={keyOf(row, index)}>
              {columns.map(({ key, title, end, cell }) => (
                <td key={key} class={end ? 'end' : ''}>
                  <span class="cell-title" aria-hidden="true">
                    {title}
                  </span>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
