import type { BankConnection } from '../../../../sdk/src/index.ts';
import { Copy } from '../../parts/copy.tsx';
import { Day } from '../../parts/moment.tsx';
import { Money } from '../../parts/money.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { to } from '../../router.ts';
import { connectionWords } from './words.ts';

/** The accounts that the setup found; each leads to its transactions. */
export function Accounts({ connection: { id, subAccounts } }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  if (subAccounts.length === 0) return <p class="muted">{w.needsSetup}</p>;
  return (
    <SimpleTable
      caption={w.tabs.accounts}
      rows={subAccounts}
      keyOf={({ subAccountKey }) => subAccountKey}
      columns={[
        {
          key: 'name',
          title: w.account,
          cell: ({ accountName, accountNo, providerAccountId, subAccountKey, ownedElsewhere }) => (
            <>
              <a href={`${to('transactions')}?accountId=${id}&subAccountKey=${encodeURIComponent(subAccountKey)}`}>
                {accountName ?? accountNo ?? providerAccountId}
              </a>
              {ownedElsewhere && <span class="small muted"> {w.elsewhere}</span>}
            </>
          ),
        },
        { key: 'iban', title: w.iban, cell: ({ iban }) => (iban ? <Copy text={iban} /> : '—') },
        {
          key: 'balance',
          title: w.balance,
          end: true,
          cell: ({ balance, currency }) => <Money amount={balance} currency={currency} />,
        },
        {
          key: 'available',
          title: w.available,
          end: true,
          cell: ({ availableBalance = null, currency }) => <Money amount={availableBalance} currency={currency} />,
        },
        { key: 'last', title: w.lastRow, cell: ({ lastTransactionDate }) => <Day on={lastTransactionDate} /> },
      ]}
    />
  );
}
