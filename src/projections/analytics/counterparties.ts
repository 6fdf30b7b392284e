import type { RowFigures } from '../../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import { type Counterparty, counterpartyOf } from '../likeness.ts';
import { flowOf } from './flows.ts';
import type { Figures } from './packed-figures.ts';
import { type Change, negative, sums } from './sums.ts';

function change(row: RowFigures, counterparty: Counterparty, figures: Figures): Change {
  const { key: counterpartyKey, ...named } = counterpartyOf(counterparty);
  const { accountId, bankCode, currency, transactionDate } = row;
  return {
    dimensions: { accountId, bankCode, currency, counterpartyKey },
    details: named,
    at: transactionDate,
    figures,
  };
}

const TAKES = [
  'TransactionRecorded',
  'TransactionWithdrawn',
  'TransactionRelisted',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  if (event.type === 'TransactionRecorded') return [change(event.data, event.data, flowOf(event.data))];
  const { row, counterparty } = event.data;
  if (counterparty === null) return [];
  const flow = flowOf(row);
  return [change(row, counterparty, event.type === 'TransactionRelisted' ? flow : negative(flow))];
}

/**
 * The amounts exchanged with each counterparty. Rows whose name, IBAN and identity number are equal, ignoring spaces,
 * have the same counterparty.
 */
export const counterparties = sums({
  fields: ['accountId', 'bankCode', 'currency', 'counterpartyKey', 'counterparty', 'iban', 'idNo'],
  figures: { money: ['inflow', 'outflow'], counts: ['count'] },
  name: 'counterparty-sums',
  version: 3,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId'],
  isReadOften: true,
});
