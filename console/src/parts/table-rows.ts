import { signal } from '@preact/signals';
import { type Failure, failureOf } from '../api/failure.ts';

/** How many rows the service gives at once at most. */
const PAGE = 200;
/** Pages kept on either side of those in sight; further ones are dropped and fetched again when they are needed. */
const KEPT = 4;

export type FetchPage<Row> = (
  cursor: string | null,
  limit: number,
  signal: AbortSignal,
) => Promise<{ readonly items: readonly Row[]; readonly nextCursor: string | null }>;

export type TableRows<Row> = {
  /** Undefined while it is not here. Reading it while rendering follows what comes. */
  readonly at: (index: number) => Row | undefined;
  /** How many are known to be there. */
  readonly count: () => number;
  /** Whether there are no more than these. */
  readonly isWhole: () => boolean;
  readonly failure: () => Failure | null;
  readonly isFirstLoading: () => boolean;
  /** Sees to it that these are here, or come. */
  readonly need: (first: number, last: number) => void;
  /** Puts a changed row in the place of the old one; false where it is not here. */
  readonly replace: (row: Row, isSame: (other: Row) => boolean) => boolean;
  /** Rows that are here now, in their order. */
  readonly present: () => readonly Row[];
  readonly again: () => void;
  /** Loads the list from its top; what is shown stays until the new rows are here. */
  readonly refresh: () => void;
  readonly stop: () => void;
};

type Page<Row> = { readonly cursor: string | null; readonly length: number; rows: readonly Row[] | null };

/**
 * The rows of a list behind cursors, of which only those around what is in sight are in memory. A page is reached from
 * the one before it, and once it was here, at once.
 */
export function tableRows<Row>(fetchPage: FetchPage<Row>): TableRows<Row> {
  const pages: Page<Row>[] = [];
  const wanted = new Set<number>();
  const ending = new AbortController();
  const version = signal(0);
  let next: string | null | undefined;
  let failure: Failure | null = null;
  let range: readonly [number, number] = [0, 0];
  let isFetching = false;

  const isWhole = (): boolean => next === null;
  const known = (): number => {
    const last = pages.at(-1);
    return last === undefined ? 0 : (pages.length - 1) * PAGE + last.length;
  };
  const changed = (): void => {
    version.value += 1;
  };

  async function fetchOne(index: number): Promise<void> {
    const page = pages[index];
    const cursor = page === undefined ? (next ?? null) : page.cursor;
    const { items, nextCursor } = await fetchPage(cursor, PAGE, ending.signal);
    if (ending.signal.aborted) return;
    if (page === undefined) {
      pages.push({ cursor, length: items.length, rows: items });
      next = nextCursor;
    } else page.rows = items;
  }

  /** One after the other: a page's cursor stands in the page before. */
  async function work(): Promise<void> {
    if (isFetching) return;
    isFetching = true;
    try {
      for (;;) {
        const index = [...wanted].sort((a, b) => a - b)[0];
        if (index === undefined || ending.signal.aborted) break;
        wanted.delete(index);
        if (pages[index]?.rows != null || (index >= pages.length && isWhole())) continue;
        if (index > pages.length) wanted.add(index);
        await fetchOne(Math.min(index, pages.length));
        failure = null;
        drop();
        changed();
      }
    } catch (error) {
      if (!ending.signal.aborted) {
        failure = failureOf(error);
        wanted.clear();
        changed();
      }
    } finally {
      isFetching = false;
    }
  }

  function drop(): void {
    const [first, last] = range;
    for (const [index, page] of pages.entries()) {
      if (index < first - KEPT || index > last + KEPT) page.rows = null;
    }
  }

  function need(first: number, last: number): void {
    range = [Math.floor(first / PAGE), Math.floor(last / PAGE)];
    wanted.clear();
    const [from, to] = [Math.max(0, range[0] - 1), range[1] + 1];
    for (let index = from; index <= to; index += 1) {
      const isHere = pages[index]?.rows != null;
      if (!isHere && (index < pages.length || (index === pages.length && !isWhole()))) wanted.add(index);
    }
    if (wanted.size > 0 && failure === null) void work();
  }

  async function refresh(): Promise<void> {
    try {
      const { items, nextCursor } = await fetchPage(null, PAGE, ending.signal);
      if (ending.signal.aborted) return;
      pages.splice(0, pages.length, { cursor: null, length: items.length, rows: items });
      next = nextCursor;
      failure = null;
      changed();
      need(range[0] * PAGE, range[1] * PAGE);
    } catch {
      // What is shown stays; the next change tries again.
    }
  }

  return {
    at: (index) => {
      void version.value;
      return pages[Math.floor(index / PAGE)]?.rows?.[index % PAGE];
    },
    count: () => {
      void version.value;
      return known();
    },
    isWhole: () => {
      void version.value;
      return isWhole();
    },
    failure: () => {
      void version.value;
      return failure;
    },
    isFirstLoading: () => {
      void version.value;
      return next === undefined && failure === null;
    },
    need,
    replace: (row, isSame) => {
      for (const page of pages) {
        const at = page.rows?.findIndex(isSame) ?? -1;
        if (at < 0 || !page.rows) continue;
        page.rows = page.rows.with(at, row);
        changed();
        return true;
      }
      return false;
    },
    present: () => {
      void version.value;
      return pages.flatMap(({ rows }) => rows ?? []);
    },
    again: () => {
      failure = null;
      changed();
      need(range[0] * PAGE, range[1] * PAGE);
    },
    refresh: () => void refresh(),
    stop: () => ending.abort(),
  };
}
