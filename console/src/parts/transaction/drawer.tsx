import type { ComponentChildren } from 'preact';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { accountName, connectionName, useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { signedAmount } from '../../format/decimal.ts';
import { asOf, atMoment } from '../../frame/as-of-moment.ts';
import { BackToNow } from '../../frame/back-to-now.tsx';
import { may, mayWrite, nameOfCompany } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { Button } from '../button.tsx';
import { Copy } from '../copy.tsx';
import { Drawer } from '../drawer.tsx';
import { Empty } from '../empty.tsx';
import { Facts } from '../facts.tsx';
import { Loaded } from '../loaded.tsx';
import { Day, Moment } from '../moment.tsx';
import { Money } from '../money.tsx';
import { toast, toastFailure } from '../toast.tsx';
import { AssignForm } from './assign-form.tsx';
import { Assignments } from './assignments.tsx';
import { titleOf } from './columns.tsx';
import { History } from './history.tsx';
import { BankRecord } from './record.tsx';
import { TransactionState } from './state.tsx';
import { Why } from './why.tsx';
import { transactionWords } from './words.ts';

type Props = {
  readonly id: string;
  /** A row that is newer than what is shown here makes it load anew. */
  readonly version?: string;
  readonly onClose: () => void;
  readonly onChanged?: () => void;
};

/** One transaction with its facts, what is attached and by whom, why, its history and the bank's own record. */
export function TransactionDrawer({ id, version = '', onClose, onChanged }: Props) {
  const w = transactionWords();
  const moment = atMoment();
  const isPast = asOf.value !== null;
  const key = `${id} ${isPast ? asOf.value : version}`;
  const found = useLoad(key, (signal) => api().getTransaction(id, moment, { signal }));
  const why = useLoad(`why ${key}`, (signal) => api().explainTransaction(id, moment, { signal }));
  const changed = (): void => {
    found.reload();
    why.reload();
    onChanged?.();
  };
  const wasNotThere = isPast && found.failure?.code === 'TRANSACTION_NOT_FOUND';
  const row = found.data;
  const foot = row !== undefined && mayWrite('transactions:write') && <AssignForm rows={[row]} onDone={changed} />;
  return (
    <Drawer
      title={row === undefined ? (found.failure === null ? '' : common().pages.transactions) : titleOf(row)}
      of={id}
      onClose={onClose}
      foot={foot}
    >
      {wasNotThere ? (
        <Empty action={<BackToNow />}>{w.notThen}</Empty>
      ) : (
        <Loaded of={found} what={w.openFailed}>
          {(transaction) => (
            <>
              <Head row={transaction} onChanged={changed} />
              <FactsOf row={transaction} />
              <Assignments assignments={transaction.assignments ?? []} onChanged={changed} />
              <Loaded of={why} what={w.openFailed}>
                {(explanation) => (
                  <>
                    <Why explanation={explanation} />
                    {may('audit:read') && <History id={id} version={transaction.version} />}
                    <BankRecord explanation={explanation} stamp={transaction.providerStamp} />
                  </>
                )}
              </Loaded>
            </>
          )}
        </Loaded>
      )}
    </Drawer>
  );
}

type RowProps = { readonly row: BankTransaction };

function Head({ row, onChanged }: RowProps & { readonly onChanged: () => void }) {
  const w = transactionWords();
  const { status } = row.automation;
  const mayRetry = (status === 'dead' || status === 'retry') && mayWrite('transactions:write');
  const retry = (): void => {
    api()
      .with({ company: row.companies })
      .retryAutomation(row.id)
      .then(
        () => {
          toast(w.retried);
          onChanged();
        },
        (error: unknown) => toastFailure(w.retry, error),
      );
  };
  return (
    <div class="stack">
      <Money amount={signedAmount(row)} currency={row.currency} as="flow" large />
      <p>
        {row.incoming ? w.incoming : w.outgoing} <Day on={row.transactionDate} /> · <TransactionState row={row} />
      </p>
      {row.description && titleOf(row) !== row.description && <p>{row.description}</p>}
      {!row.status && <p class="note">{w.withdrawn}</p>}
      {mayRetry && (
        <p class="row">
          <Button onClick={retry}>{w.retry}</Button>
          <span class="small muted">
            {w.attempts(row.automation.attempts)} {row.automation.lastError}
          </span>
        </p>
      )}
    </div>
  );
}

function FactsOf({ row }: RowProps) {
  const w = transactionWords();
  const names = useNames();
  const { iban, idNo, findAI, code, accountId, subAccountKey, bankCode, balance, currency, fetchedAt, companies, id } =
    row;
  const rows: readonly (readonly [string, ComponentChildren] | null)[] = [
    iban ? [w.iban, <Copy key="iban" text={iban} />] : null,
    idNo === '' ? null : [w.idNo, findAI ? `${idNo} (${w.inferred})` : idNo],
    code
      ? [
          w.code,
          <span key="code" class="mono">
            {code}
          </span>,
        ]
      : null,
    [w.account, accountName(names, accountId, subAccountKey)],
    [w.connection, accountId === null ? bankCode : connectionName(names, accountId)],
    [w.balance, <Money key="balance" amount={balance} currency={currency} />],
    [w.company, nameOfCompany(companies)],
    [w.fetched, <Moment key="fetched" at={fetchedAt} fresh />],
    [w.id, <Copy key="id" text={id} />],
  ];
  return <Facts rows={rows.filter((one) => one !== null)} />;
}
