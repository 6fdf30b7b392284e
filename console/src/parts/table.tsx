import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { common } from '../words/index.ts';
import { FailurePanel } from './failure.tsx';
import { isNarrow } from './narrow.ts';
import { Skeleton } from './skeleton.tsx';
import type { Column } from './table-column.ts';
import { tableMove } from './table-keys.ts';
import { TableRow } from './table-row.tsx';
import type { TableRows } from './table-rows.ts';
import { type Scrolled, scrolled, scrollStart, scrollTo } from './table-scroll.ts';

/** Rows drawn beyond those in sight, so that a fast wheel finds them there. */
const AHEAD = 12;
/** So many rows pass before they are drawn anew: fewer than are drawn ahead. */
const STEP = 6;

export type TableProps<Row> = {
  readonly label: string;
  readonly rows: TableRows<Row>;
  readonly columns: readonly Column<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Of the row that is open beside the table. */
  readonly openKey?: string | null;
  readonly onOpen?: (row: Row, index: number) => void;
  readonly isSelected?: (key: string) => boolean;
  /** `all`: every row from where a selection began to here. */
  readonly onSelect?: (rows: readonly Row[], selected: boolean) => void;
  readonly empty: ComponentChildren;
  readonly failed: string;
  /** Said dimmed, such as of a row the bank has withdrawn. */
  readonly isDim?: (row: Row) => boolean;
};

/** A grid over as many rows as there are, of which only those in sight are drawn. One tab stop; see table-keys.ts. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, rows, columns, keyOf, openKey = null, onOpen, isSelected, onSelect, empty, failed, isDim } = props;
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const at = useRef(0);
  const [scroll, setScroll] = useState(scrollStart());
  const [view, setView] = useState(600);
  const [active, setActive] = useState(0);
  const anchor = useRef(0);
  const size = rowSize();
  const count = rows.count();
  const whole = count * size;
  const narrow = isNarrow.value;
  const shown = useMemo(() => columns.filter((one) => !narrow || one.narrow !== undefined), [columns, narrow]);
  const position = useRef(scroll);
  const first = Math.max(0, Math.floor(scroll.top / size) - AHEAD);
  const last = Math.min(count - 1, Math.ceil((scroll.top + view) / size) + AHEAD);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const measure = new ResizeObserver(() => setView(element.clientHeight));
    measure.observe(element);
    return () => measure.disconnect();
    // Before the first rows are here there is no box.
  }, [count > 0]);
  useEffect(() => rows.need(first, Math.max(first, last)), [rows, first, last]);
  // another list begins at its top
  useEffect(() => {
    setActive(0);
    position.current = scrollStart();
    setScroll(position.current);
    if (box.current) box.current.scrollTop = 0;
    at.current = 0;
  }, [rows]);

  const place = (done: Scrolled, isFar: boolean): void => {
    position.current = done.scroll;
    if (done.setTo !== null && box.current && box.current.scrollTop !== done.setTo) box.current.scrollTop = done.setTo;
    at.current = done.setTo ?? box.current?.scrollTop ?? 0;
    const { top, shift } = scroll;
    if (isFar || shift !== done.scroll.shift || Math.abs(top - done.scroll.top) >= STEP * size) setScroll(done.scroll);
  };
  const move = (element: HTMLElement): void => {
    place(scrolled(position.current, { at: element.scrollTop, before: at.current, view, whole }), false);
  };
  // More rows than before: where the box is mapped, the same place in it would be another row.
  useLayoutEffect(() => {
    if (at.current > 0) place(scrollTo(position.current.top, view, whole), true);
  }, [whole, view]);
  const reveal = (index: number): void => {
    const top = index * size;
    const above = position.current.top;
    if (top >= above && top + size <= above + view) return;
    place(scrollTo(top < above ? top : top + size - view, view, whole), true);
  };
  const between = (one: number, other: number): Row[] => {
    const found: Row[] = [];
    for (let index = Math.min(one, other); index <= Math.max(one, other); index += 1) {
      const row = rows.at(index);
      if (row !== undefined) found.push(row);
    }
    return found;
  };
  const press = (event: KeyboardEvent): void => {
    if (event.target !== box.current) return;
    const perPage = Math.max(1, Math.floor(view / size) - 1);
    const done = tableMove(event, { active, count, perPage });
    if (done === null || count === 0) return;
    event.preventDefault();
    const row = rows.at(active);
    if (done.type === 'open') {
      if (row === undefined) return;
      if (keyOf(row) === openKey) document.querySelector<HTMLElement>('.drawer')?.focus();
      else onOpen?.(row, active);
    } else if (done.type === 'toggle') {
      anchor.current = active;
      if (row !== undefined) onSelect?.([row], !isSelected?.(keyOf(row)));
    } else {
      if (done.extend) onSelect?.(between(anchor.current, done.to), true);
      else anchor.current = done.to;
      setActive(done.to);
      reveal(done.to);
      const target = rows.at(done.to);
      if (openKey !== null && target !== undefined) onOpen?.(target, done.to);
    }
  };

  const failure = rows.failure();
  if (failure !== null && count === 0) return <FailurePanel failure={failure} what={failed} onAgain={rows.again} />;
  if (rows.isFirstLoading()) {
    rows.need(0, 0);
    return <Skeleton as="rows" lines={12} />;
  }
  if (count === 0) return <>{empty}</>;
  const tracks = `${onSelect ? 'var(--s8) ' : ''}${columns.map(({ width }) => width).join(' ')}`;
  return (
    <div
      id={id}
      ref={box}
      class={`table ${isNarrow.value ? 'narrow' : ''}`}
      role="grid"
      aria-label={label}
      aria-rowcount={rows.isWhole() ? count + 1 : -1}
      aria-multiselectable={onSelect !== undefined || undefined}
      aria-activedescendant={`${id}-${active}`}
      tabIndex={0}
      onScroll={(event) => move(event.currentTarget)}
      onKeyDown={press}
      style={{ '--tracks': tracks }}
    >
      <div class="table-head" role="row" aria-rowindex={1}>
        {onSelect && (
          <span role="columnheader">
            <span class="hidden">{common().table.selectRow}</span>
          </span>
        )}
        {shown.map(({ key, title, end }) => (
          <span key={key} role="columnheader" class={end ? 'end' : ''}>
            {title}
          </span>
        ))}
      </div>
      <div class="table-body" role="rowgroup" style={{ height: `${Math.max(scroll.height, Math.min(whole, 8e6))}px` }}>
        {Array.from({ length: Math.max(0, last - first + 1) }, (_, offset) => first + offset).map((index) => (
          <TableRow
            key={index}
            id={`${id}-${index}`}
            index={index}
            top={index * size + scroll.shift}
            row={rows.at(index)}
            columns={shown}
            isActive={index === active}
            keyOf={keyOf}
            openKey={openKey}
            isSelected={isSelected}
            isDim={isDim}
            onOpen={(row) => {
              setActive(index);
              anchor.current = index;
              onOpen?.(row, index);
            }}
            onSelect={
              onSelect &&
              ((row, selected, extend) => {
                setActive(index);
                onSelect(extend ? between(anchor.current, index) : [row], selected);
                anchor.current = index;
              })
            }
          />
        ))}
      </div>
      {whole > view && <p class="paper-only small muted">{common().table.onPaper}</p>}
    </div>
  );
}

/** As tokens.css says, since the places of rows are computed: 36 px, 44 where fingers touch, two lines when narrow. */
function rowSize(): number {
  if (isNarrow.value) return 60;
  return matchMedia('(pointer: coarse)').matches ? 44 : 36;
}
