import { useId, useState } from 'preact/hooks';
import type { BankTransaction, UnassignedGroup } from '../../../../sdk/src/index.ts';
import { useNames } from '../../api/names.ts';
import { useLoad } from '../../api/use-load.ts';
import { asOf, withMoment } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Money } from '../../parts/money.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { Skeleton } from '../../parts/skeleton.tsx';
import { toastFailure } from '../../parts/toast.tsx';
import { AssignForm } from '../../parts/transaction/assign-form.tsx';
import { titleOf, transactionColumns } from '../../parts/transaction/columns.tsx';
import { navigate, to } from '../../router.ts';
import { mayWrite, nameOfCompany, showsCompanies } from '../../session/session.ts';
import { draftOf, filterOf, firstRows, MOST_ASSIGNED, rowsToAssign } from './groups.ts';
import { pageWords } from './words.ts';

const SHOWN = 10;
const COLUMNS = ['day', 'counterparty', 'description', 'amount'];

type Props = {
  readonly group: UnassignedGroup;
  readonly isSkipped: boolean;
  readonly onSkip: () => void;
  readonly onOpen: (id: string) => void;
  readonly onChanged: () => void;
};

/** One group: its name, how many rows and what they add up to; open, its rows and what can be done with all of them. */
export function GroupCard({ group, isSkipped, onSkip, onOpen, onChanged }: Props) {
  const w = pageWords();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const name = group.name || group.iban || (group.by === 'counterparty' ? w.unnamed : w.noWords);
  return (
    <li class={`group ${isSkipped ? 'dim' : ''}`}>
      <button
        type="button"
        class="group-head"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="clip">
          <strong>{name}</strong>
          {showsCompanies.value && <span class="muted small"> {nameOfCompany(group.companies)}</span>}
        </span>
        <span class="digits muted">{w.rows(group.count)}</span>
        <span class="group-sums">
          {group.sums.map(({ currency, in: came, out }) => (
            <span key={currency}>
              {Number(came) !== 0 && <Money amount={came} currency={currency} as="flow" />}
              {Number(out) !== 0 && <Money amount={`-${out}`} currency={currency} />}
            </span>
          ))}
        </span>
      </button>
      <div id={id} hidden={!isOpen}>
        {isOpen && (
          <div class="stack group-body">
            {asOf.value === null && (
              <Actions group={group} name={name} isSkipped={isSkipped} onSkip={onSkip} onChanged={onChanged} />
            )}
            <Rows group={group} caption={name} onOpen={onOpen} />
          </div>
        )}
      </div>
    </li>
  );
}

type RowsProps = { readonly group: UnassignedGroup; readonly caption: string; readonly onOpen: (id: string) => void };

function Rows({ group, caption, onOpen }: RowsProps) {
  const w = pageWords();
  const names = useNames();
  const found = useLoad(`group ${group.by} ${group.key} ${group.count}`, (signal) => firstRows(group, SHOWN, signal));
  return (
    <>
      <Loaded of={found} what={w.rowsFailed} skeleton={<Skeleton as="rows" lines={Math.min(SHOWN, group.count)} />}>
        {(rows) => (
          <SimpleTable
            caption={caption}
            rows={rows}
            keyOf={({ id }) => id}
            columns={transactionColumns(names)
              .filter(({ key }) => COLUMNS.includes(key))
              .map((column) => (column.key === 'counterparty' ? { ...column, cell: opener(onOpen) } : column))}
          />
        )}
      </Loaded>
      {group.count > SHOWN && (
        <a href={withMoment(`${to('transactions')}?${new URLSearchParams(filterOf(group))}`)}>{w.showAll}</a>
      )}
    </>
  );
}

function opener(onOpen: (id: string) => void) {
  return (row: BankTransaction) => (
    <button type="button" class="link" onClick={() => onOpen(row.id)}>
      {titleOf(row)}
    </button>
  );
}

type ActionsProps = Omit<Props, 'onOpen'> & { readonly name: string };

function Actions({ group, name, isSkipped, onSkip, onChanged }: ActionsProps) {
  const w = pageWords();
  const [rows, setRows] = useState<readonly BankTransaction[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  // Rows that only lack a counterparty have nothing in common that a rule could ask for.
  const hasTrait = group.name !== '' || Boolean(group.iban);
  const gather = async (): Promise<void> => {
    setBusy(true);
    try {
      setRows(await rowsToAssign(group));
    } catch (error) {
      toastFailure(w.rowsFailed, error);
    }
    setBusy(false);
  };
  const makeRule = (): void => {
    navigate(`${to('rules', 'new')}?${new URLSearchParams(draftOf(group, w.ruleName(name)))}`);
  };
  return (
    <div class="row">
      {hasTrait && mayWrite('rules:write') && (
        <Button icon="rules" onClick={makeRule}>
          {w.makeRule}
        </Button>
      )}
      {mayWrite('transactions:write') && (
        <Button busy={isBusy} onClick={() => void gather()}>
          {w.assignAll}
        </Button>
      )}
      <Button kind="quiet" onClick={onSkip}>
        {isSkipped ? w.unskip : w.skip}
      </Button>
      {rows !== null && (
        <Dialog title={w.assignTitle(rows.length, name)} onClose={() => setRows(null)}>
          {rows.length >= MOST_ASSIGNED && <p class="note">{w.tooMany(MOST_ASSIGNED)}</p>}
          <AssignForm
            rows={rows}
            full
            onDone={() => {
              setRows(null);
              onChanged();
            }}
          />
        </Dialog>
      )}
    </div>
  );
}
