import { references } from '../../projections/analytics/references.ts';
import { openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, sumsFilter } from '../query.ts';
import { eachFigure, momentOf } from '../source.ts';
import { flowFigures } from './flow-figures.ts';

export const referenceTotals: AnalyticsQuery = {
  id: 'reference-totals',
  title: 'Totals by reference',
  description:
    'What is assigned to each reference, by the time of the rows. A row counts once for a reference however often it is attached, and once for ' +
    'each of several references, so there is no total over them.',
  takes: ['from', 'to', 'timezone', 'accountIds', 'bankCodes', 'currency', 'asOf'],
  columns: () => [
    column.text('referenceKey'),
    column.text('currency'),
    column.money('inflow'),
    column.money('outflow'),
    column.count('count', 'transactions'),
  ],
  chart: 'bar',
  reads: [references.projection],
  async answer(source, asked) {
    const all = openGroups();
    await eachFigure(source, references, sumsFilter(asked), (document, at, figures) => {
      if (asked.calendar.at(momentOf(at)) !== null) all.add([document.referenceKey, document.currency], figures);
    });
    const rows = all.all().map((group) => {
      const [referenceKey = '', currency = ''] = group.parts;
      return { referenceKey, currency, ...flowFigures(group) };
    });
    return { rows, totals: [] };
  },
};
