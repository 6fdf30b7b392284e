import { useState } from 'preact/hooks';
import { common } from '../words/index.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Facts } from './facts.tsx';

export type Once = {
  readonly title: string;
  readonly hint: string;
  /** What it is called: "Secret". */
  readonly label: string;
  readonly value: string;
  /** Known later, too. */
  readonly facts: readonly (readonly [string, string])[];
};

/** What no later answer has: it is not closed by accident before it was copied. */
export function ShownOnce({ title, hint, label, value, facts, onClose }: Once & { readonly onClose: () => void }) {
  const w = common().do;
  const [isCopied, setCopied] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const close = (): void => {
    if (isCopied || isAsked) onClose();
    else setAsked(true);
  };
  const copy = (): void => {
    navigator.clipboard?.writeText(value).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <Dialog title={title} onClose={close} actions={<Button onClick={close}>{common().do.close}</Button>}>
      <p>{hint}</p>
      <Facts
        rows={[
          ...facts.map(([name, text]) => [name, <code key={name}>{text}</code>] as const),
          [label, <code key={label}>{value}</code>],
        ]}
      />
      <div class="row">
        <Button kind="primary" icon={isCopied ? 'check' : 'copy'} onClick={copy}>
          {isCopied ? w.copied : `${w.copy}: ${label}`}
        </Button>
      </div>
      <div role="status">{isAsked && !isCopied && <p class="note">{w.notCopied}</p>}</div>
    </Dialog>
  );
}
