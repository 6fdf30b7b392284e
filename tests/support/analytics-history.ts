import {
  attachManually,
  type BankTransactionOutcome,
  type BankTransactionState,
  bankTransaction,
  decideRetryAutomation,
  decideRevokeAssignment,
  evaluateAutomation,
  failAutomation,
  type MatchedRule,
  recordTransaction,
  relistTransaction,
  withdrawTransaction,
} from '../../src/deciders/bank-transaction.ts';
import { isRefusal } from '../../src/deciders/decider.ts';
import { coverByRun } from '../../src/deciders/run-on-transaction.ts';
import type { NewEvent } from '../../src/events/event.ts';
import { currentVersion, type EventType } from '../../src/events/registry.ts';
import type { Append } from '../../src/log/log.ts';
import { type Category, streamName } from '../../src/log/streams.ts';
import { newId } from '../../src/shared/ids.ts';
import { createdRule, HASH, ingestedPage, recordedData, requestedSync } from './facts.ts';
import { seededRandom } from './random.ts';

type Company = (typeof ACCOUNTS)[number]['companyId'];
type Fact = { readonly type: string; readonly data: unknown };

/** Two connections of two companies, each with two physical accounts in different currencies. */
export const ACCOUNTS = [
  { companyId: 'company-one', accountId: 'connection-one', bankCode: 'demo', subAccountKey: 'eur', currency: 'EUR' },
  { companyId: 'company-one', accountId: 'connection-one', bankCode: 'demo', subAccountKey: 'try', currency: 'TRY' },
  { companyId: 'company-two', accountId: 'connection-two', bankCode: 'other', subAccountKey: 'usd', currency: 'USD' },
  { companyId: 'company-two', accountId: 'connection-two', bankCode: 'other', subAccountKey: 'jpy', currency: 'JPY' },
] as const;

/** The clocks of Berlin, New York and Lord Howe all change in these. */
const FIRST_MS = Date.parse('2026-02-20T00:00:00.000Z');
const LAST_MS = Date.parse('2026-04-20T00:00:00.000Z');
const DAY_MS = 86_400_000;
const NAMES = [null, 'Acme', 'Müller & Söhne', '  Acme ', 'İstanbul A.Ş.'];
const IBANS = [null, 'DE89 3704 0044 0532 0130 00', 'de89370400440532013000'];

function rule(nth: number): MatchedRule {
  const reference = (externalId: string) => ({ source: 'erp', entityType: 'account', externalId, label: null });
  return {
    ruleId: `rule-${nth}`,
    ruleVersion: 1,
    snapshotHash: HASH,
    tags: [],
    actions: [
      { id: 'one', reference: reference(`r${nth}`) },
      { id: 'two', reference: reference('shared') },
    ],
  };
}

/**
 * A history of rows that arrive late and out of order, are assigned by rules, by runs and by hand, lose their
 * assignments and are withdrawn, and of which some never arrive. The same seed gives the same history. The appends must
 * be made in the order returned.
 */
