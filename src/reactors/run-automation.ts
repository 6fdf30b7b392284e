import pLimit from 'p-limit';
import {
  type Evaluation,
  type FreshEvaluation,
  recordEvaluation,
  recordEvaluationFailure,
  recordFreshEvaluations,
  referencesAsked,
} from '../commands/change-transaction.ts';
import { type CommandContext, ConcurrencyError } from '../commands/command.ts';
import { AppendTooLarge } from '../log/log.ts';
import { ruleVersions } from '../projections/rules.ts';
import { recordedBalance, type TransactionDocument, transactions } from '../projections/transactions.ts';
import { type CompanyRules, evaluateByRules, type RuleBook } from '../queries/rule-book.ts';
import { openWorkByTenant, type WorkByTenant } from '../queries/work-by-tenant.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import type { Filter, Lease } from '../readstore/read-store.ts';
import { backoffMs } from '../shared/backoff.ts';
import { isoTime } from '../shared/clock.ts';
import { documentId } from '../shared/ids.ts';
import { type ReactorServices, workerContext } from './reactor-services.ts';

const BATCH = 500;
const PER_TENANT = 100;
/** Each may be as large as an append, and there is one for each transaction that is not recorded with the others. */
const AT_ONCE = 16;
const BACKOFF = { firstMs: 30_000, mostMs: 3_600_000 };
const PROJECTED_WITHIN_MS = 5_000;

