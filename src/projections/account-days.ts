import type { RowFigures } from '../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import { add, type Decimal, negate, signed, subtract } from '../shared/money.ts';
import type { Projection } from './projection.ts';

/**
 * One booking day of one physical account, folded so that the order of rows within the day does not matter. Every row
 * goes from a balance before it to a balance after it; `steps` counts, for each balance, how often it was an "after"
 * minus how often it was a "before". A day without missing or doubled rows is one chain, so all counts cancel except
 * the day's opening (-1) and closing (+1).
 */
export type AccountDayDocument = Document & {
  readonly tenantId: string;
  readonly bankCode: string;
  readonly subAccountKey: string;
  readonly day: string;
  readonly count: number;
  readonly net: Decimal;
  readonly steps: Readonly<Record<string, number>>;
  /** Rows for which the bank stated no balance: their day cannot be checked. */
  readonly unstated: number;
  readonly stated: readonly StatedSpan[];
};

/** What a statement states about a span of days that ends on this day. */
export type StatedSpan = {
  readonly fromDay: string;
  readonly opening: Decimal;
  readonly closing: Decimal;
  readonly net: Decimal;
  /** The log position at which it was first read. */
  readonly position: string;
};

export function accountDayKey(tenantId: string, bankCode: string, subAccountKey: string, day: string): string {
  return documentId(tenantId, bankCode, subAccountKey, day);
}

function stepped(steps: Readonly<Record<string, number>>, changes: readonly (readonly [Decimal, number])[]) {
  // What cancels is left out, not deleted: objects that something was deleted from are slow from then on.
  const sums = new Map(Object.entries(steps));
  for (const [balance, by] of changes) sums.set(balance, (sums.get(balance) ?? 0) + by);
  const after: Record<string, number> = {};
  for (const [balance, sum] of sums) if (sum !== 0) after[balance] = sum;
  return after;
}

const TAKES = [
  'TransactionRecorded',
  'TransactionWithdrawn',
  'TransactionRelisted',
  'SyncPageIngested',
] as const satisfies readonly EventType[];
export type AccountDayEvent = (typeof TAKES)[number];

/** Adds a row to its day, or removes it again. */
function withRow(before: Body, row: RowFigures, times: 1 | -1): Body {
  const change = signed(row.amount, row.incoming);
  const steps = row.balanceStated
    ? stepped(before.steps, [
        [row.balance, times],
        [subtract(row.balance, change), -times],
      ])
    : before.steps;
  return {
    ...before,
    count: before.count + times,
    net: add(before.net, times === 1 ? change : negate(change)),
    steps,
    unstated: before.unstated + (row.balanceStated ? 0 : times),
  };
}

type Body = Omit<AccountDayDocument, '_position'>;

function spanText({ fromDay, opening, closing, net }: Omit<StatedSpan, 'position'>): string {
  return JSON.stringify([fromDay, opening, closing, net]);
}

/** The day as it stood at a position. @param later what was added to the document since */
export function accountDayBefore(
  document: AccountDayDocument,
  position: string,
  later: readonly KnownEvent<AccountDayEvent>[],
): AccountDayDocument {
  const rows = later.reduce<Body>((before, event) => {
    if (event.type === 'TransactionRecorded') return withRow(before, event.data, -1);
    if (event.type === 'TransactionWithdrawn') return withRow(before, event.data.row, 1);
    return event.type === 'TransactionRelisted' ? withRow(before, event.data.row, -1) : before;
  }, document);
  const stated = document.stated.filter((span) => span.position <= position);
  return { ...rows, stated, _position: position };
}

export const accountDays: Projection<AccountDayDocument, AccountDayEvent> = {
  name: 'account-days',
  version: 3,
  takes: TAKES,
  keys(event) {
    const { tenantId } = event.metadata;
    switch (event.type) {
      case 'TransactionRecorded': {
        const { bankCode, subAccountKey, transactionDate } = event.data;
        return [accountDayKey(tenantId, bankCode, subAccountKey, transactionDate.slice(0, 10))];
      }
      case 'TransactionWithdrawn':
      case 'TransactionRelisted': {
        const { bankCode, subAccountKey, transactionDate } = event.data.row;
        return [accountDayKey(tenantId, bankCode, subAccountKey, transactionDate.slice(0, 10))];
      }
      case 'SyncPageIngested': {
        const { bankCode, subAccountKey, statedBalances } = event.data;
        const days = new Set(statedBalances.map((span) => span.toDay));
        return [...days].map((day) => accountDayKey(tenantId, bankCode, subAccountKey, day));
      }
    }
  },
  evolve(document, event, key) {
    const { tenantId } = event.metadata;
    const fresh = (bankCode: string, subAccountKey: string, day: string): Body => ({
      _id: key,
      tenantId,
      bankCode,
      subAccountKey,
      day,
      count: 0,
      net: '0',
      steps: {},
      unstated: 0,
      stated: [],
    });
    switch (event.type) {
      case 'TransactionRecorded': {
        const { bankCode, subAccountKey, transactionDate } = event.data;
        return withRow(document ?? fresh(bankCode, subAccountKey, transactionDate.slice(0, 10)), event.data, 1);
      }
      case 'TransactionWithdrawn':
        return document === undefined ? undefined : withRow(document, event.data.row, -1);
      case 'TransactionRelisted':
        return document === undefined ? undefined : withRow(document, event.data.row, 1);
      case 'SyncPageIngested': {
        const { bankCode, subAccountKey, statedBalances } = event.data;
        const day = key.slice(-10);
        const before = document ?? fresh(bankCode, subAccountKey, day);
        const known = new Set(before.stated.map(spanText));
        const seen = statedBalances
          .filter((span) => span.toDay === day && !known.has(spanText(span)))
          .map(({ fromDay, opening, closing, net }): StatedSpan => {
            return { fromDay, opening, closing, net, position: event.position };
          });
        return seen.length === 0 && document !== undefined
          ? document
          : { ...before, stated: [...before.stated, ...seen] };
      }
    }
  },
  indexes: [{ fields: ['tenantId', 'bankCode', 'subAccountKey', 'day'] }],
  isReadOften: true,
};
