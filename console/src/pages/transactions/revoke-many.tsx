import { useState } from 'preact/hooks';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { Confirm } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { assignmentsOf, attachAgain, revokeAll } from '../../parts/transaction/references.ts';
import { transactionWords } from '../../parts/transaction/words.ts';
import { pageWords } from './words.ts';

type Props = {
  readonly rows: readonly BankTransaction[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
};

/** Revokes one reference from all selected rows that have it, with one undo. */
export function RevokeMany({ rows, onClose, onChanged }: Props) {
  const w = pageWords();
  const counts = new Map<string, number>();
  for (const key of rows.flatMap(({ assignmentSummary }) => assignmentSummary.referenceKeys)) {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const [key, setKey] = useState([...counts.keys()][0] ?? '');
  const [isBusy, setBusy] = useState(false);
  const concerned = rows.filter(({ assignmentSummary }) => assignmentSummary.referenceKeys.includes(key));

  const revoke = async (): Promise<void> => {
    if (key === '') return onClose();
    setBusy(true);
    const { assignments, failures } = await revokeAll(await assignmentsOf(concerned, key), null);
    setBusy(false);
    if (failures[0] !== undefined) {
      toastFailure(transactionWords().someFailed(failures.length), failures[0]);
    }
    if (assignments.length > 0) {
      toast(w.revokedToast(new Set(assignments.map(({ transactionId }) => transactionId)).size, key), async () => {
        await attachAgain(assignments);
        onChanged();
      });
    }
    onClose();
    onChanged();
  };

  return (
    <Confirm
      title={w.revokeTitle(concerned.length)}
      action={w.revoke}
      danger
      busy={isBusy}
      onConfirm={() => void revoke()}
      onClose={onClose}
    >
      {counts.size === 0 ? (
        <p>{w.revokeNone}</p>
      ) : (
        <>
          <Select
            label={transactionWords().reference}
            value={key}
            onChange={setKey}
            choices={[...counts].map(([value, count]) => ({ value, label: `${value} (${count})` }))}
          />
          <p class="muted">{w.revokeHint}</p>
        </>
      )}
    </Confirm>
  );
}
