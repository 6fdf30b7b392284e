import { useState } from 'preact/hooks';
import type { User } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import type { Once } from '../../parts/shown-once.tsx';
import { RoleSelect } from './role-select.tsx';
import { administrationWords } from './words.ts';

type Props = { readonly onClose: () => void; readonly onAdded: (password: Once | null) => void };

/** Email and role; the service makes the password. */
export function AddPerson({ onClose, onAdded }: Props) {
  const w = administrationWords();
  const action = useAction();
  const [email, setEmail] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [role, setRole] = useState<User['role']>('analyst');
  const add = async (): Promise<void> => {
    const name = displayName.trim();
    const added = await api().addUser({ email: email.trim(), role, ...(name === '' ? {} : { displayName: name }) });
    const { password } = added;
    onAdded(
      password === undefined
        ? null
        : {
            title: w.passwordTitle(added.email),
            hint: w.passwordHint,
            label: w.password,
            value: password,
            facts: [[w.email, added.email]],
          },
    );
  };
  return (
    <Dialog title={w.addPerson} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.addPersonFailed}
        submit={w.add}
        disabled={email.trim() === ''}
        onSubmit={() => action.run(add)}
        onCancel={onClose}
      >
        <TextField label={w.email} type="email" autoComplete="off" required value={email} onInput={setEmail} />
        <TextField
          label={w.displayName}
          autoComplete="off"
          maxLength={120}
          value={displayName}
          onInput={setDisplayName}
        />
        <RoleSelect value={role} onChange={setRole} />
      </ActionForm>
    </Dialog>
  );
}
