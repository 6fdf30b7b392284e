import { type HeldConnection, holdConnection } from '../../commands/change-connection.ts';
import { type ClaimedGroups, openClaimedGroups } from '../../commands/claimed-groups.ts';
import { continueSync, type HeldSync, holdSync } from '../../commands/continue-sync.ts';
import type { LookUpKnown } from '../../commands/known-transaction.ts';
import { automationOf } from '../../commands/load-company.ts';
import type { OpenArrivals } from '../../commands/record-evaluated.ts';
import { recordSyncPage } from '../../commands/record-sync-page.ts';
import { type PageRow, settleStamps } from '../../commands/settle-stamps.ts';
import { MAX_SYNC_RETRIES, type NextPage, nextPage, type SyncRunState } from '../../deciders/sync-run.ts';
import { type Ordinals, stampRows } from '../../deciders/transaction-stamp.ts';
import type { EventData, SyncRunFact } from '../../events/registry.ts';
import { connections } from '../../projections/connections.ts';
import { history } from '../../projections/history.ts';
import type { SyncRunDocument } from '../../projections/sync-runs.ts';
import { transactions } from '../../projections/transactions.ts';
import type { ProviderAccount, ProviderError, ProviderPage } from '../../providers/bank-provider.ts';
import { backoffMs } from '../../shared/backoff.ts';
import { isoTime } from '../../shared/clock.ts';
import type { Place } from '../../shared/fair-queue.ts';
import { documentId } from '../../shared/ids.ts';
import { yieldToOthers } from '../../shared/yield-to-others.ts';
import { atOnce, type ReactorServices, workerContext } from '../reactor-services.ts';
import { type BankSession, openBankSession } from './bank-session.ts';
import { discoverAccounts, maskedFault } from './discover-accounts.ts';
import { openArrivalsOf, type RulesHere } from './open-arrivals.ts';
import { pause } from './pause.ts';
import { type LookUpFormerOf, openFormerRows, openKnownRows } from './recorded-rows.ts';
import { recordedBalance } from './sub-accounts.ts';
import { planSync } from './sync-plan.ts';
import { recordable } from './unforeseen.ts';

const LONGEST_RETRY_MS = 60_000;
const PROJECTED_WITHIN_MS = 5_000;
const STAMPED_AT_ONCE = 250;
/** Read models that take the events of a sync, the slowest ones. */
const FOLLOWING = [transactions.name, history.name];

