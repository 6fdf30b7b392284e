import {
  type BankTransactionState,
  bankTransaction,
  recordTransaction,
  relistTransaction,
  seeContent,
  withdrawTransaction,
} from '../deciders/bank-transaction.ts';
import { contentOf, type StampedTransaction } from '../deciders/transaction-stamp.ts';
import type { EventData, SyncRunFact } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { computedId, transactionId } from '../shared/ids.ts';
import { openClaimedGroups } from './claimed-groups.ts';
import { type CommandContext, executeInBackground, metadataFor } from './command.ts';
import { continueSync, type HeldSync } from './continue-sync.ts';
import type { KnownTransaction, LookUpKnown } from './known-transaction.ts';
import { type OpenArrivals, type RowAppend, recordEvaluated } from './record-evaluated.ts';
import { type PageRow, type StampSource, settleStamps } from './settle-stamps.ts';
import { type SplitBatch, splitBatches } from './split-batches.ts';
import { fold } from './stream-state.ts';

export type SyncPage = {
  readonly accountId: string;
  readonly bankCode: string;
  readonly subAccountKey: string;
  readonly automation: 'pending' | 'legacy';
  readonly page: number;
  readonly window: number;
  readonly cursor: string | null;
  readonly nextCursor: string | null;
  readonly requests: number;
  readonly rows: readonly PageRow[];
  /** Rows that the bank has and does not list again, since they are recorded: they count as duplicates. */
  readonly unchanged?: number;
  /** Provider stamps of rows that the bank withdrew. */
  readonly withdrawn: readonly string[];
  readonly statedBalances: EventData<'SyncPageIngested'>['statedBalances'];
  readonly faults: EventData<'SyncPageIngested'>['faults'];
  readonly notes?: EventData<'SyncPageIngested'>['faults'];
};

type PageOfSync = SyncPage & { readonly syncId: string };

type Sighting = { readonly as: 'inserted' | 'duplicate' | 'other-content'; readonly withdrawn: boolean };

/**
 * Records each row of the page exactly once, then the page itself, in that order: the sync's cursor moves only after
 * the rows are in. Repeating a page after a crash gives the same counts, because a row recorded by this very page still
 * counts as inserted. `moved` is false when the sync had ended or gone on without the caller, who must then stop: found
 * out before the rows where possible, since the page that is recorded does not count what the bank lists since then.
 */
export async function recordSyncPage(
  context: CommandContext,
  sync: HeldSync,
  given: SyncPage,
  lookUpKnown: LookUpKnown,
  stamping: Pick<StampSource, 'lookUpFormer' | 'claims'> = {
    lookUpFormer: async () => [],
    claims: openClaimedGroups(),
  },
  openArrivals: OpenArrivals = async () => null,
): Promise<{ moved: boolean }> {
  const { ended, lastPage } = await sync.read();
  if (ended !== null || (lastPage !== null && lastPage.page >= given.page)) return { moved: false };
  const page: PageOfSync = { ...given, syncId: sync.id };
  const seenAt = isoTime(context.clock.now());
  const settled = await settleStamps(context, page.rows, { bankCode: page.bankCode, lookUpKnown, ...stamping });
  const idOf = (row: StampedTransaction): string => transactionId(context.tenantId, page.bankCode, row.providerStamp);
  const { rows: listed, splits } = await splitBatches(settled, idOf, lookUpKnown);
  const rows = byId(listed, idOf);
  const sightings = await recordRows(context, page, rows, lookUpKnown, openArrivals, seenAt);
  const further = byId(paymentsOf(splits, idOf, rows, sightings), idOf);
  if (further.size > 0) {
    const sighted = await recordRows(context, page, further, lookUpKnown, openArrivals, seenAt);
    for (const [id, sighting] of sighted) sightings.set(id, sighting);
    for (const [id, row] of further) rows.set(id, row);
  }
  let conflicts = 0;
  const differing = [...sightings].flatMap(([id, { as }]) => (as === 'other-content' ? (rows.get(id) ?? []) : []));
  for (const row of [...differing, ...otherContents(listed, splits, rows, idOf)]) {
    const seen = await onTransaction(context, idOf(row), (state) =>
      seeContent(state, {
        syncId: page.syncId,
        accountId: page.accountId,
        seenAt,
        contentHash: row.contentHash,
        content: contentOf(row),
      }),
    );
    if (seen.accepted && seen.state.recorded?.contentHash !== row.contentHash) conflicts += 1;
  }
  const gone = new Set(page.withdrawn);
  for (const [id, sighting] of sightings) {
    // A row that the same page lists and withdraws ends up withdrawn, also when the page is repeated.
    if (!sighting.withdrawn || gone.has(rows.get(id)?.providerStamp ?? '')) continue;
    await onTransaction(context, id, (state) => relistTransaction(state, { syncId: page.syncId, relistedAt: seenAt }));
  }
  let withdrawn = 0;
  for (const stamp of page.withdrawn) {
    const id = transactionId(context.tenantId, page.bankCode, stamp);
    const outcome = await onTransaction(context, id, (state) =>
      withdrawTransaction(state, { syncId: page.syncId, withdrawnAt: seenAt }),
    );
    if (outcome.accepted && outcome.position !== null) withdrawn += 1;
  }
  const inserted = [...sightings.values()].filter((sighting) => sighting.as === 'inserted').length;
  const fetched = page.rows.length + further.size + (page.unchanged ?? 0);
  const fact: SyncRunFact = {
    type: 'SyncPageIngested',
    data: {
      accountId: page.accountId,
      page: page.page,
      window: page.window,
      bankCode: page.bankCode,
      subAccountKey: page.subAccountKey,
      cursor: page.cursor,
      nextCursor: page.nextCursor,
      requests: page.requests,
      fetched,
      inserted,
      duplicates: fetched - inserted,
      conflicts,
      withdrawn,
      contentStamped: page.rows.filter((row) => row.stampOrigin === 'content').length,
      statedBalances: page.statedBalances,
      faults: page.faults,
      ...((page.notes ?? []).length === 0 ? {} : { notes: page.notes }),
      ingestedAt: isoTime(context.clock.now()),
    },
  };
  return { moved: await continueSync(sync, fact) };
}

