import type { RowFigures } from '../../events/bank-transaction.ts';
import type { EventType, KnownEvent } from '../../events/registry.ts';
import { sha256 } from '../../shared/hash.ts';
import { flowOf } from './flows.ts';
import { type Change, type Figures, negative, sums } from './sums.ts';

type Counterparty = { readonly nameSurname: string | null; readonly iban: string | null; readonly idNo: string };

function change(row: RowFigures, { nameSurname, iban, idNo }: Counterparty, figures: Figures): Change {
  const named = {
    counterparty: (nameSurname ?? '').trim().replaceAll(/\s+/gu, ' '),
    iban: (iban ?? '').replaceAll(/\s+/gu, '').toUpperCase(),
    idNo: idNo.trim(),
  };
  const counterpartyKey = sha256(JSON.stringify(named)).slice(0, 32);
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
 * What was exchanged with each counterparty; the same name, IBAN and identity number, spaces aside, are the same one.
 */
export const counterparties = sums({
  fields: ['accountId', 'bankCode', 'currency', 'counterpartyKey', 'counterparty', 'iban', 'idNo'],
  name: 'counterparty-sums',
  version: 2,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
  foundBy: ['accountId'],
});
