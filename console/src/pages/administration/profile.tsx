import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { TextField } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { person, sessionEnded, signIn } from '../../session/session.ts';
import { ActionForm } from './form.tsx';
import { useAction } from './use-action.ts';
import { administrationWords } from './words.ts';

const SHORTEST_PASSWORD = 12;

/** One's own name and password. */
export function Profile() {
  const w = administrationWords();
  return (
    <div class="stack wide profile">
      <DisplayName />
      <p class="small muted">{w.profileHint}</p>
      <section class="stack">
        <h2>{w.newPasswordTitle}</h2>
        <Password />
      </section>
    </div>
  );
}

function DisplayName() {
  const w = administrationWords();
  const action = useAction();
  const kept = person.value?.displayName ?? '';
  const [name, setName] = useState(kept);
  const save = async (): Promise<void> => {
    const chosen = name.trim();
    person.value = await api().changeMe({ displayName: chosen === '' ? null : chosen });
    toast(w.profileSaved);
  };
  return (
    <ActionForm
      action={action}
      failed={w.profileFailed}
      submit={w.save}
      primary={false}
      disabled={name.trim() === kept}
      onSubmit={() => action.run(save)}
    >
      <TextField label={w.displayName} autoComplete="name" maxLength={120} value={name} onInput={setName} />
    </ActionForm>
  );
}

function Password() {
  const w = administrationWords();
  const action = useAction();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const replace = async (): Promise<void> => {
    const who = person.value;
    if (!who) return;
    await api().replacePassword({ currentPassword, newPassword });
    setCurrent('');
    setNew('');
    // The change ended this session, too; a person who cannot be signed in again finds the sign-in.
    const credentials = { email: who.email, password: newPassword, tenantId: who.tenant.id };
    await signIn(credentials, () => api().getMe()).then(() => toast(w.passwordChanged), sessionEnded);
  };
  const isWrong = action.failure?.code === 'PASSWORD_WRONG';
  return (
    <ActionForm
      action={isWrong ? { ...action, failure: null } : action}
      failed={w.passwordFailed}
      submit={w.changePassword}
      disabled={currentPassword === '' || newPassword.length < SHORTEST_PASSWORD}
      onSubmit={() => action.run(replace)}
    >
      <TextField
        label={w.currentPassword}
        type="password"
        autoComplete="current-password"
        value={currentPassword}
        fault={isWrong ? w.passwordWrong : null}
        onInput={setCurrent}
      />
      <TextField
        label={w.newPassword}
        hint={w.newPasswordHint}
        type="password"
        autoComplete="new-password"
        value={newPassword}
        onInput={setNew}
      />
    </ActionForm>
  );
}
