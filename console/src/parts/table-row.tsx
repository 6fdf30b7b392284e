import { useMemo } from 'preact/hooks';
import { Icon } from './icon.tsx';
import type { Column } from './table-column.ts';

type Props<Row> = {
  readonly id: string;
  readonly index: number;
  readonly top: number;
  readonly row: Row | undefined;
  readonly columns: readonly Column<Row>[];
  readonly isActive: boolean;
  readonly keyOf: (row: Row) => string;
  readonly openKey: string | null;
  readonly isSelected: ((key: string) => boolean) | undefined;
  readonly isDim: ((row: Row) => boolean) | undefined;
  readonly onOpen: (row: Row) => void;
  readonly onSelect: ((row: Row, selected: boolean, extend: boolean) => void) | undefined;
};

/** One row in its place; grey bars while it is on its way. */
export function TableRow<Row>({ id, index, top, row, columns, isActive, keyOf, openKey, ...rest }: Props<Row>) {
  const { isSelected, isDim, onOpen, onSelect } = rest;
  const key = row === undefined ? null : keyOf(row);
  const selected = key !== null && (isSelected?.(key) ?? false);
  const state = `${isActive ? 'active' : ''} ${key !== null && key === openKey ? 'open' : ''}`;
  // Rows are drawn anew while one scrolls; what is in them only when they or the columns are others.
  const cells = useMemo(
    () =>
      columns.map(({ key: name, cell, end, narrow }) => (
        <span
          key={name}
          role="gridcell"
          class={`${end ? 'end' : 'clip'} ${narrow === undefined ? '' : `at-${narrow}`}`}
        >
          {row === undefined ? <span class="coming" /> : cell(row)}
        </span>
      )),
    [row, columns],
  );
  return (
    <div
      id={id}
      role="row"
      class={`table-row ${state} ${row !== undefined && isDim?.(row) ? 'dim' : ''}`}
      aria-rowindex={index + 2}
      aria-selected={onSelect ? selected : undefined}
      style={{ transform: `translateY(${top}px)` }}
      onClick={() => row !== undefined && onOpen(row)}
    >
      {onSelect && (
        <span
          role="gridcell"
          class="pick"
          onClick={(event) => {
            event.stopPropagation();
            if (row !== undefined) onSelect(row, !selected, event.shiftKey);
          }}
        >
          <span class="box">{selected && <Icon name="check" />}</span>
        </span>
      )}
      {cells}
    </div>
  );
}
