import type { ListChangesQuery, ListChangesResult } from './types.ts';

/** Which changes, where to begin, and when to end. */
export type ChangesQuery = Omit<ListChangesQuery, 'wait'> & {
  /** False: end when there is no more now. */
  readonly follow?: boolean;
};

/** An answer without a change is held back for so long. */
const WAIT_SECONDS = 25;

/** The pages from the cursor on. One without changes is passed on only where its cursor is a new one. */
export async function* follow(
  ask: (query: ListChangesQuery) => Promise<ListChangesResult>,
  { follow: isEndless = true, after: first, ...query }: ChangesQuery,
): AsyncGenerator<ListChangesResult, void, undefined> {
  let after = first;
  for (;;) {
    const page = await ask({ ...query, ...(after === undefined ? {} : { after }), wait: isEndless ? WAIT_SECONDS : 0 });
    if (page.items.length > 0 || page.nextCursor !== after) yield page;
    after = page.nextCursor;
    if (!isEndless && !page.more) return;
  }
}
