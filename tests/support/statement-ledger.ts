import { openClaimedGroups } from '../../src/commands/claimed-groups.ts';
import { type HeldSync, holdSync } from '../../src/commands/continue-sync.ts';
import { recordSyncPage } from '../../src/commands/record-sync-page.ts';
import type { FormerRow } from '../../src/commands/settle-stamps.ts';
import { type AccountDay, type Completeness, checkCompleteness } from '../../src/deciders/completeness.ts';
import { SLOT_STAMPS } from '../../src/deciders/row-slots.ts';
import { type IncomingTransaction, stampRows } from '../../src/deciders/transaction-stamp.ts';
import { type EventData, isKnown } from '../../src/events/registry.ts';
import type { EventLog } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { type AccountDayDocument, accountDays } from '../../src/projections/account-days.ts';
import { evolveDocument, takesEvent } from '../../src/projections/fold-event.ts';
import type { BankProvider, ProviderSession } from '../../src/providers/bank-provider.ts';
import { toSubAccount } from '../../src/reactors/syncs/sub-accounts.ts';
import { computedId } from '../../src/shared/ids.ts';
import { AT, plannedSync, requestedSync } from './facts.ts';
import { contextOn, setClock } from './small-reactor-services.ts';

export type LedgerRow = EventData<'TransactionRecorded'>;

/** The result of a tenant's syncs of a bank: the rows in the log, and its days as the completeness check reads them. */
export type StatementLedger = {
  /** One sync of everything there is, as the reactor runs it, but with lookups that are never behind. */
  readonly sync: () => Promise<{ inserted: number; conflicts: number }>;
  /** Rows as a former version stamped them, of the account that the folder shows first. */
  readonly recordFormerly: (rows: readonly IncomingTransaction[]) => Promise<void>;
  readonly rows: () => readonly LedgerRow[];
  readonly days: (subAccountKey?: string) => readonly AccountDay[];
  readonly completeness: () => Completeness;
};

const FOREVER = { fromDay: '1970-01-01', toDay: '2100-01-01' };

export async function openStatementLedger(
  log: EventLog,
  bank: BankProvider,
  session: () => ProviderSession,
  tenantId: string,
): Promise<StatementLedger> {
  const { bankCode } = bank.description;
  const context = { ...contextOn(log, setClock(AT)), tenantId };
  const rows = new Map<string, LedgerRow>();
  const days = new Map<string, AccountDayDocument>();
  let position = await log.head();
  let syncs = 0;

  async function catchUp(): Promise<void> {
    for (;;) {
      const batch = await log.readAll({ after: position, limit: 1_000 });
      for (const event of batch.events) {
        if (!isKnown(event) || event.metadata.tenantId !== tenantId) continue;
        if (event.type === 'TransactionRecorded') rows.set(event.data.transactionId, event.data);
        if (!takesEvent(accountDays, event)) continue;
        for (const key of accountDays.keys(event)) {
          const after = evolveDocument(accountDays, days.get(key), event, key);
          if (after !== undefined) days.set(key, after);
        }
      }
      position = batch.position;
      if (batch.caughtUp) return;
    }
  }

  async function lookUpFormer(subAccountKey: string, day: string): Promise<FormerRow[]> {
    return [...rows.values()]
      .filter((row) => row.subAccountKey === subAccountKey && row.transactionDate.startsWith(day))
      .filter(({ providerStamp }) => providerStamp < SLOT_STAMPS.from || providerStamp >= SLOT_STAMPS.to)
      .map((row) => ({ ...row, stamp: row.providerStamp }));
  }

  async function begin(syncId: string, windows: number): Promise<HeldSync> {
    const { actor, companyId, correlationId } = context;
    const metadata = { schemaVersion: 1, tenantId, companyId, actor, correlationId, causationId: null };
    const events = [requestedSync({ syncId }), plannedSync(windows)].map((fact, index) => ({
      id: computedId(syncId, String(index)),
      ...fact,
      metadata,
    }));
    await log.append({ stream: streamName('syncRun', tenantId, syncId), expected: 'no-stream', events });
    return holdSync(context, syncId);
  }

  return {
    async sync() {
      syncs += 1;
      const syncId = computedId('ledger', tenantId, String(syncs));
      const { accounts } = await bank.discoverAccounts(session());
      const sync = await begin(syncId, accounts.length);
      const before = rows.size;
      let page = 0;
      for (const [window, account] of accounts.entries()) {
        const { subAccountKey } = toSubAccount(tenantId, bankCode, account);
        const counted = { ordinals: new Map<string, number>(), claims: openClaimedGroups() };
        let cursor: string | null = null;
        do {
          await catchUp();
          page += 1;
          const fetched = await bank.fetchPage(session(), { account, ...FOREVER, cursor });
          const { nextCursor } = fetched;
          await recordSyncPage(
            context,
            sync,
            {
              accountId: 'connection',
              bankCode,
              subAccountKey,
              automation: 'pending',
              page,
              window,
              cursor,
              nextCursor,
              requests: 1,
              rows: fetched.listings.flatMap(({ listing, rows: given }) =>
                stampRows(subAccountKey, listing, given, counted.ordinals),
              ),
              unchanged: fetched.unchanged ?? 0,
              withdrawn: [],
              statedBalances: [...fetched.statedBalances],
              faults: [...fetched.faults],
            },
            async (ids) =>
              new Map(
                ids.flatMap((id) => (rows.has(id) ? [[id, { ...(rows.get(id) as LedgerRow), status: true }]] : [])),
              ),
            { claims: counted.claims, lookUpFormer: (day) => lookUpFormer(subAccountKey, day) },
          );
          fetched.recorded?.();
          cursor = nextCursor;
        } while (cursor !== null);
      }
      await catchUp();
      const pages = await log.readStream(streamName('syncRun', tenantId, syncId));
      const conflicts = pages.reduce(
        (sum, { data }) => sum + Number((data as { conflicts?: number }).conflicts ?? 0),
        0,
      );
      return { inserted: rows.size - before, conflicts };
    },
    async recordFormerly(given) {
      syncs += 1;
      const syncId = computedId('ledger', tenantId, String(syncs));
      const [account] = (await bank.discoverAccounts(session())).accounts;
      if (account === undefined) throw new Error('the folder shows no account');
      const { subAccountKey } = toSubAccount(tenantId, bankCode, account);
      const sync = await begin(syncId, 1);
      const stamped = stampRows(subAccountKey, 'former', given, new Map());
      const page = { page: 1, window: 0, cursor: null, nextCursor: null, requests: 1, withdrawn: [], faults: [] };
      const whose = { accountId: 'connection', bankCode, subAccountKey, automation: 'pending' } as const;
      const recorded = { ...whose, ...page, rows: stamped, statedBalances: [] };
      await recordSyncPage(context, sync, recorded, async () => new Map());
      await catchUp();
    },
    rows: () => [...rows.values()],
    days: (subAccountKey) =>
      [...days.values()]
        .filter((day) => subAccountKey === undefined || day.subAccountKey === subAccountKey)
        .sort((a, b) => (a.day < b.day ? -1 : 1)),
    completeness() {
      return checkCompleteness([...days.values()].sort((a, b) => (a.day < b.day ? -1 : 1)));
    },
  };
}
