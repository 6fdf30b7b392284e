import { bankTransaction, evaluateAutomation, recordTransaction } from '../deciders/bank-transaction.ts';
import { isRefusal } from '../deciders/decider.ts';
import type { NewEvent } from '../events/event.ts';
import type { EventData } from '../events/registry.ts';
import { type Append, LogUnavailable } from '../log/log.ts';
import { isoTime } from '../shared/clock.ts';
import { computedId } from '../shared/ids.ts';
import { createLoopBudget } from '../shared/loop-budget.ts';
import type { Evaluation } from './change-transaction.ts';
import { type CommandContext, metadataFor } from './command.ts';

/** What live automation finds for rows that are about to be recorded. */
export type Arrivals = {
  /** On whose behalf the evaluations are recorded. */
  readonly context: CommandContext;
  /** The position up to which every change of a rule is known. */
  readonly rulesKnownTo: string;
  /** By the rules in force at that position. @throws whatever an evaluation throws */
  readonly evaluate: (recorded: EventData<'TransactionRecorded'>) => Evaluation;
  /** Is told whether the log took any of the rows that were evaluated, or a rule had changed meanwhile. */
  readonly settle: (isTaken: boolean) => void;
};

/** Null where rows are recorded without an evaluation at present. */
export type OpenArrivals = () => Promise<Arrivals | null>;

/** The first append of a row's stream: its `TransactionRecorded`. */
export type RowAppend = Append & { readonly recorded: NewEvent & { readonly data: EventData<'TransactionRecorded'> } };

const STRETCH_MS = 8;
/** Rows that are evaluated and appended at a time: as many are evaluated in vain where a rule has changed meanwhile. */
const PORTION = 100;
/** Further events that an append may have: a row that hundreds of rules match is left to automation. */
const MOST_FURTHER = 50;

/**
 * Records those of the rows that can be recorded together with their evaluation: each is one append, which the log
 * takes only if no rule of the tenant has changed since the position whose rules were used, so that these are the rules
 * in force where the row is recorded. The other rows are not recorded, for whatever reason: they are recorded without
 * an evaluation afterwards, and automation evaluates them. All ids are computed from that of the row's event, so that a
 * page that is repeated finds what it did.
 * @returns the streams of the rows that are recorded
 * @throws LogUnavailable
 */
export async function recordEvaluated(
  { log }: CommandContext,
  rows: readonly RowAppend[],
  openArrivals: OpenArrivals,
): Promise<ReadonlySet<string>> {
  const recorded = new Set<string>();
  if (log.appendManyUnless === undefined) return recorded;
  for (let at = 0; at < rows.length; at += PORTION) {
    const arrivals = await openArrivals();
    if (arrivals === null) break;
    const appends = await evaluated(arrivals, rows.slice(at, at + PORTION));
    const { tenantId } = arrivals.context;
    const changed = { category: 'transactionRule', tenantId, after: arrivals.rulesKnownTo } as const;
    const results = await log.appendManyUnless(appends, changed).catch((error: unknown) => {
      // Anything else was found before the log wrote: an evaluation that cannot be appended must not keep rows out.
      if (error instanceof LogUnavailable) throw error;
      return [];
    });
    const taken = appends.filter((_, index) => results[index]?.outcome === 'appended');
    for (const { stream } of taken) recorded.add(stream);
    if (appends.length === 0) continue;
    arrivals.settle(taken.length > 0);
    // Rules are changing just now: what else is evaluated would probably be in vain as well.
    if (taken.length === 0) break;
  }
  return recorded;
}

async function evaluated(arrivals: Arrivals, rows: readonly RowAppend[]): Promise<Append[]> {
  const appends: Append[] = [];
  const budget = createLoopBudget(STRETCH_MS);
  for (const { stream, expected, events, recorded } of rows) {
    if (budget.isSpent()) await budget.rest();
    const further = furtherEvents(arrivals, recorded);
    if (further !== null) appends.push({ stream, expected, events: [...events, ...further] });
  }
  return appends;
}

/** The evaluation and its assignments; null for a row that is left to automation. */
function furtherEvents(arrivals: Arrivals, { id, data }: RowAppend['recorded']): NewEvent[] | null {
  const context = { ...arrivals.context, causationId: id };
  const state = bankTransaction.evolve(bankTransaction.initialState, recordTransaction(data));
  let assignments = 0;
  try {
    const facts = evaluateAutomation(state, {
      ...arrivals.evaluate(data),
      evaluatedAt: isoTime(context.clock.now()),
      newId() {
        assignments += 1;
        return computedId('assignment', id, String(assignments));
      },
    });
    if (isRefusal(facts) || facts.length === 0 || facts.length > MOST_FURTHER) return null;
    return facts.map((fact, index) => ({
      id: computedId('evaluated', id, String(index)),
      ...fact,
      metadata: metadataFor(context, fact.type, context.companyId),
    }));
  } catch {
    // Automation fails at it as well, and records that.
    return null;
  }
}