export function analyticsHistory(options: {
  readonly seed: number;
  readonly rows: number;
  readonly tenantId: string;
  /** The names of the companies of ACCOUNTS in this tenant; unset: unchanged. */
  readonly companyOf?: (name: (typeof ACCOUNTS)[number]['companyId']) => string;
  /** No work is left for a worker. */
  readonly legacy?: boolean;
  /** Every row arrives and none is withdrawn. */
  readonly complete?: boolean;
}): Append[] {
  const random = seededRandom(options.seed);
  const below = (count: number): number => Math.floor(random() * count);
  const one = <T>(from: readonly T[]): T => from[below(from.length)] as T;
  const iso = (epochMs: number): string => new Date(epochMs).toISOString();
  const appends: Append[] = [];
  const revisions = new Map<string, number>();
  const ids = `h${options.seed}`;
  let made = 0;

  function append(category: Category, id: string, name: Company, facts: readonly Fact[]): void {
    if (facts.length === 0) return;
    const stream = streamName(category, options.tenantId, id);
    const at = revisions.get(stream) ?? 0;
    revisions.set(stream, at + facts.length);
    const events = facts.map(({ type, data }): NewEvent => {
      const actor = { type: 'system', id: 'test' } as const;
      const schemaVersion = currentVersion(type as EventType);
      const companyId = options.companyOf?.(name) ?? name;
      const whose = { tenantId: options.tenantId, companyId, actor };
      return { id: newId(), type, data, metadata: { schemaVersion, ...whose, correlationId: 'c', causationId: null } };
    });
    appends.push({ stream, expected: at === 0 ? 'no-stream' : at - 1, events });
  }

  for (const nth of [1, 2, 3]) {
    const { ruleId } = rule(nth);
    append('transactionRule', ruleId, 'company-one', [createdRule({ ruleId, name: `Rule ${nth}` })]);
  }

  // Each account's rows in the bank's order, each balance continuing the one before, and then in order of arrival.
  const balances = new Map<string, bigint>();
  const rows = Array.from({ length: options.rows }, () => FIRST_MS + random() * (LAST_MS - FIRST_MS))
    .sort((a, b) => a - b)
    .map((atMs, nth) => {
      const account = one(ACCOUNTS);
      const units = BigInt(below(20) === 0 ? 0 : 1 + below(10 ** (3 + below(9))));
      const incoming = random() < 0.5;
      const balance = (balances.get(account.subAccountKey) ?? 10_000_000_000n) + (incoming ? units : -units);
      balances.set(account.subAccountKey, balance);
      const late = random() < 0.5 ? below(5 * 60_000) : below(4 * DAY_MS);
      return { nth, atMs, account, units, incoming, balance, arrivesMs: atMs + late };
    })
    .filter(() => options.complete === true || below(50) > 0)
    .sort((a, b) => a.arrivesMs - b.arrivesMs);

  const lives: { id: string; companyId: Company; state: BankTransactionState }[] = [];
  const happen = (life: (typeof lives)[number], outcome: BankTransactionOutcome): void => {
    if (isRefusal(outcome)) return;
    append('bankTransaction', life.id, life.companyId, outcome);
    life.state = outcome.reduce(bankTransaction.evolve, life.state);
  };

  function change(nowMs: number): void {
    const life = one(lives);
    happen(life, outcomeOf(life.state, nowMs));
  }

  function outcomeOf(state: BankTransactionState, nowMs: number): BankTransactionOutcome {
    const at = iso(nowMs);
    switch (below(options.complete === true ? 5 : 7)) {
      case 0: {
        const reference = {
          source: 'erp',
          entityType: 'account',
          externalId: one(['shared', 'r1', 'x']),
          label: one([null, 'One', 'Two']),
        };
        const assignmentId = `as-${ids}-${made}`;
        return attachManually(state, { assignmentId, actorId: 'p', reference, tags: [], attachedAt: at });
      }
      case 1: {
        const active = state.assignments.filter((assignment) => assignment.active);
        if (active.length === 0) return [];
        const revocation = { assignmentId: one(active).id, reason: null, revokedAt: at };
        return decideRevokeAssignment(state, revocation);
      }
      case 2:
      case 3: {
        const matched = [1, 2, 3].filter(() => random() < 0.4).map(rule);
        let nth = 0;
        const evaluated = { evaluatedAt: at, rulesInForce: 3, rulesDigest: HASH, matched };
        const freshId = (): string => {
          nth += 1;
          return `as-${ids}-${made}-${nth}`;
        };
        return evaluateAutomation(state, { ...evaluated, newId: freshId });
      }
      case 4: {
        if (random() < 0.5) return decideRetryAutomation(state, at);
        const failure = { failedAt: at, nextAttemptAt: at, code: 'BROKEN', message: 'x' };
        return failAutomation(state, failure);
      }
      case 5: {
        const matched = random() < 0.7;
        const run = { runId: 'run', by: 'backfill', at, rule: rule(1 + below(3)), matched } as const;
        const assignmentId = (part: string): string => `as-${ids}-${made}-${part.replaceAll(':', '.')}`;
        return coverByRun(state, { ...run, assignmentId });
      }
      default:
        if (state.withdrawn) return random() < 0.5 ? relistTransaction(state, { syncId: 's', relistedAt: at }) : [];
        return random() < 0.3 ? withdrawTransaction(state, { syncId: 's', withdrawnAt: at }) : [];
    }
  }

  /** One of a few, so that values repeat. */
  function statement(nowMs: number): { fromDay: string; toDay: string; opening: string; closing: string; net: string } {
    const day = iso(nowMs - (nowMs % (7 * DAY_MS))).slice(0, 10);
    return { fromDay: day, toDay: day, opening: '100000', closing: one(['100000', '100500']), net: '0' };
  }

  function sync(nowMs: number): void {
    const { accountId, companyId, bankCode, subAccountKey } = one(ACCOUNTS);
    const statedBalances = options.complete === true || random() < 0.5 ? [] : [statement(nowMs)];
    const page = {
      accountId,
      bankCode,
      subAccountKey,
      statedBalances,
      fetched: below(9),
      inserted: below(9),
      duplicates: below(9),
    };
    const failed = { failedAt: iso(nowMs), durationMs: 1, requests: 1, kind: 'permanent', nextAllowedAt: null };
    append('syncRun', `sync-${ids}-${made}`, companyId, [
      requestedSync({ syncId: `sync-${ids}-${made}`, accountId, bankCode, requestedAt: iso(nowMs - below(DAY_MS)) }),
      ingestedPage({ ...page, ingestedAt: iso(nowMs) }),
      random() < 0.7
        ? {
            type: 'SyncCompleted',
            data: { accountId, completedAt: iso(nowMs), durationMs: 1, requests: 1, balances: [] },
          }
        : {
            type: 'SyncFailed',
            data: { accountId, ...failed, source: null, place: null, code: 'BROKEN', message: 'x' },
          },
    ]);
  }

  for (const { nth, atMs, account, units, incoming, balance, arrivesMs } of rows) {
    made += 1;
    const { companyId, ...side } = account;
    const id = `${ids}-${nth}`;
    const plain = (amount: bigint): string => {
      const digits = String(amount < 0n ? -amount : amount).padStart(6, '0');
      const fraction = digits.slice(-5).replace(/0+$/, '');
      return `${amount < 0n ? '-' : ''}${digits.slice(0, -5)}${fraction === '' ? '' : `.${fraction}`}`;
    };
    const data = recordedData({
      ...side,
      transactionId: id,
      providerStamp: id,
      transactionDate: iso(Math.floor(atMs)),
      fetchedAt: iso(Math.floor(arrivesMs)),
      nameSurname: one(NAMES),
      iban: one(IBANS),
      idNo: one(['', '1234567890']),
      amount: plain(units),
      incoming,
      balance: plain(balance),
      balanceStated: true,
      automation: options.legacy !== true && random() < 0.8 ? 'pending' : 'legacy',
    });
    const life = { id, companyId, state: bankTransaction.initialState };
    lives.push(life);
    happen(life, [recordTransaction(data)]);
    while (random() < 0.6) {
      made += 1;
      change(arrivesMs);
    }
    if (below(25) === 0) sync(arrivesMs);
  }
  return appends;
}