/** Resolves true once the read models contain the position, false when the time limit expires first. */
export type WaitFor = (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;

/** The state of one execution of a sync. */
type Execution = {
  readonly services: ReactorServices;
  readonly context: ReturnType<typeof workerContext>;
  readonly run: SyncRunDocument;
  readonly sync: HeldSync;
  readonly connection: HeldConnection;
  readonly signal: AbortSignal;
  readonly session: BankSession;
  readonly waitFor: WaitFor;
  readonly accounts: ReadonlyMap<string, ProviderAccount>;
  readonly lookUpKnown: LookUpKnown;
  readonly lookUpFormer: LookUpFormerOf;
  readonly openArrivals: OpenArrivals;
  /** Whether this process folds the read models. */
  readonly foldsHere: boolean;
  readonly discoveryFaults: EventData<'SyncPlanned'>['faults'];
  readonly discoveryNotes: EventData<'SyncPlanned'>['faults'];
};

/**
 * Runs a sync from its state in the log to its end. It can be stopped and continued by another worker at any moment:
 * the rows of a page are recorded under ids computed from sync, page and row, and the page after its rows. @returns
 * false when the sync had already ended
 */
export async function executeSync(
  services: ReactorServices,
  waitFor: WaitFor,
  rulesHere: RulesHere,
  run: SyncRunDocument,
  signal: AbortSignal,
  place: Place,
): Promise<boolean> {
  const { tenantId, companyId, accountId, id: syncId, correlationId } = run;
  const context = workerContext(services, 'sync', { tenantId, companyId, correlationId });
  const sync = await holdSync(context, syncId);
  const connection = await holdConnection(context, accountId);
  let session: BankSession | null = null;
  for (let worked = false; ; worked = true) {
    const state = sync.state();
    if (state.requested === null || state.ended !== null) return worked;
    try {
      if (await stopIfAsked(services, run, sync, connection)) return true;
      await waitForNextAttempt(services, state, signal, place);
      session ??= await openBankSession(services, {
        tenantId,
        companyId,
        accountId,
        bankCode: state.requested.bankCode,
        environment: state.requested.environment,
        syncId,
        setupId: null,
        correlationId,
      });
      const { accounts, faults, notes } = await discoverAccounts(context, run, session, signal);
      const discovered = { accounts, discoveryFaults: faults, discoveryNotes: notes };
      // The read model shows which rows the bank withdrew before and lists again now.
      await waitFor([transactions.name], await services.log.head(), PROJECTED_WITHIN_MS);
      const lookUps = { lookUpKnown: openKnownRows(services, run), lookUpFormer: openFormerRows(services, run) };
      const openArrivals = openArrivalsOf(services, rulesHere, { tenantId, companyId, syncId });
      const foldsHere = rulesHere.knownTo() !== undefined;
      const worker = { services, waitFor, context, run, sync, connection, signal, session, openArrivals, foldsHere };
      await goThrough({ ...worker, ...discovered, ...lookUps });
      return true;
    } catch (error) {
      const failure = recordable(error, signal, services.logger, `sync ${syncId}`, session?.masking.text);
      const ended = await recordFailure(services, run, sync, failure, session?.takeRequests() ?? 0);
      if (ended) return true;
    }
  }
}

/** A cancel, or a connection that was disabled or archived meanwhile, ends the sync between two pages. */
async function stopIfAsked(
  services: ReactorServices,
  run: SyncRunDocument,
  sync: HeldSync,
  connection: HeldConnection,
): Promise<boolean> {
  const { enabled } = await connection.read();
  const state = await sync.read();
  if (!state.cancelRequested && enabled) return false;
  const cancelledAt = isoTime(services.clock.now());
  const durationMs = elapsed(state, cancelledAt);
  const { accountId } = run;
  await continueSync(sync, {
    type: 'SyncCancelled',
    data: { accountId, cancelledAt, durationMs, requests: state.requests },
  });
  return true;
}

function elapsed(state: SyncRunState, at: string): number {
  return Math.max(0, Date.parse(at) - Date.parse(state.requested?.requestedAt ?? at));
}

async function waitForNextAttempt(
  services: ReactorServices,
  state: SyncRunState,
  signal: AbortSignal,
  place: Place,
): Promise<void> {
  if (state.nextAttemptAt === null) return;
  const waitMs = Date.parse(state.nextAttemptAt) - services.clock.now();
  if (waitMs > 0) await place.rest(() => pause(waitMs, signal));
}

async function plan(execution: Execution): Promise<void> {
  const { services, context, run, sync, session, accounts, discoveryFaults: faults, discoveryNotes: notes } = execution;
  const connection = await services.readModels.of(connections).get(documentId(run.tenantId, run.accountId));
  const nowMs = services.clock.now();
  const { windows, coverage } = planSync({
    subAccountKeys: [...accounts.keys()],
    covered: connection?.coverage ?? {},
    from: run.from,
    to: run.to,
    windowDays: session.provider.description.limits.windowDays,
    today: isoTime(nowMs).slice(0, 10),
  });
  const automation = await automationOf(context, run.companyId);
  await continueSync(sync, {
    type: 'SyncPlanned',
    data: {
      accountId: run.accountId,
      plannedAt: isoTime(nowMs),
      requests: session.takeRequests(),
      windows,
      coverage,
      automation,
      faults,
      ...(notes.length === 0 ? {} : { notes }),
    },
  });
}

async function goThrough(execution: Execution): Promise<void> {
  const { services, run, sync, connection, session, signal } = execution;
  const { pace = atOnce } = services;
  /** The ends of the last page that was recorded, and of the one before it. */
  let recorded: string | null = null;
  let before: string | null = null;
  if (sync.state().planned === null) await plan(execution);
  let counted: Counted | null = null;
  for (let next = nextPage(sync.state()); next !== null; next = nextPage(sync.state())) {
    // Events of others become visible after these pages, so at most one of them may wait.
    if (before !== null) await execution.waitFor(FOLLOWING, before, PROJECTED_WITHIN_MS);
    signal.throwIfAborted();
    if (await stopIfAsked(services, run, sync, connection)) return;
    if (next.cursor === null) counted = countedNothing();
    counted ??= await countedBefore(execution, next);
    const from: Counted = counted;
    before = recorded;
    const ingested = await pace(run.tenantId, async () => {
      const outcome = await ingest(execution, next, from);
      const end = await services.log.head();
      // Folding the last page goes on while the bank makes the next one. A page at hand would only wait in memory.
      const awaited = session.provider.isAtHand === true ? end : recorded;
      recorded = end;
      // Where this process folds as well, that takes its time, which is the tenant's.
      const hasNext = outcome.moved && nextPage(sync.state()) !== null;
      const waits = execution.foldsHere && hasNext && awaited !== null;
      if (waits) await execution.waitFor(FOLLOWING, awaited, PROJECTED_WITHIN_MS);
      return outcome;
    });
    if (!ingested.moved) return;
  }
  await finish(execution);
}

async function fetchWindowPage(
  execution: Execution,
  next: NextPage,
): Promise<{ subAccountKey: string; page: ProviderPage | null }> {
  const window = execution.sync.state().planned?.windows[next.window];
  if (window === undefined) throw new RangeError('a sync has no such window');
  const { subAccountKey, fromDay, toDay } = window;
  const account = execution.accounts.get(subAccountKey);
  // An account that the bank no longer lists is skipped; its earlier rows stay.
  if (account === undefined) return { subAccountKey, page: null };
  const { session, signal } = execution;
  const page = await session.call({ operation: 'page', page: next.page }, signal, (asked) =>
    session.provider.fetchPage(asked, { account, fromDay, toDay, cursor: next.cursor }),
  );
  return { subAccountKey, page };
}

/** The counts from the earlier pages of a window, which the stamps of later rows depend on. */
type Counted = { readonly ordinals: Ordinals; readonly claims: ClaimedGroups };

function countedNothing(): Counted {
  return { ordinals: new Map(), claims: openClaimedGroups() };
}

/** Some rows at a time: each takes some 20 µs. */
async function stampPage(subAccountKey: string, page: ProviderPage | null, { ordinals }: Counted): Promise<PageRow[]> {
  const stamped: PageRow[] = [];
  let yieldAt = STAMPED_AT_ONCE;
  for (const { listing, rows } of page?.listings ?? []) {
    for (let at = 0; at < rows.length; at += STAMPED_AT_ONCE) {
      if (stamped.length >= yieldAt) {
        await yieldToOthers();
        yieldAt = stamped.length + STAMPED_AT_ONCE;
      }
      stamped.push(...stampRows(subAccountKey, listing, rows.slice(at, at + STAMPED_AT_ONCE), ordinals));
    }
  }
  return stamped;
}

/** Counts up to the cursor by reading the window's earlier pages again; only where stamps were computed. */
async function countedBefore(execution: Execution, next: NextPage): Promise<Counted> {
  const counted = countedNothing();
  const state = execution.sync.state();
  if (!state.windowHasContentStamps) return counted;
  const { window } = next;
  let cursor: string | null = null;
  for (let page = state.pagesBeforeWindow + 1; cursor !== next.cursor; page += 1) {
    const { subAccountKey, page: fetched } = await fetchWindowPage(execution, { window, cursor, page });
    const rows = await stampPage(subAccountKey, fetched, counted);
    await settleStamps(execution.context, rows, {
      bankCode: execution.run.bankCode,
      lookUpKnown: execution.lookUpKnown,
      lookUpFormer: (day) => execution.lookUpFormer(subAccountKey, day),
      claims: counted.claims,
    });
    cursor = fetched?.nextCursor ?? next.cursor;
  }
  return counted;
}

async function ingest(execution: Execution, next: NextPage, counted: Counted): ReturnType<typeof recordSyncPage> {
  const { context, run, sync, session, lookUpKnown } = execution;
  const { subAccountKey, page } = await fetchWindowPage(execution, next);
  const outcome = await recordSyncPage(
    context,
    sync,
    {
      accountId: run.accountId,
      bankCode: run.bankCode,
      subAccountKey,
      automation: sync.state().planned?.automation ?? 'pending',
      page: next.page,
      window: next.window,
      cursor: next.cursor,
      nextCursor: page?.nextCursor ?? null,
      requests: session.takeRequests(),
      rows: await stampPage(subAccountKey, page, counted),
      unchanged: page?.unchanged ?? 0,
      withdrawn: page?.withdrawn ?? [],
      statedBalances: [...(page?.statedBalances ?? [])],
      faults: (page?.faults ?? []).map((fault) => maskedFault(session, fault)),
      notes: (page?.notes ?? []).map((fault) => maskedFault(session, fault)),
    },
    lookUpKnown,
    { claims: counted.claims, lookUpFormer: (day) => execution.lookUpFormer(subAccountKey, day) },
    execution.openArrivals,
  );
  if (outcome.moved) page?.recorded?.();
  return outcome;
}

/** A sync with a source that could not be read has failed, although the rest was imported. */
async function finish(execution: Execution): Promise<void> {
  const { services, run, sync, session, accounts } = execution;
  const state = sync.state();
  const at = isoTime(services.clock.now());
  const durationMs = elapsed(state, at);
  const lastRequests = session.takeRequests();
  const requests = state.requests + lastRequests;
  const { accountId } = run;
  const { fault } = state;
  if (fault !== null) {
    await endFailed(services, run, sync, {
      type: 'SyncFailed',
      data: {
        accountId,
        failedAt: at,
        durationMs,
        requests,
        lastRequests,
        kind: 'permanent',
        nextAllowedAt: null,
        ...fault,
      },
    });
    return;
  }
  const balances = [...accounts].map(([subAccountKey, account]) => ({
    subAccountKey,
    ...recordedBalance(account.balance),
    availableBalance: account.availableBalance,
    blockedBalance: account.blockedBalance,
  }));
  await continueSync(sync, {
    type: 'SyncCompleted',
    data: { accountId, completedAt: at, durationMs, requests, lastRequests, balances },
  });
}

/**
 * A transient failure is tried again 3 times since the last progress; anything else, or the 4th, ends the sync. True
 * when it has ended.
 */
async function recordFailure(
  services: ReactorServices,
  run: SyncRunDocument,
  sync: HeldSync,
  error: ProviderError,
  requests: number,
): Promise<boolean> {
  const state = await sync.read();
  const { accountId } = run;
  const nowMs = services.clock.now();
  const failedAt = isoTime(nowMs);
  const { code, message } = error;
  const attempt = state.attempts + 1;
  if (error.kind === 'transient' && attempt <= MAX_SYNC_RETRIES) {
    const delayMs = backoffMs(
      attempt,
      { firstMs: services.timing.syncRetryMs, mostMs: LONGEST_RETRY_MS },
      services.random,
    );
    await continueSync(sync, {
      type: 'SyncAttemptFailed',
      data: { accountId, attempt, failedAt, nextAttemptAt: isoTime(nowMs + delayMs), requests, code, message },
    });
    return false;
  }
  await endFailed(services, run, sync, {
    type: 'SyncFailed',
    data: {
      accountId,
      failedAt,
      durationMs: elapsed(state, failedAt),
      requests: state.requests + requests,
      lastRequests: requests,
      kind: error.kind,
      nextAllowedAt: error.retryAfterMs === null ? null : isoTime(nowMs + error.retryAfterMs),
      source: null,
      place: null,
      code,
      message,
    },
  });
  return true;
}

/** The line in the service's log is written by the worker whose event ended the sync. */
async function endFailed(
  services: ReactorServices,
  run: SyncRunDocument,
  sync: HeldSync,
  failed: Extract<SyncRunFact, { type: 'SyncFailed' }>,
): Promise<void> {
  if (!(await continueSync(sync, failed))) return;
  const { code, kind } = failed.data;
  services.logger.warn({ sync: run.id, connection: run.accountId, tenant: run.tenantId, code, kind }, 'a sync failed');
}
