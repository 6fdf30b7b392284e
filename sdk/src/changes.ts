export type ChangesQuery = {
  /** `nextCursor` of an earlier page with the same `types` and `companies`; `now`; everything without it. */
  readonly after?: string;
  readonly types?: readonly Change['type'][];
  readonly companies?: readonly string[];
  readonly limit?: number;
};

export type Follow = {
  /** False: end when there is no more now. */
  readonly follow?: boolean;
};

export type Change = {
  readonly type: 'transaction' | 'assignment' | 'connection' | 'sync' | 'rule' | 'run' | 'schedule';
  readonly id: string;
  readonly kind: 'created' | 'updated' | 'withdrawn';
  readonly position: string;
  readonly at: string;
  /** What the GET of the resource answers now. */
  readonly resource: unknown;
};

export type PageOfChanges = {
  readonly items: readonly Change[];
  /** Where to go on; it never expires. */
  readonly nextCursor: string;
  readonly more: boolean;
};

/** An answer without a change is held back for so long. */
const WAIT_SECONDS = 25;

/** The pages from the cursor on. One without changes is passed on only where its cursor is a new one. */
export async function* follow(
  ask: (query: object) => Promise<PageOfChanges>,
  { follow: isEndless = true, after: first, ...query }: ChangesQuery & Follow,
): AsyncGenerator<PageOfChanges, void, undefined> {
  let after = first;
  for (;;) {
    const page = await ask({ ...query, ...(after === undefined ? {} : { after }), wait: isEndless ? WAIT_SECONDS : 0 });
    if (page.items.length > 0 || page.nextCursor !== after) yield page;
    after = page.nextCursor;
    if (!isEndless && !page.more) return;
  }
}
