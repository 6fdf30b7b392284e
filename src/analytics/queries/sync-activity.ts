import { syncSums } from '../../projections/analytics/syncs.ts';
import { type Group, openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, periodsAsked, type Row } from '../query.ts';
import { eachPeriod } from '../sums-by-period.ts';

function figuresOf(group: Group): Row {
  const count = (name: string): number => group.count(name);
  return {
    syncs: count('syncs'),
    fetched: count('fetched'),
    inserted: count('inserted'),
    duplicates: count('duplicates'),
    errors: count('errors'),
  };
}

export const syncActivity: AnalyticsQuery = {
  id: 'sync-activity',
  title: 'Sync activity',
  description:
    'What the syncs of each connection did, by the time it happened: a sync over midnight counts on both days. ' +
    'Errors are failed attempts ' +
    'and failed syncs.',
  takes: ['from', 'to', 'interval', 'timezone', 'accountIds', 'asOf'],
  lacks: {
    bankCodes: 'A row is of one connection; name connections by accountIds.',
    currency: 'A sync brings rows of several currencies and counts them together.',
    groupBy: 'A row is of one connection as it is.',
  },
  columns: () => [
    column.day('period'),
    column.text('accountId'),
    column.count('syncs', 'syncs'),
    column.count('fetched', 'transactions'),
    column.count('inserted', 'transactions'),
    column.count('duplicates', 'transactions'),
    column.count('errors', 'errors'),
  ],
  chart: 'bar',
  reads: [syncSums.projection],
  async answer(source, asked) {
    const rows = openGroups();
    await eachPeriod(source, syncSums, periodsAsked(asked), ({ accountId }, period, figures) => {
      rows.add([period, accountId], figures);
    });
    return {
      rows: rows.all().map((group) => {
        const [period = '', accountId = ''] = group.parts;
        return { period, accountId, ...figuresOf(group) };
      }),
      totals: rows
        .by(() => [])
        .all()
        .map(figuresOf),
    };
  },
};
