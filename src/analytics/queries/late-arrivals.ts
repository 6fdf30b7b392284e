import { arrivals } from '../../projections/analytics/arrivals.ts';
import { quarterStart } from '../../projections/analytics/sums.ts';
import { dayAt } from '../calendar.ts';
import { groupColumns, named } from '../grouping.ts';
import { openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, sumsFilter } from '../query.ts';
import { eachSlot } from '../source.ts';
import { flowFigures } from './flow-figures.ts';

export const lateArrivals: AnalyticsQuery = {
  id: 'late-arrivals',
  title: 'Late arrivals',
  description:
    'Rows that the service first saw on a later day than their own, in days of `timezone`; `from` and `to` apply ' +
    'to the arrival. Rows that ' +
    'the bank withdrew do not count.',
  takes: ['from', 'to', 'timezone', 'accountIds', 'bankCodes', 'currency', 'groupBy', 'asOf'],
  lacks: { interval: 'Rows are already grouped by the day they arrived and the day they belong to.' },
  columns: (groupBy) => [
    column.day('arrivedOn'),
    column.day('transactionDay'),
    ...groupColumns(groupBy).map(column.text),
    column.text('currency'),
    column.count('count', 'transactions'),
    column.money('inflow'),
    column.money('outflow'),
  ],
  chart: 'table',
  reads: [arrivals.projection],
  async answer(source, asked) {
    const rows = openGroups();
    const grouped = groupColumns(asked.groupBy);
    const names = ['arrivedOn', 'transactionDay', ...grouped, 'currency'];
    const days = new Map<number, string>();
    const dayOf = (epochMs: number): string => {
      const day = days.get(epochMs) ?? dayAt(asked.timezone, epochMs);
      days.set(epochMs, day);
      return day;
    };
    await eachSlot(source, arrivals, sumsFilter(asked), (document, { day, slot }, figures) => {
      const [arrived = '', moved = ''] = slot.split('/');
      const arrivedMs = quarterStart(day, Number(arrived));
      if (asked.calendar.at(arrivedMs) === null) return;
      const arrivedOn = dayOf(arrivedMs);
      const transactionDay = dayOf(quarterStart(document.transactionDay, Number(moved)));
      if (arrivedOn <= transactionDay) return;
      const groups = grouped.map((name) => String(document[name]));
      rows.add([arrivedOn, transactionDay, ...groups, document.currency], figures);
    });
    return {
      rows: rows.all().map((group) => ({ ...named(names, group.parts), ...flowFigures(group) })),
      totals: rows
        .by((parts) => parts.slice(-1))
        .all()
        .map((group) => ({ currency: group.parts[0] ?? '', ...flowFigures(group) })),
    };
  },
};
