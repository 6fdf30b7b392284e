import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { accountName, connectionName, type useNames } from '../../api/names.ts';
import { signedAmount } from '../../format/decimal.ts';
import { common } from '../../words/index.ts';
import { Day, Moment } from '../moment.tsx';
import { Money } from '../money.tsx';
import { isNarrow } from '../narrow.ts';
import type { Column } from '../table-column.ts';
import { TransactionState } from './state.tsx';
import { transactionWords } from './words.ts';

type Named = Pick<BankTransaction, 'nameSurname' | 'iban' | 'description'>;

/** What one calls it: its counterparty's name or IBAN, else what the bank wrote. */
export function titleOf({ nameSurname, iban, description }: Named): string {
  return nameSurname || iban || description || transactionWords().unnamed;
}

function Counterparty({ row }: { readonly row: Named }) {
  if (isNarrow.value || row.nameSurname || row.iban) return <>{titleOf(row)}</>;
  return <span class="muted">{common().form.none}</span>;
}

/** On a narrow screen the day and the description share the second line. */
function DayCell({ row }: { readonly row: BankTransaction }) {
  const isSecondLine = isNarrow.value && row.description && titleOf(row) !== row.description;
  return (
    <>
      <Day on={row.transactionDate} />
      {isSecondLine && ` · ${row.description}`}
    </>
  );
}

/** All columns that a table of transactions may have, by key. */
export function transactionColumns(names: ReturnType<typeof useNames>): readonly Column<BankTransaction>[] {
  const w = transactionWords();
  const text = 'minmax(0, 1fr)';
  return [
    { key: 'day', title: w.day, width: '88px', narrow: 'second', cell: (row) => <DayCell row={row} /> },
    {
      key: 'counterparty',
      title: w.counterparty,
      width: 'minmax(0, 2fr)',
      narrow: 'lead',
      cell: (row) => <Counterparty row={row} />,
    },
    { key: 'description', title: w.description, width: 'minmax(0, 3fr)', cell: (row) => row.description },
    {
      key: 'references',
      title: w.references,
      width: text,
      cell: ({ assignmentSummary: { referenceKeys } }) => <span class="mono">{referenceKeys.join(', ')}</span>,
    },
    { key: 'tags', title: w.tags, width: text, cell: ({ assignmentSummary: { tags } }) => tags.join(', ') },
    { key: 'connection', title: w.connection, width: text, cell: ({ accountId }) => connectionName(names, accountId) },
    {
      key: 'account',
      title: w.account,
      width: text,
      cell: ({ accountId, subAccountKey }) => accountName(names, accountId, subAccountKey),
    },
    { key: 'iban', title: w.iban, width: '220px', cell: ({ iban }) => <span class="mono">{iban}</span> },
    { key: 'code', title: w.code, width: '88px', cell: ({ code }) => <span class="mono">{code}</span> },
    { key: 'fetched', title: w.fetched, width: '150px', cell: ({ fetchedAt }) => <Moment at={fetchedAt} fresh /> },
    {
      key: 'balance',
      title: w.balance,
      width: '150px',
      end: true,
      cell: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
    },
    {
      key: 'amount',
      title: w.amount,
      width: '150px',
      end: true,
      narrow: 'figure',
      cell: (row) => <Money amount={signedAmount(row)} currency={row.currency} as="flow" />,
    },
    { key: 'state', title: w.state, width: '120px', narrow: 'note', cell: (row) => <TransactionState row={row} /> },
  ];
}

export const DEFAULT_COLUMNS: readonly string[] = ['day', 'counterparty', 'description', 'amount', 'state'];
