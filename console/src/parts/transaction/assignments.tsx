import { useState } from 'preact/hooks';
import type { TransactionAssignment } from '../../../../sdk/src/index.ts';
import { ruleName, useNames } from '../../api/names.ts';
import { mayWrite, person } from '../../session/session.ts';
import { Button } from '../button.tsx';
import { Copy } from '../copy.tsx';
import { Moment } from '../moment.tsx';
import { toast, toastFailure } from '../toast.tsx';
import { attachAgain, revokeAll } from './references.ts';
import { transactionWords } from './words.ts';

type Props = { readonly assignments: readonly TransactionAssignment[]; readonly onChanged: () => void };

/** Who or which rule attached what, with a way to revoke it; what was revoked stands below. */
export function Assignments({ assignments, onChanged }: Props) {
  const w = transactionWords();
  const inOrder = assignments.toSorted(
    (one, other) => Number(one.status === 'revoked') - Number(other.status === 'revoked'),
  );
  return (
    <section class="stack">
      <h3>{w.assignments}</h3>
      {assignments.length === 0 && <p class="muted">{w.noAssignments}</p>}
      <ul class="lines">
        {inOrder.map((one) => (
          <Assignment key={one.id} assignment={one} onChanged={onChanged} />
        ))}
      </ul>
    </section>
  );
}

type OneProps = { readonly assignment: TransactionAssignment; readonly onChanged: () => void };

function Assignment({ assignment, onChanged }: OneProps) {
  const w = transactionWords();
  const names = useNames();
  const [isBusy, setBusy] = useState(false);
  const { reference, referenceKey, origin, ruleId, ruleVersion, status, createdBy, createdAt, revokedAt, tags } =
    assignment;
  const isRevoked = status === 'revoked';
  const who =
    createdBy === person.value?.id ? (person.value?.displayName ?? person.value?.email ?? '') : (createdBy ?? '');
  const revoke = async (): Promise<void> => {
    setBusy(true);
    const { failures } = await revokeAll([assignment], null);
    setBusy(false);
    if (failures[0] !== undefined) return toastFailure(w.revokeFailed, failures[0]);
    toast(w.revokedToast(referenceKey), async () => {
      await attachAgain([assignment]);
      onChanged();
    });
    onChanged();
  };
  return (
    <li class={`row ${isRevoked ? 'dim' : ''}`}>
      <div class="grow">
        <p>
          <Copy text={referenceKey} /> {reference.label}
        </p>
        <p class="small muted">
          {origin === 'rule' ? w.byRule(ruleName(names, ruleId), ruleVersion ?? 0) : w.byHand(who)} ·{' '}
          <Moment at={createdAt} />
          {tags.length > 0 && ` · ${tags.join(', ')}`}
          {isRevoked && (
            <>
              {' '}
              · {w.revoked} <Moment at={revokedAt} />
            </>
          )}
        </p>
      </div>
      {!isRevoked && mayWrite('transactions:write') && (
        <Button busy={isBusy} onClick={() => void revoke()}>
          {w.revoke}
        </Button>
      )}
    </li>
  );
}
