import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Facts } from '../../parts/facts.tsx';
import { TextField } from '../../parts/field.tsx';
import { OwnSettings } from '../../parts/own-settings.tsx';
import { Sessions } from '../../parts/sessions/sessions.tsx';
import { sessionWords } from '../../parts/sessions/words.ts';
import { toast } from '../../parts/toast.tsx';
import { person, sessionEnded, signIn } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { profileWords } from './words.ts';
import './page.css';

const SHORTEST_PASSWORD = 12;

/** One's own name, language, time zone and password: for every role. */
export function Page() {
  const w = profileWords();
  const who = person.value;
  const [age, setAge] = useState(0);
  if (!who) return null;
  return (
    <div class="stack profile">
      <Facts
        rows={[
          [w.email, who.email],
          [w.role, common().roles[who.role]],
          [w.companies, who.companies.map(({ name }) => name).join(', ')],
        ]}
      />
      <div class="profile-columns">
        <div class="stack">
          <section class="card stack">
            <h2>{w.about}</h2>
            <DisplayName />
          </section>
          <section class="card stack">
            <h2>{w.settings}</h2>
            <div class="fields">
              <OwnSettings />
            </div>
            <p class="small muted">{w.settingsHint}</p>
          </section>
          <section class="card stack">
            <h2>{w.newPasswordTitle}</h2>
            <Password onReplaced={() => setAge((before) => before + 1)} />
          </section>
        </div>
        <section class="card stack">
          <h2>{sessionWords().sessions}</h2>
          <p class="small muted">{sessionWords().ownHint}</p>
          <Sessions userId={null} age={age} />
        </section>
      </div>
    </div>
  );
}

function DisplayName() {
  const w = profileWords();
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
      submit={common().do.save}
      primary={false}
      disabled={name.trim() === kept}
      onSubmit={() => action.run(save)}
    >
      <TextField label={w.displayName} autoComplete="name" maxLength={120} value={name} onInput={setName} />
    </ActionForm>
  );
}

function Password({ onReplaced }: { readonly onReplaced: () => void }) {
  const w = profileWords();
  const action = useAction();
  const [currentPassword, setCurrent] = useState('');
  const [newPassword, setNew] = useState('');
  const replace = async (): Promise<void> => {
    const who = person.value;
    if (!who) return;
    const { refreshToken } = await api().replacePassword({ currentPassword, newPassword });
    setCurrent('');
    setNew('');
    // The change ended this session, too; a person who cannot be signed in again finds the sign-in.
    const credentials = { email: who.email, password: newPassword, tenantId: who.tenant.id };
    await signIn(credentials, () => api().getMe()).then(() => toast(w.passwordChanged), sessionEnded);
    // The change itself began one as well, whose refresh token a script could read.
    await api()
      .logOut({ refreshToken })
      .catch(() => undefined);
    onReplaced();
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
