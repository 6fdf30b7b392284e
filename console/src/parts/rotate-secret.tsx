import { useState } from 'preact/hooks';
import { useAction } from '../api/use-action.ts';
import { ActionForm } from './action-form.tsx';
import { Dialog } from './dialog.tsx';
import { Select } from './select.tsx';

const GRACES = [0, 3_600, 86_400, 604_800] as const;

type Words = {
  readonly title: string;
  readonly text: string;
  readonly grace: string;
  readonly graces: Readonly<Record<(typeof GRACES)[number], string>>;
  readonly submit: string;
  readonly failed: string;
};

type Props = {
  readonly words: Words;
  readonly rotate: (graceSeconds: number) => Promise<void>;
  readonly onClose: () => void;
};

/** A new secret, and how long the old one still works. */
export function RotateSecret({ words, rotate, onClose }: Props) {
  const action = useAction();
  const [grace, setGrace] = useState('86400');
  return (
    <Dialog title={words.title} onClose={onClose}>
      <ActionForm
        action={action}
        failed={words.failed}
        submit={words.submit}
        onSubmit={() => action.run(() => rotate(Number(grace)))}
        onCancel={onClose}
      >
        <p>{words.text}</p>
        <Select
          label={words.grace}
          value={grace}
          choices={GRACES.map((seconds) => ({ value: String(seconds), label: words.graces[seconds] }))}
          onChange={setGrace}
        />
      </ActionForm>
    </Dialog>
  );
}
