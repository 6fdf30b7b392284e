import type { Projection } from '../projections/projection.ts';
import { dayOf, type TransactionDayDocument } from '../projections/transaction-days.ts';
import type { Page, Reader } from '../queries/reader.ts';
import { keysetOf } from '../readstore/ordering.ts';
import type { Condition, Document, Filter, Sort } from '../readstore/read-store.ts';

const DAYS_AT_ONCE = 64;
/** Sorts after every moment of a day. */
const DAY_END = 'T~';

/** The read model of the days that have documents, and the field of the documents that the days belong to. */
export type DaysThen = { readonly projection: Projection<TransactionDayDocument>; readonly field: string };

type Question = {
  readonly filter: Filter;
  /** By the field of the days. */
  readonly sort: Sort;
  readonly limit: number;
  readonly after?: readonly (string | number)[];
};

/** Consecutive days that had documents at the position: from the first up to the one before `next`. */
type Run = { readonly first: string; readonly next: string | null };

/**
 * The run of days that the last page of a walk ended in: its further pages need not look for it again, since what there
 * was at a position does not change. For one list, position, filter and direction.
 */
export type DaysWalked = { run: Run | null };

/**
 * {@link Reader.page} of the documents at the position: days without any at that time are skipped, however many they
 * have now. Both read models have reached the position.
 */
export async function pageOfDaysThen<D extends Document & { tenantId: string; companyId?: string }>(
  reader: Reader,
  list: Projection<D>,
  { projection, field }: DaysThen,
  position: string,
  { filter, sort, limit, after }: Question,
  walked: DaysWalked = { run: null },
): Promise<Page<D>> {
  const descending = sort[0]?.direction === 'desc';
  // One more than is returned shows whether anything follows.
  const wanted = limit + 1;
  const items: D[] = [];
  let bounds = dayBounds(filter, field);
  if (after !== undefined)
    bounds.push({ field: 'day', op: descending ? 'lte' : 'gte', value: dayOf(String(after[0])) });
  if (walked.run !== null && !isWithin(walked.run, after, descending)) walked.run = null;
  while (items.length < wanted) {
    const run = walked.run ?? (await nextRun(reader, projection, position, descending, bounds));
    if (run === null) break;
    walked.run = run;
    const within = [...filter, ...runBounds(run, field, descending)];
    const page = await reader.page(list, {
      filter: within,
      sort,
      limit: wanted - items.length,
      ...(after && { after }),
    });
    items.push(...page.items);
    if (run.next === null || items.length === wanted) break;
    walked.run = null;
    bounds = [...dayBounds(filter, field), { field: 'day', op: descending ? 'lte' : 'gte', value: run.next }];
  }
  if (items.length <= limit) return { items, after: null };
  return { items: items.slice(0, limit), after: keysetOf(sort)(items[limit - 1]) };
}

/** Whether what follows the keyset begins in the run. */
function isWithin({ first, next }: Run, after: Question['after'], descending: boolean): boolean {
  if (after === undefined) return false;
  const day = dayOf(String(after[0]));
  return descending ? day <= first && (next === null || day > next) : day >= first && (next === null || day < next);
}

function dayBounds(filter: Filter, field: string): Condition[] {
  return filter.flatMap((condition): Condition[] => {
    if (condition.field !== field || typeof condition.value !== 'string') return [];
    const value = dayOf(condition.value);
    if (condition.op === 'gt' || condition.op === 'gte') return [{ field: 'day', op: 'gte', value }];
    return condition.op === 'lt' || condition.op === 'lte' ? [{ field: 'day', op: 'lte', value }] : [];
  });
}

function runBounds({ first, next }: Run, field: string, descending: boolean): Condition[] {
  const bounds: Condition[] = descending
    ? [{ field, op: 'lte', value: `${first}${DAY_END}` }]
    : [{ field, op: 'gte', value: first }];
  if (next === null) return bounds;
  bounds.push(descending ? { field, op: 'gt', value: `${next}${DAY_END}` } : { field, op: 'lt', value: next });
  return bounds;
}

/** The first such run in the direction; null for none. */
async function nextRun(
  reader: Reader,
  projection: DaysThen['projection'],
  position: string,
  descending: boolean,
  bounds: Filter,
): Promise<Run | null> {
  const sort = [{ field: 'day', direction: descending ? 'desc' : 'asc' }] as const;
  let first: string | undefined;
  let after: readonly (string | number)[] | null | undefined;
  let last: { readonly day: string; readonly wasThere: boolean } | undefined;
  while (after !== null) {
    const page: Page<TransactionDayDocument> = await reader.page(projection, {
      filter: bounds,
      sort,
      limit: DAYS_AT_ONCE,
      ...(after && { after }),
    });
    for (const { day, firstPosition } of page.items) {
      const wasThere = firstPosition <= position;
      // A day has one document per company: it ends when the next day starts.
      if (last !== undefined && last.day !== day) {
        if (last.wasThere) first ??= last.day;
        else if (first !== undefined) return { first, next: last.day };
      }
      last = { day, wasThere: wasThere || (last?.day === day && last.wasThere) };
    }
    after = page.after;
    // The start of a run is known: return it without reading further days.
    if (first !== undefined && after !== null && last !== undefined && last.day !== first) {
      return { first, next: last.day };
    }
  }
  if (last?.wasThere === true) first ??= last.day;
  else if (first !== undefined && last !== undefined) return { first, next: last.day };
  return first === undefined ? null : { first, next: null };
}
