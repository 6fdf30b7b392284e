import { walkDays } from '../../deciders/completeness.ts';
import { accountDays } from '../../projections/account-days.ts';
import { subAccounts } from '../../projections/analytics/sub-accounts.ts';
import { accountSides, openAccountDaysThen } from '../account-days-then.ts';
import { refuseTooManyRows } from '../most-rows.ts';
import { type AnalyticsQuery, column, type Row } from '../query.ts';

export const completenessGaps: AnalyticsQuery = {
  id: 'completeness-gaps',
  title: 'Completeness gaps',
  description:
    'Days on which the running balance shows that rows are missing or duplicated: the balance that the rows lead ' +
    'to, the one that the bank states, and the latter minus ' +
    'the former. Days are UTC days, by which balances are checked. A gap in a physical account is listed for each ' +
    'connection that recorded rows of it.',
  takes: ['from', 'to', 'accountIds', 'bankCodes', 'currency', 'asOf'],
  lacks: {
    interval: 'A gap is located to its day.',
    timezone: 'Balances are checked by UTC days.',
    groupBy: 'A row is of one physical account as it is.',
  },
  columns: () => [
    column.text('accountId'),
    column.text('subAccountKey'),
    column.day('day'),
    column.money('expectedBalance'),
    column.money('statedBalance'),
    column.money('difference'),
  ],
  chart: 'table',
  reads: [subAccounts.projection, accountDays],
  async answer(source, asked) {
    const days = openAccountDaysThen(source);
    const rows: Row[] = [];
    for (const side of await accountSides(source, asked)) {
      const { accountId, subAccountKey } = side;
      for (const { gap } of walkDays(await days.around(side, asked.from, asked.to))) {
        if (gap === null || gap.day < asked.from || gap.day >= asked.to) continue;
        rows.push({ accountId, subAccountKey, ...gap });
        refuseTooManyRows(rows.length);
      }
    }
    return { rows, totals: rows.length === 0 ? [] : [{ gaps: rows.length }] };
  },
};