/** Resolves true once the read model contains the position, false when the time limit expires first. */
export type WaitFor = (projectionNames: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;

/** If more is due than one run takes, some transactions of each tenant. */
export function dueTransactions({ readModels, clock }: ReactorServices): WorkByTenant<TransactionDocument> {
  const all = readModels.of(transactions);
  const find = async ({ filter, limit }: { filter: Filter; limit: number }): Promise<TransactionDocument[]> => {
    const now = isoTime(clock.now());
    if (filter.length === 0) {
      return all.find({
        filter: [
          { field: 'automationDueAt', op: 'gt', value: '' },
          { field: 'automationDueAt', op: 'lte', value: now },
        ],
        sort: [{ field: 'automationDueAt', direction: 'asc' }],
        limit,
      });
    }
    const due: TransactionDocument[] = [];
    for (const status of ['retry', 'pending']) {
      const open: Filter = [
        ...filter,
        { field: 'automation.status', op: 'eq', value: status },
        { field: 'automationDueAt', op: 'gt', value: '' },
        { field: 'automationDueAt', op: 'lte', value: now },
      ];
      const sort = [{ field: 'createdAt', direction: 'asc' }] as const;
      due.push(...(await all.find({ filter: open, sort, limit: Math.ceil(limit / 2) })));
    }
    return due;
  };
  return openWorkByTenant(readModels, find, { lookAt: BATCH, perTenant: PER_TENANT });
}

/**
 * One run: the transactions that are due, at most 500, those of each tenant under one lease (ADR 0044). Which rules
 * apply depends only on the position at which the transaction was recorded, so it does not matter when or where it
 * runs, and the log accepts the result only once.
 */
export async function runAutomation(
  services: ReactorServices,
  waiting: WorkByTenant<TransactionDocument>,
  ruleBook: RuleBook,
  waitFor: WaitFor,
): Promise<boolean> {
  const due = await waiting.look();
  if (due.length === 0) return false;
  const newest = due.reduce(
    (position, { recordedPosition }) => (recordedPosition > position ? recordedPosition : position),
    '',
  );
  // Rules created before a transaction was recorded must be in the read model before it is evaluated.
  if (!(await waitFor([ruleVersions.name], newest, PROJECTED_WITHIN_MS))) return false;
  const held = await holdTenants(services, new Set(due.map(({ tenantId }) => tenantId)));
  const mine = due.filter(({ tenantId }) => held.has(tenantId));
  let worked = false;
  try {
    const last = await automateAll(services, ruleBook, mine, held);
    // The next run must not find the same ones again, so this one waits until the read model has folded them.
    worked = last !== '';
    if (worked) await waitFor([transactions.name], last, PROJECTED_WITHIN_MS);
  } finally {
    await services.readStore.leases.releaseMany([...held.keys()].map(leaseNames.automation), services.owner);
  }
  return worked;
}

/** The leases of those tenants that no other owner holds, by tenant. */
async function holdTenants(services: ReactorServices, tenantIds: Iterable<string>): Promise<Map<string, Lease>> {
  const { readStore, owner, timing, clock } = services;
  const byName = new Map(Array.from(tenantIds, (tenantId) => [leaseNames.automation(tenantId), tenantId]));
  const leases = await readStore.leases.acquireMany([...byName.keys()], owner, timing.leaseMs, clock.now());
  return new Map(leases.map((lease) => [byName.get(lease.name) ?? '', lease]));
}

/**
 * What may still be appended: a lease that has run out, and that another owner has held since, has another fence. Those
 * with more than half of their time left need no look.
 */
async function stillHeld<Of extends { readonly transaction: TransactionDocument }>(
  services: ReactorServices,
  evaluated: readonly Of[],
  held: ReadonlyMap<string, Lease>,
): Promise<readonly Of[]> {
  const soon = services.clock.now() + services.timing.leaseMs / 2;
  const old = [...held].filter(([, lease]) => Date.parse(lease.until) <= soon).map(([tenantId]) => tenantId);
  if (old.length === 0) return evaluated;
  const renewed = await holdTenants(services, old);
  const lost = new Set(old.filter((tenantId) => renewed.get(tenantId)?.fence !== held.get(tenantId)?.fence));
  return evaluated.filter(({ transaction }) => !lost.has(transaction.tenantId));
}

/** @returns the highest position appended, "" for none */
async function automateAll(
  services: ReactorServices,
  ruleBook: RuleBook,
  transactionsHeld: readonly TransactionDocument[],
  held: ReadonlyMap<string, Lease>,
): Promise<string> {
  const companies = new Map<string, Promise<CompanyRules>>();
  const rulesOf = ({ tenantId, companyId }: TransactionDocument): Promise<CompanyRules> => {
    const key = documentId(tenantId, companyId);
    const opened = companies.get(key) ?? ruleBook.open(tenantId, companyId);
    companies.set(key, opened);
    return opened;
  };
  const all = await Promise.all(
    transactionsHeld.map(async (transaction) => evaluate(services, await rulesOf(transaction), transaction)),
  );
  const evaluated = await stillHeld(services, all, held);
  const fresh = evaluated.filter((one) => 'matched' in one && one.transaction.revision === 0) as Evaluated[];
  const positions = await recordFreshEvaluations(services.log, fresh.map(asFresh));
  const left = new Set<Evaluated | Failed>(evaluated);
  for (const [index, one] of fresh.entries()) if (positions[index] !== null) left.delete(one);
  const atOnce = pLimit(AT_ONCE);
  const others = await Promise.all([...left].map((one) => atOnce(() => recordOne(services, one))));
  return [...positions, ...others].reduce<string>((a, b) => (b !== null && b > a ? b : a), '');
}

type Evaluated = Evaluation & { readonly transaction: TransactionDocument; readonly context: CommandContext };
type Failed = { readonly transaction: TransactionDocument; readonly context: CommandContext; readonly failure: string };

function evaluate(
  services: ReactorServices,
  rules: CompanyRules,
  transaction: TransactionDocument,
): Evaluated | Failed {
  const { tenantId, companyId, id } = transaction;
  const context = {
    ...workerContext(services, 'automation', { tenantId, companyId, correlationId: transaction.syncId }),
    causationId: transaction.recordedEventId,
  };
  try {
    return { transaction, context, ...evaluateByRules(rules, transaction) };
  } catch (error) {
    services.logger.error({ err: error, tenantId, transactionId: id }, 'a transaction could not be evaluated');
    return { transaction, context, failure: error instanceof Error ? error.name : 'unknown' };
  }
}

function asFresh({ transaction, ...evaluation }: Evaluated): FreshEvaluation {
  return {
    ...evaluation,
    recorded: {
      ...transaction,
      balance: recordedBalance(transaction),
      transactionId: transaction.id,
      automation: 'pending',
    },
  };
}

async function recordOne(services: ReactorServices, one: Evaluated | Failed): Promise<string | null> {
  const { transaction, context } = one;
  const recordFailure = (code: string, message: string) =>
    recordEvaluationFailure(context, transaction.id, {
      code,
      message,
      delayMs: (failures) => backoffMs(failures, BACKOFF, services.random),
    });
  try {
    const done =
      'failure' in one
        ? await recordFailure('EVALUATION_FAILED', one.failure)
        : await recordEvaluation(context, transaction.id, one).catch((error: unknown) => {
            // Where rules of one transaction attach more than an append takes, nothing else must wait for it.
            if (!(error instanceof AppendTooLarge)) throw error;
            const message = `${referencesAsked(one)} assignments are more than one append takes`;
            return recordFailure('EVALUATION_TOO_LARGE', message);
          });
    return done.accepted ? done.position : null;
  } catch (error) {
    // Another instance is evaluating it; the next run sees the result.
    if (error instanceof ConcurrencyError) return null;
    throw error;
  }
}
