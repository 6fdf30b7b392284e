import { useId, useState } from 'preact/hooks';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../button.tsx';
import { TextField } from '../field.tsx';
import { Progress } from '../progress.tsx';
import { toast, toastFailure } from '../toast.tsx';
import { attachTo, parseReference, recentReferences, revokeAll } from './references.ts';
import { transactionWords } from './words.ts';

type Props = {
  readonly rows: readonly BankTransaction[];
  readonly onDone: () => void;
  /** Label and tags, too. */
  readonly full?: boolean;
};

/** Attaches one reference to one row or to many, with one undo; completes what one types from earlier references. */
export function AssignForm({ rows, onDone, full = false }: Props) {
  const w = transactionWords();
  const id = useId();
  const [text, setText] = useState('');
  const [label, setLabel] = useState('');
  const [tags, setTags] = useState('');
  const [isWrong, setWrong] = useState(false);
  const [done, setDone] = useState<number | null>(null);
  const earlier = useLoad('references', recentReferences);

  const assign = async (): Promise<void> => {
    const parsed = parseReference(text);
    setWrong(parsed === null);
    if (parsed === null) return;
    setDone(0);
    const known = earlier.data?.find((one) => keyOf(one) === keyOf(parsed));
    const named = label.trim() || known?.label;
    const reference = { ...parsed, ...(named ? { label: named } : {}) };
    const list = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '');
    const { assignments, failures } = await attachTo(rows, { reference, tags: list }, setDone);
    setDone(null);
    const [failure] = failures;
    if (assignments.length > 0) {
      toast(w.assignedToast(assignments.length, keyOf(parsed)), async () => {
        await revokeAll(assignments, w.undone);
        onDone();
      });
    }
    if (failure !== undefined) {
      toastFailure(failures.length > 1 ? w.someFailed(failures.length) : w.assignFailed, failure);
    }
    if (assignments.length > 0) {
      setText('');
      onDone();
    }
  };

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        void assign();
      }}
    >
      <div class="assign">
        <TextField
          label={w.reference}
          value={text}
          onInput={setText}
          list={id}
          autoComplete="off"
          placeholder="erp:invoice:2231"
          fault={isWrong ? w.referenceFault : null}
          {...(full ? { hint: w.referenceHint } : {})}
        />
        <datalist id={id}>
          {earlier.data?.map((reference) => (
            <option key={keyOf(reference)} value={keyOf(reference)}>
              {reference.label}
            </option>
          ))}
        </datalist>
        {!full && (
          <Button type="submit" busy={done !== null}>
            {w.assign}
          </Button>
        )}
      </div>
      {full && (
        <>
          <TextField label={w.label} value={label} onInput={setLabel} maxLength={200} />
          <TextField label={w.tags} hint={w.tagsHint} value={tags} onInput={setTags} />
          {done !== null && <Progress label={w.assign} done={done} of={rows.length} />}
          <Button kind="primary" type="submit" busy={done !== null}>
            {w.assign}
          </Button>
        </>
      )}
    </form>
  );
}

function keyOf({ source, entityType, externalId }: { source: string; entityType: string; externalId: string }): string {
  return `${source}:${entityType}:${externalId}`;
}
