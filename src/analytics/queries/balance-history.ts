import { type WalkedDay, walkDays } from '../../deciders/completeness.ts';
import { accountDays } from '../../projections/account-days.ts';
import { flows } from '../../projections/analytics/flows.ts';
import { subAccounts } from '../../projections/analytics/sub-accounts.ts';
import { add, type Decimal, subtract } from '../../shared/money.ts';
import { type AccountSide, accountSides, openAccountDaysThen } from '../account-days-then.ts';
import { daysLater, type Period, utcDay } from '../calendar.ts';
import { openGroups } from '../groups.ts';
import { refuseTooManyRows } from '../most-rows.ts';
import { type AnalyticsQuery, type Asked, column, type Row } from '../query.ts';
import type { Source } from '../source.ts';
import { eachPeriod } from '../sums-by-period.ts';

/** The sum of a UTC day's rows before an instant of that day; null without such rows. */
type MovedBefore = (epochMs: number) => Decimal | null;

/** Resolved to quarter hours, which matters only where a period does not end with a UTC day. */
async function openMoved(
  source: Source,
  sides: readonly AccountSide[],
  asked: Asked,
): Promise<(side: AccountSide) => MovedBefore> {
  const periods = asked.calendar.periods.flatMap(({ endMs }): Period[] => {
    const period = utcDay(endMs);
    const startMs = Date.parse(period);
    return startMs === endMs ? [] : [{ period, startMs, endMs }];
  });
  if (periods.length === 0) return () => () => null;
  const moved = openGroups();
  const filter = (['subAccountKey', 'bankCode'] as const).map((field) => {
    return { field, op: 'in', value: [...new Set(sides.map((side) => side[field]))] } as const;
  });
  await eachPeriod(
    source,
    flows,
    { filter, periods },
    ({ bankCode, subAccountKey }, day, figures) => moved.add([bankCode, subAccountKey, day], figures),
    source.tenant,
  );
  const byDay = new Map(moved.all().map((group) => [group.parts.join(' '), group]));
  return ({ bankCode, subAccountKey }) =>
    (epochMs) => {
      const group = byDay.get([bankCode, subAccountKey, utcDay(epochMs)].join(' '));
      return group === undefined ? null : subtract(group.money('inflow'), group.money('outflow'));
    };
}

/** At a moment no earlier than that of the call before; null before the first row, and without a stated balance. */
type BalanceAt = (epochMs: number) => Decimal | null;

/** @param days in order */
function openBalances(days: readonly WalkedDay[], moved: MovedBefore): BalanceAt {
  let next = 0;
  return (epochMs) => {
    const day = utcDay(epochMs);
    while ((days[next]?.day ?? day) < day) next += 1;
    const last = days[next - 1];
    const within = Date.parse(day) === epochMs || days[next]?.day !== day ? undefined : days[next];
    if (within === undefined) return last?.closing ?? null;
    const movement = moved(epochMs);
    if (movement === null && last === undefined) return null;
    return within.opening === null ? null : add(within.opening, movement ?? '0');
  };
}

export const balanceHistory: AnalyticsQuery = {
  id: 'balance-history',
  title: 'Balance history',
  description:
    'The balance of each physical account at the end of each period, as the bank states it. A period without rows ' +
    'has the balance of the period ' +
    'before; a period without any known balance is omitted. The totals are those of the last period.',
  takes: ['from', 'to', 'interval', 'timezone', 'accountIds', 'bankCodes', 'currency', 'asOf'],
  lacks: {
    groupBy: 'A row is of one physical account as it is; balances of several are not added.',
  },
  columns: () => [
    column.day('period'),
    column.text('accountId'),
    column.text('subAccountKey'),
    column.text('currency'),
    column.money('closingBalance'),
  ],
  chart: 'line',
  reads: [subAccounts.projection, accountDays, flows.projection],
  async answer(source, asked) {
    const { periods } = asked.calendar;
    const [first, last] = [periods[0], periods.at(-1)];
    if (first === undefined || last === undefined) return { rows: [], totals: [] };
    const days = openAccountDaysThen(source);
    const rows: Row[] = [];
    const totals = openGroups();
    const counted = new Set<string>();
    const sides = await accountSides(source, asked);
    refuseTooManyRows(sides.length * periods.length);
    const movedOf = await openMoved(source, sides, asked);
    for (const side of sides) {
      const { accountId, subAccountKey, currency, bankCode } = side;
      const moved = movedOf(side);
      const walk = async (): Promise<BalanceAt> =>
        openBalances(walkDays(await days.around(side, utcDay(first.startMs), daysLater(utcDay(last.endMs), 1))), moved);
      // Few of the days of a month matter, and all of those of a shorter period, more or less.
      const throughAll = asked.interval === 'month' ? undefined : await walk();
      for (const { period, endMs } of periods) {
        const balanceAt = throughAll ?? openBalances(walkDays(await days.near(side, utcDay(endMs))), moved);
        const closingBalance = balanceAt(endMs);
        if (closingBalance === null) continue;
        rows.push({ period, accountId, subAccountKey, currency, closingBalance });
        const account = `${bankCode}/${subAccountKey}/${currency}`;
        // The same physical account through another connection is the same money.
        if (period !== last.period || counted.has(account)) continue;
        counted.add(account);
        totals.add([currency], { accounts: 1, closingBalance });
      }
    }
    const order = new Map(periods.map(({ period }, place) => [period, place]));
    const placeOf = ({ period }: Row): number => order.get(String(period)) ?? 0;
    return {
      rows: rows.sort((one, other) => placeOf(one) - placeOf(other)),
      totals: totals.all().map((group) => {
        return { currency: group.parts[0] ?? '', closingBalance: group.money('closingBalance') };
      }),
    };
  },
};
