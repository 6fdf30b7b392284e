import { useState } from 'preact/hooks';
import type { ChangeUserRequest, User } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Check } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { RoleSelect } from './role-select.tsx';
import { administrationWords } from './words.ts';

type Props = {
  readonly user: User;
  readonly name: string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
};

export function ChangePerson({ user, name, onClose, onChanged }: Props) {
  const w = administrationWords();
  const action = useAction();
  const wasAllowed = user.outsideLogin !== 'none';
  const [role, setRole] = useState(user.role);
  const [isAllowed, setAllowed] = useState(wasAllowed);
  const change: ChangeUserRequest = {
    ...(role === user.role ? {} : { role }),
    ...(isAllowed === wasAllowed ? {} : { outsideLogin: isAllowed ? 'allowed' : 'none' }),
  };
  const save = async (): Promise<void> => {
    await api().changeUser(user.id, change);
    toast(w.personChanged(name));
    onChanged();
  };
  return (
    <Dialog title={w.changeOf(name)} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.changeFailed}
        submit={w.save}
        disabled={Object.keys(change).length === 0}
        onSubmit={() => action.run(save)}
        onCancel={onClose}
      >
        <RoleSelect value={role} onChange={setRole} />
        <Check label={w.outsideCheck} checked={isAllowed} onChange={setAllowed} />
      </ActionForm>
    </Dialog>
  );
}
