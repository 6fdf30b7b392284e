import { counterparties } from '../../projections/analytics/counterparties.ts';
import { add, compare } from '../../shared/money.ts';
import { type Group, openGroups } from '../groups.ts';
import { type AnalyticsQuery, column, wholeRange } from '../query.ts';
import { eachPeriod } from '../sums-by-period.ts';
import { flowFigures } from './flow-figures.ts';

function volume(group: Group) {
  return add(group.money('inflow'), group.money('outflow'));
}

export const topCounterparties: AnalyticsQuery = {
  id: 'top-counterparties',
  title: 'Top counterparties',
  description:
    'Counterparties with the largest turnover, in and out together: `limit` per currency, the largest first. The ' +
    'same name, IBAN and identity ' +
    'number, spaces aside, are one counterparty; what a bank omits is "". The totals cover all counterparties.',
  takes: ['from', 'to', 'timezone', 'accountIds', 'bankCodes', 'currency', 'limit', 'asOf'],
  lacks: {
    interval: 'The largest are those of the whole range.',
    groupBy: 'The largest are those over all requested accounts.',
  },
  columns: () => [
    column.text('counterparty'),
    column.text('iban'),
    column.text('idNo'),
    column.text('currency'),
    column.money('inflow'),
    column.money('outflow'),
    column.count('count', 'transactions'),
  ],
  chart: 'bar',
  reads: [counterparties.projection],
  async answer(source, asked) {
    const all = openGroups();
    await eachPeriod(source, counterparties, wholeRange(asked), (document, _, figures) => {
      const { currency, counterparty, iban, idNo } = document;
      all.add([currency, counterparty, iban, idNo], figures);
    });
    const ofCurrency = Map.groupBy(all.all(), ({ parts }) => parts[0] ?? '');
    const rows = [...ofCurrency.values()].flatMap((groups) =>
      groups.sort((one, other) => compare(volume(other), volume(one))).slice(0, asked.limit),
    );
    return {
      rows: rows.map((group) => {
        const [currency = '', counterparty = '', iban = '', idNo = ''] = group.parts;
        return { counterparty, iban, idNo, currency, ...flowFigures(group) };
      }),
      totals: all
        .by((parts) => parts.slice(0, 1))
        .all()
        .map((group) => ({ currency: group.parts[0] ?? '', ...flowFigures(group) })),
    };
  },
};
