import { flows } from '../../projections/analytics/flows.ts';
import { subtract } from '../../shared/money.ts';
import { groupColumns, named } from '../grouping.ts';
import { type Group, openGroups } from '../groups.ts';
import { type AnalyticsQuery, type Column, column, type Grouping, periodsAsked, type Row } from '../query.ts';
import { eachPeriod } from '../sums-by-period.ts';

function columns(groupBy: Grouping | null): Column[] {
  return [
    column.day('period'),
    ...groupColumns(groupBy).map(column.text),
    column.text('currency'),
    column.money('inflow'),
    column.money('outflow'),
    column.money('net'),
    column.count('count', 'transactions'),
  ];
}

function figuresOf(group: Group): Row {
  const [inflow, outflow] = [group.money('inflow'), group.money('outflow')];
  return { inflow, outflow, net: subtract(inflow, outflow), count: group.count('count') };
}

export const cashFlow: AnalyticsQuery = {
  id: 'cash-flow',
  title: 'Cash flow',
  description: 'Money in and out, by the time of the rows. Rows that the bank withdrew do not count.',
  takes: ['from', 'to', 'interval', 'timezone', 'accountIds', 'bankCodes', 'currency', 'groupBy', 'asOf'],
  lacks: {},
  columns,
  chart: 'stacked-bar',
  reads: [flows.projection],
  async answer(source, asked) {
    const rows = openGroups();
    const grouped = groupColumns(asked.groupBy);
    await eachPeriod(source, flows, periodsAsked(asked), (document, period, figures) => {
      rows.add([period, ...grouped.map((name) => String(document[name])), document.currency], figures);
    });
    const names = ['period', ...grouped, 'currency'];
    return {
      rows: rows.all().map((group) => ({
        ...named(names, group.parts),
        ...figuresOf(group),
      })),
      totals: rows
        .by((parts) => parts.slice(-1))
        .all()
        .map((group) => ({ currency: group.parts[0] ?? '', ...figuresOf(group) })),
    };
  },
};
