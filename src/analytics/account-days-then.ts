import { settlesItself } from '../deciders/completeness.ts';
import type { KnownEvent } from '../events/registry.ts';
import {
  type AccountDayDocument,
  type AccountDayEvent,
  accountDayBefore,
  accountDays,
} from '../projections/account-days.ts';
import { subAccounts } from '../projections/analytics/sub-accounts.ts';
import { takesEvent } from '../projections/fold-event.ts';
import type { Filter } from '../readstore/read-store.ts';
import { daysLater } from './calendar.ts';
import { openGroups } from './groups.ts';
import { type Asked, narrowed } from './query.ts';
import { eventsSince, type Source } from './source.ts';
import { EVER, eachPeriod } from './sums-by-period.ts';

const DAYS_A_LOOK = 16;
/** Where there are rows on most days, enough to find a day that settles itself before a day, and one after it. */
const [DAYS_BEFORE, DAYS_NEAR] = [3, 5];

/** A physical account that has rows, and the connection they came through. */
export type AccountSide = {
  readonly accountId: string;
  readonly subAccountKey: string;
  readonly currency: string;
  readonly bankCode: string;
};

/** In the order of connection, account and currency. */
export async function accountSides(
  source: Source,
  asked: Pick<Asked, 'accountIds' | 'bankCodes' | 'currency'>,
): Promise<AccountSide[]> {
  const groups = openGroups();
  const ever = { filter: narrowed(asked), periods: EVER };
  await eachPeriod(source, subAccounts, ever, ({ accountId, subAccountKey, currency, bankCode }, _, figures) =>
    groups.add([accountId, subAccountKey, currency, bankCode], figures),
  );
  return groups.all().map(({ parts: [accountId = '', subAccountKey = '', currency = '', bankCode = ''] }) => {
    return { accountId, subAccountKey, currency, bankCode };
  });
}

/** The booking days of physical accounts as they stood at the source's position. */
export type AccountDaysThen = {
  /**
   * Begins with a day whose closing balance does not depend on the days before it (before `fromDay` where there is
   * one), and ends with the first such day at or after `toDay`. Days without any rows left are omitted.
   */
  readonly around: (account: AccountSide, fromDay: string, toDay: string) => Promise<AccountDayDocument[]>;
  /** The same for one day, mostly with one look at few days. */
  readonly near: (account: AccountSide, day: string) => Promise<AccountDayDocument[]>;
};

export function openAccountDaysThen(source: Source): AccountDaysThen {
  const later = new Map<string, KnownEvent<AccountDayEvent>[]>();
  let readTo = source.position;

  async function readOn(upTo: string): Promise<void> {
    if (upTo <= readTo) return;
    const rest = { ...source, position: readTo };
    readTo = upTo;
    for await (const event of eventsSince(rest, upTo, ['bankTransaction', 'syncRun'])) {
      if (!takesEvent(accountDays, event)) continue;
      for (const key of accountDays.keys(event)) {
        const known = later.get(key);
        if (known === undefined) later.set(key, [event]);
        else known.push(event);
      }
    }
  }

  async function then(document: AccountDayDocument): Promise<AccountDayDocument> {
    if (document._position <= source.position) return document;
    await readOn(document._position);
    const since = (later.get(document._id) ?? []).filter(({ position }) => position <= document._position);
    return accountDayBefore(document, source.position, since);
  }

  const held = ({ count, stated }: AccountDayDocument): boolean => count > 0 || stated.length > 0;

  const daysOf = ({ bankCode, subAccountKey }: AccountSide): Filter => [
    { field: 'bankCode', op: 'eq', value: bankCode },
    { field: 'subAccountKey', op: 'eq', value: subAccountKey },
  ];

  const opened: AccountDaysThen = {
    async around(side, fromDay, toDay) {
      const account = daysOf(side);
      const before: AccountDayDocument[] = [];
      let after: (string | number)[] | null | undefined;
      const settled = (): boolean => before.some(settlesItself);
      while (after !== null && !settled()) {
        const page = await source.tenant.page(accountDays, {
          filter: [...account, { field: 'day', op: 'lt', value: fromDay }],
          sort: [{ field: 'day', direction: 'desc' }],
          limit: DAYS_A_LOOK,
          ...(after && { after }),
        });
        for (const document of page.items) {
          if (settled()) break;
          const stood = await then(document);
          if (held(stood)) before.unshift(stood);
        }
        after = page.after;
      }
      const days = [...before];
      const sort = [{ field: 'day', direction: 'asc' }] as const;
      const onwards = [...account, { field: 'day', op: 'gte', value: fromDay } as const];
      for await (const document of source.tenant.all(accountDays, { filter: onwards, sort })) {
        const stood = await then(document);
        if (!held(stood)) continue;
        days.push(stood);
        if (stood.day >= toDay) break;
      }
      return days;
    },
    async near(side, day) {
      const page = await source.tenant.page(accountDays, {
        filter: [...daysOf(side), { field: 'day', op: 'gte', value: daysLater(day, -DAYS_BEFORE) }],
        sort: [{ field: 'day', direction: 'asc' }],
        limit: DAYS_NEAR,
      });
      const days: AccountDayDocument[] = [];
      for (const document of page.items) {
        const stood = await then(document);
        if (held(stood)) days.push(stood);
      }
      const first = days.findLastIndex((one) => one.day < day && settlesItself(one));
      const after = days.findIndex((one) => one.day > day);
      if (first < 0 || (after < 0 && page.after !== null)) return await opened.around(side, day, daysLater(day, 1));
      return days.slice(first, after < 0 ? undefined : after + 1);
    },
  };
  return opened;
}
