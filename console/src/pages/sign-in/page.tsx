import { useEffect, useState } from 'preact/hooks';
import { BankError } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { type Failure, failureOf } from '../../api/failure.ts';
import { Button } from '../../parts/button.tsx';
import { FailureText } from '../../parts/failure.tsx';
import { TextField } from '../../parts/field.tsx';
import { Segmented } from '../../parts/segmented.tsx';
import { type Choice, Select } from '../../parts/select.tsx';
import { goToProvider, mayUseProvider, provider, refused } from '../../session/provider.ts';
import { signIn } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { LANGUAGES, language, languageOf } from '../../words/language.ts';
import { signInWords } from './words.ts';

type Fault = { readonly text: string; readonly failure: Failure | null };

export function SignIn() {
  const w = signInWords();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [tenants, setTenants] = useState<readonly Choice[]>([]);
  const [tenantId, setTenantId] = useState('');
  const [fault, setFault] = useState<Fault | null>(refused.value ? { text: w.wrongThere, failure: null } : null);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    document.title = `${w.heading} · ${common().product}`;
  }, [w]);

  const submit = async (): Promise<void> => {
    setBusy(true);
    setFault(null);
    try {
      await signIn({ email, password, ...(tenantId === '' ? {} : { tenantId }) }, () => api().getMe());
    } catch (error) {
      const several = tenantsOf(error);
      if (several.length > 0) {
        setTenants(several);
        setTenantId(several[0]?.value ?? '');
      } else setFault(faultOf(error));
      setBusy(false);
    }
  };

  return (
    <main class="alone">
      <form
        class="card stack"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p class="muted">{common().product}</p>
        <h1>{w.heading}</h1>
        <TextField
          label={w.email}
          type="email"
          name="email"
          autoComplete="username"
          required
          value={email}
          onInput={setEmail}
        />
        <TextField
          label={w.password}
          type="password"
          name="password"
          autoComplete="current-password"
          required
          value={password}
          onInput={setPassword}
        />
        {tenants.length > 0 && (
          <Select label={w.company} hint={w.several} value={tenantId} choices={tenants} onChange={setTenantId} />
        )}
        {fault !== null && (
          <div role="alert">
            <p class="bad">{fault.text}</p>
            {fault.failure && <FailureText failure={fault.failure} />}
          </div>
        )}
        <Button kind="primary" type="submit" busy={isBusy}>
          {w.signIn}
        </Button>
        {mayUseProvider() && (
          <Button onClick={() => provider.value && void goToProvider(provider.value)}>{w.withProvider}</Button>
        )}
        <Segmented
          label={common().frame.language}
          value={language.value}
          choices={LANGUAGES.map((value) => ({ value, label: value === 'en' ? 'English' : 'Türkçe' }))}
          onChange={(chosen) => {
            language.value = languageOf(chosen) ?? 'en';
          }}
        />
      </form>
    </main>
  );
}

/** Somebody who is in several tenants has to name one. */
function tenantsOf(error: unknown): Choice[] {
  if (!(error instanceof BankError) || error.code !== 'TENANT_REQUIRED') return [];
  const { tenants } = error.meta;
  if (!Array.isArray(tenants)) return [];
  return tenants.map((one: { id: string; name: string }) => ({ value: one.id, label: one.name }));
}

function faultOf(error: unknown): Fault {
  const w = signInWords();
  if (error instanceof BankError && error.code === 'LOGIN_FAILED') return { text: w.wrong, failure: null };
  if (error instanceof BankError && error.status === 429) {
    return { text: w.slow(error.retryAfter ?? 1), failure: null };
  }
  return { text: w.failed, failure: failureOf(error) };
}
