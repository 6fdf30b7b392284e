import type { ComponentChildren } from 'preact';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { accountName, connectionName, useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { signedAmount } from '../../format/decimal.ts';
import { asOf } from '../../frame/as-of-moment.ts';
import { BackToNow } from '../../frame/back-to-now.tsx';
import { may, mayWrite, nameOfCompany } from '../../session/session.ts';
import { Button } from '../button.tsx';
import { Copy } from '../copy.tsx';
import { Drawer } from '../drawer.tsx';
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
  /** While the past is shown: the row as it stood, from a list as of then. */
  readonly asThen?: BankTransaction;
  readonly onClose: () => void;
  readonly onChanged?: () => void;
};

/** One transaction with its facts, what is attached and by whom, why, its history and the bank's own record. */
export function TransactionDrawer({ id, version = '', asThen, onClose, onChanged }: Props) {
  const w = transactionWords();
  const isPast = asOf.value !== null;
  const found = useLoad(`${id} ${asThen === undefined ? version : 'then'}`, (signal) =>
    asThen === undefined ? api().getTransaction(id, { signal }) : Promise.resolve(asThen),
  );
  const why = useLoad(isPast ? '' : `why ${id} ${version}`, (signal) => api().explainTransaction(id, { signal }));
  const changed = (): void => {
    found.reload();
    why.reload();
    onChanged?.();
  };
  const row = found.data;
  const foot = row !== undefined && mayWrite('transactions:write') && <AssignForm rows={[row]} onDone={changed} />;
  return (
    <Drawer title={row === undefined ? '' : titleOf(row)} of={id} onClose={onClose} foot={foot}>
      <Loaded of={found} what={w.openFailed}>
        {(transaction) => (
          <>
            <Head row={transaction} onChanged={changed} />
            <FactsOf row={transaction} />
            {isPast ? (
              <ReferencesThen row={transaction} />
            ) : (
              <Assignments assignments={transaction.assignments ?? []} onChanged={changed} />
            )}
            {isPast && may('audit:read') && <History id={id} version={transaction.version} />}
            {!isPast && (
              <Loaded of={why} what={w.openFailed}>
                {(explanation) => (
                  <>
                    <Why explanation={explanation} />
                    {may('audit:read') && <History id={id} version={transaction.version} />}
                    <BankRecord explanation={explanation} stamp={transaction.providerStamp} />
                  </>
                )}
              </Loaded>
            )}
          </>
        )}
      </Loaded>
    </Drawer>
  );
}

type RowProps = { readonly row: BankTransaction };

/** Who attached what, and why, is answered for now only: what was attached then is shown, and the way to the rest. */
function ReferencesThen({ row }: RowProps) {
  const w = transactionWords();
  const { referenceKeys } = row.assignmentSummary;
  return (
    <section class="stack">
      <h3>{w.assignments}</h3>
      {referenceKeys.length === 0 && <p class="muted">{w.noAssignments}</p>}
      {referenceKeys.map((key) => (
        <p key={key}>
          <Copy text={key} />
        </p>
      ))}
      <div class="note row between">
        <span>{w.nowOnly}</span>
        <BackToNow />
      </div>
    </section>
  );
}

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