function byId(
  rows: readonly StampedTransaction[],
  idOf: (row: StampedTransaction) => string,
): Map<string, StampedTransaction> {
  const found = new Map<string, StampedTransaction>();
  for (const row of rows) if (!found.has(idOf(row))) found.set(idOf(row), row);
  return found;
}

/**
 * The payments behind each first one that is recorded. Where the slot turns out to hold the batch, that stays one row,
 * and its first payment is no other content of it.
 */
function paymentsOf(
  splits: readonly SplitBatch[],
  idOf: (row: StampedTransaction) => string,
  rows: ReadonlyMap<string, StampedTransaction>,
  sightings: Map<string, Sighting>,
): StampedTransaction[] {
  return splits.flatMap(({ first, further }) => {
    // The page may also list the batch in another file's words, before its payments.
    if (rows.get(idOf(first))?.contentHash !== first.contentHash) return [];
    const sighting = sightings.get(idOf(first));
    if (sighting?.as !== 'other-content') return further;
    sightings.set(idOf(first), { ...sighting, as: 'duplicate' });
    return [];
  });
}

/**
 * Rows that the page lists once more with another content, as several files of one page may. A batch and its payments
 * are no other content of each other: of a split whose slot an earlier row of the page has, the batch counts.
 */
function otherContents(
  listed: readonly StampedTransaction[],
  splits: readonly SplitBatch[],
  rows: ReadonlyMap<string, StampedTransaction>,
  idOf: (row: StampedTransaction) => string,
): Iterable<StampedTransaction> {
  const isTaken = (row: StampedTransaction): boolean => rows.get(idOf(row))?.contentHash === row.contentHash;
  const keyOf = (row: StampedTransaction): string => `${idOf(row)} ${row.contentHash}`;
  const batchOf = new Map(splits.map(({ first, batch }) => [first, batch]));
  const splitBatchKeys = new Set(splits.flatMap(({ first, batch }) => (isTaken(first) ? keyOf(batch) : [])));
  const others = new Map<string, StampedTransaction>();
  for (const row of listed) {
    if (isTaken(row)) continue;
    const said = batchOf.get(row) ?? row;
    if (!isTaken(said) && !splitBatchKeys.has(keyOf(said))) others.set(keyOf(said), said);
  }
  return others.values();
}

async function recordRows(
  context: CommandContext,
  page: PageOfSync,
  rows: ReadonlyMap<string, StampedTransaction>,
  lookUpKnown: LookUpKnown,
  openArrivals: OpenArrivals,
  seenAt: string,
): Promise<Map<string, Sighting>> {
  const known = await lookUpKnown([...rows.keys()]);
  const sightings = new Map<string, Sighting>();
  const metadata = metadataFor(context, 'TransactionRecorded', context.companyId);
  const fresh: (RowAppend & { readonly id: string })[] = [];
  for (const [id, row] of rows) {
    const before = known.get(id);
    if (before !== undefined) {
      sightings.set(id, compare(page, row, before));
      continue;
    }
    const stream = streamName('bankTransaction', context.tenantId, id);
    const data = {
      ...row,
      transactionId: id,
      accountId: page.accountId,
      syncId: page.syncId,
      syncPage: page.page,
      bankCode: page.bankCode,
      fetchedAt: seenAt,
      automation: page.automation,
    };
    const eventId = computedId('recorded', page.syncId, String(page.page), stream);
    const recorded = { id: eventId, ...recordTransaction(data), data, metadata };
    fresh.push({ id, stream, expected: 'no-stream', events: [recorded], recorded });
  }
  const isAutomated = page.automation === 'pending';
  const evaluated = isAutomated ? await recordEvaluated(context, fresh, openArrivals) : new Set<string>();
  for (const { id, stream } of fresh) {
    if (evaluated.has(stream)) sightings.set(id, { as: 'inserted', withdrawn: false });
  }
  const appends = fresh.filter(({ stream }) => !evaluated.has(stream));
  const results = await context.log.appendMany(appends);
  for (const [index, append] of appends.entries()) {
    const row = rows.get(append.id);
    if (row === undefined) continue;
    if (results[index]?.outcome === 'appended') {
      sightings.set(append.id, { as: 'inserted', withdrawn: false });
      continue;
    }
    const { recorded, withdrawn } = fold(bankTransaction, await context.log.readStream(append.stream));
    if (recorded === null) throw new RangeError(`${append.stream} does not begin with its row`);
    sightings.set(append.id, compare(page, row, { ...recorded, status: !withdrawn }));
  }
  return sightings;
}

function compare(page: PageOfSync, row: StampedTransaction, before: KnownTransaction): Sighting {
  const withdrawn = !before.status;
  if (before.syncId === page.syncId && before.syncPage === page.page) return { as: 'inserted', withdrawn };
  return { as: before.contentHash === row.contentHash ? 'duplicate' : 'other-content', withdrawn };
}

/** Refused for a row that another company of the tenant recorded: a sync changes its own company's only. */
function onTransaction(
  context: CommandContext,
  id: string,
  decide: (state: BankTransactionState) => ReturnType<typeof seeContent>,
) {
  return executeInBackground(context, {
    stream: streamName('bankTransaction', context.tenantId, id),
    decider: bankTransaction,
    notFound: 'TRANSACTION_NOT_FOUND',
    decide,
  });
}
