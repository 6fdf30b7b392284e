import { flows } from '../../projections/analytics/flows.ts';
import { add, subtract } from '../../shared/money.ts';
import { groupColumns, named } from '../grouping.ts';
import { type Group, openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, periodsAsked, type Row } from '../query.ts';
import { eachPeriod } from '../sums-by-period.ts';

function figuresOf(group: Group): Row {
  const [assignedCount, assignedAmount] = [group.count('assignedCount'), group.money('assignedAmount')];
  const all = add(group.money('inflow'), group.money('outflow'));
  return {
    assignedCount,
    unassignedCount: group.count('count') - assignedCount,
    assignedAmount,
    unassignedAmount: subtract(all, assignedAmount),
  };
}

export const assignmentCoverage: AnalyticsQuery = {
  id: 'assignment-coverage',
  title: 'Assignment coverage',
  description:
    'How many rows, and how much money in and out together, have at least one active assignment. Rows that the ' +
    'bank withdrew do not count.',
  takes: ['from', 'to', 'interval', 'timezone', 'accountIds', 'bankCodes', 'currency', 'groupBy', 'asOf'],
  lacks: {},
  columns: (groupBy) => [
    column.day('period'),
    ...groupColumns(groupBy).map(column.text),
    column.text('currency'),
    column.count('assignedCount', 'transactions'),
    column.count('unassignedCount', 'transactions'),
    column.money('assignedAmount'),
    column.money('unassignedAmount'),
  ],
  chart: 'stacked-bar',
  reads: [flows.projection],
  async answer(source, asked) {
    const rows = openGroups();
    const grouped = groupColumns(asked.groupBy);
    const names = ['period', ...grouped, 'currency'];
    await eachPeriod(source, flows, periodsAsked(asked), (document, period, figures) => {
      rows.add([period, ...grouped.map((name) => String(document[name])), document.currency], figures);
    });
    return {
      rows: rows.all().map((group) => ({ ...named(names, group.parts), ...figuresOf(group) })),
      totals: rows
        .by((parts) => parts.slice(-1))
        .all()
        .map((group) => ({ currency: group.parts[0] ?? '', ...figuresOf(group) })),
    };
  },
};
