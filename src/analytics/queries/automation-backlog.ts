import { transactionsThen } from '../../audit/lists-then.ts';
import { listAsOf } from '../../audit/page-as-of.ts';
import { automationSums } from '../../projections/analytics/automation.ts';
import { transactions } from '../../projections/transactions.ts';
import { openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, type Row } from '../query.ts';
import type { Source } from '../source.ts';
import { EVER, eachPeriod } from '../sums-by-period.ts';

/** Unfinished states, the most urgent first. */
const STATUSES = ['dead', 'retry', 'pending', 'legacy'] as const;

async function oldestAt(source: Source, status: string): Promise<string | null> {
  const oldestFirst = listAsOf(source.log, source.reader, {
    list: { ...transactionsThen, days: null },
    filter: [{ field: 'automation.status', op: 'eq', value: status }],
    sort: [{ field: 'createdAt', direction: 'asc' }],
    position: source.position,
    pageSize: 1,
  });
  for await (const { createdAt } of oldestFirst) return createdAt;
  return null;
}

export const automationBacklog: AnalyticsQuery = {
  id: 'automation-backlog',
  title: 'Automation backlog',
  description:
    'Transactions whose automation is not completed, and when the oldest of them was recorded. `pending` includes ' +
    'those that a worker is processing; ' +
    '`legacy` are those that only a backfill processes.',
  takes: ['asOf'],
  lacks: {
    from: 'It is the backlog at one moment.',
    to: 'It is the backlog at one moment.',
    interval: 'It is the backlog at one moment.',
    timezone: 'It is the backlog at one moment.',
    accountIds: 'Automation is counted over the whole company.',
    bankCodes: 'Automation is counted over the whole company.',
    currency: 'Automation is counted over the whole company.',
    groupBy: 'Automation is counted over the whole company.',
  },
  columns: () => [column.text('status'), column.count('count', 'transactions'), column.moment('oldestAt')],
  chart: 'bar',
  reads: [automationSums.projection, transactions],
  async answer(source) {
    const groups = openGroups();
    await eachPeriod(source, automationSums, { filter: [], periods: EVER }, (_, __, figures) =>
      groups.add([], figures),
    );
    const [all] = groups.all();
    const rows: Row[] = [];
    for (const status of STATUSES) {
      const count = all?.count(status) ?? 0;
      if (count !== 0) rows.push({ status, count, oldestAt: await oldestAt(source, status) });
    }
    const total = rows.reduce((sum, row) => sum + Number(row.count), 0);
    return { rows, totals: rows.length === 0 ? [] : [{ count: total }] };
  },
};
