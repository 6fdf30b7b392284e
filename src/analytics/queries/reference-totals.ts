import { references } from '../../projections/analytics/references.ts';
import { referenceLabels } from '../../projections/reference-labels.ts';
import { groupColumns, named } from '../grouping.ts';
import { openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, periodsAsked, type Row, wholeRange } from '../query.ts';
import type { Source } from '../source.ts';
import { eachPeriod } from '../sums-by-period.ts';
import { flowFigures } from './flow-figures.ts';

const MOST_COMPANIES = 200;

/** The reference's latest name up to the source's position; null for one that was never named. */
async function labelOf({ reader, position }: Source, referenceKey: string): Promise<string | null> {
  const { items } = await reader.page(referenceLabels, {
    filter: [{ field: 'referenceKey', op: 'eq', value: referenceKey }],
    sort: [],
    limit: MOST_COMPANIES,
  });
  const last = items
    .flatMap(({ labels }) => labels.findLast(({ fromPosition }) => fromPosition <= position) ?? [])
    .reduce<{ label: string; fromPosition: string } | null>(
      (latest, one) => (latest === null || one.fromPosition > latest.fromPosition ? one : latest),
      null,
    );
  return last?.label ?? null;
}

export const referenceTotals: AnalyticsQuery = {
  id: 'reference-totals',
  title: 'Totals by reference',
  description:
    'Amounts assigned to each reference, by the time of the rows, with its latest name; by period only if an ' +
    '`interval` is ' +
    'given. A row counts once for a reference however often it is attached, and once for each of several ' +
    'references, so there is no total.',
  takes: ['from', 'to', 'interval', 'timezone', 'accountIds', 'bankCodes', 'currency', 'groupBy', 'asOf'],
  lacks: {},
  columns: (groupBy, byPeriod) => [
    ...(byPeriod ? [column.day('period')] : []),
    ...groupColumns(groupBy).map(column.text),
    column.text('referenceKey'),
    column.text('label'),
    column.text('currency'),
    column.money('inflow'),
    column.money('outflow'),
    column.count('count', 'transactions'),
  ],
  chart: 'bar',
  reads: [references.projection, referenceLabels],
  async answer(source, asked) {
    const grouped = groupColumns(asked.groupBy);
    const names = [...(asked.byPeriod ? ['period'] : []), ...grouped, 'referenceKey', 'currency'];
    const all = openGroups();
    const within = asked.byPeriod ? periodsAsked(asked) : wholeRange(asked);
    await eachPeriod(source, references, within, (document, period, figures) => {
      const groups = grouped.map((name) => String(document[name]));
      all.add([...(asked.byPeriod ? [period] : []), ...groups, document.referenceKey, document.currency], figures);
    });
    const labels = new Map<string, string | null>();
    const rows: Row[] = [];
    for (const group of all.all()) {
      const parts = named(names, group.parts);
      const { referenceKey = '' } = parts;
      if (!labels.has(referenceKey)) labels.set(referenceKey, await labelOf(source, referenceKey));
      rows.push({ ...parts, label: labels.get(referenceKey) ?? null, ...flowFigures(group) });
    }
    return { rows, totals: [] };
  },
};
