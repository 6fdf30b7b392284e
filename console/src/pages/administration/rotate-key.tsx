import { useState } from 'preact/hooks';
import type { ApiKey } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Select } from '../../parts/select.tsx';
import type { Once } from '../../parts/shown-once.tsx';
import { secretOf } from './new-key.tsx';
import { administrationWords } from './words.ts';

const GRACES = [0, 3_600, 86_400, 604_800] as const;

type Props = { readonly apiKey: ApiKey; readonly onClose: () => void; readonly onMade: (secret: Once) => void };

/** A new secret, and how long the old one still works. */
export function RotateKey({ apiKey: { id, name }, onClose, onMade }: Props) {
  const w = administrationWords();
  const action = useAction();
  const [grace, setGrace] = useState('86400');
  const rotate = async (): Promise<void> => {
    onMade(secretOf(await api().rotateApiKey(id, { graceSeconds: Number(grace) })));
  };
  return (
    <Dialog title={w.rotateTitle(name)} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.rotateFailed}
        submit={w.rotate}
        onSubmit={() => action.run(rotate)}
        onCancel={onClose}
      >
        <p>{w.rotateText}</p>
        <Select
          label={w.grace}
          value={grace}
          choices={GRACES.map((seconds) => ({ value: String(seconds), label: w.graces[seconds] }))}
          onChange={setGrace}
        />
      </ActionForm>
    </Dialog>
  );
}
