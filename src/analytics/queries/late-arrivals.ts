import { arrivals } from '../../projections/analytics/arrivals.ts';
import type { SumsDocument } from '../../projections/analytics/sums.ts';
import { groupColumns, named } from '../grouping.ts';
import { openGroups } from '../groups.ts';
import { openLocalDays } from '../local-days.ts';
import { type AnalyticsQuery, column, sumsFilter } from '../query.ts';
import { eachGroupOfSlots } from '../sums-by-slot.ts';
import { flowFigures } from './flow-figures.ts';

type ArrivalsDocument = Pick<SumsDocument<'transactionDay'>, 'transactionDay'>;

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
    const localDay = openLocalDays(asked.timezone);
    const filter = sumsFilter(asked);
    // Consecutive slots mostly belong to the same days.
    let last = { arrivedOn: '', transactionDay: '', group: '' };
    const groupOf = (document: ArrivalsDocument, day: string, slot: string): string | null => {
      const [arrived, moved] = [slot.slice(0, 2), slot.slice(3)];
      const arrivedOn = localDay(day, arrived);
      if (arrivedOn < asked.from || arrivedOn >= asked.to) return null;
      const transactionDay = localDay(document.transactionDay, moved);
      if (arrivedOn <= transactionDay) return null;
      if (last.arrivedOn !== arrivedOn || last.transactionDay !== transactionDay) {
        last = { arrivedOn, transactionDay, group: `${arrivedOn}/${transactionDay}` };
      }
      return last.group;
    };
    await eachGroupOfSlots(source, arrivals, { filter, groupOf }, (document, group, figures) => {
      const groups = grouped.map((name) => String(document[name]));
      rows.add([...group.split('/'), ...groups, document.currency], figures);
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
