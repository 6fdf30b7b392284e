import { useState } from 'preact/hooks';
import type { ApiKeyWithSecret, Scope } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { addDays } from '../../format/days.ts';
import { momentOfInput } from '../../frame/local-input.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Check, TextField } from '../../parts/field.tsx';
import type { Once } from '../../parts/shown-once.tsx';
import { person, timeZone } from '../../session/session.ts';
import { administrationWords } from './words.ts';

const RESOURCES = ['transactions', 'connections', 'rules', 'schedules', 'analytics', 'audit', 'webhooks'] as const;
const SCOPES: readonly Scope[] = RESOURCES.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const);

type Props = { readonly onClose: () => void; readonly onMade: (secret: Once) => void };

/** Rights, companies and an end; the answer has the secret. */
export function NewKey({ onClose, onMade }: Props) {
  const w = administrationWords();
  const action = useAction();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<ReadonlySet<Scope>>(new Set());
  const [companies, setCompanies] = useState<readonly string[] | null>(null);
  const [lastDay, setLastDay] = useState('');
  const own = person.value?.companies ?? [];
  const create = async (): Promise<void> => {
    const made = await api().createApiKey({
      name: name.trim(),
      scopes: SCOPES.filter((scope) => scopes.has(scope)),
      companies: companies === null ? null : [...companies],
      expiresAt: lastDay === '' ? null : momentOfInput(`${addDays(lastDay, 1)}T00:00`, timeZone.value),
    });
    onMade(secretOf(made));
  };
  return (
    <Dialog title={w.newKey} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.createKeyFailed}
        submit={w.createKey}
        disabled={name.trim() === '' || scopes.size === 0 || companies?.length === 0}
        onSubmit={() => action.run(create)}
        onCancel={onClose}
      >
        <TextField label={w.name} autoComplete="off" maxLength={120} value={name} onInput={setName} />
        <fieldset class="inner stack">
          <legend>{w.rights}</legend>
          <div class="scopes">
            {SCOPES.map((scope) => (
              <Check
                key={scope}
                label={scope}
                checked={scopes.has(scope)}
                onChange={(isOn) =>
                  setScopes((before) => new Set(isOn ? [...before, scope] : [...before].filter((one) => one !== scope)))
                }
              />
            ))}
          </div>
          {scopes.size === 0 && <p class="small muted">{w.rightsNone}</p>}
        </fieldset>
        <fieldset class="inner stack">
          <legend>{w.companies}</legend>
          <Check
            label={w.allCompanies}
            checked={companies === null}
            onChange={(isAll) => setCompanies(isAll ? null : own.slice(0, 1).map(({ id }) => id))}
          />
          {companies !== null &&
            own.map(({ id, name: company }) => (
              <Check
                key={id}
                label={company}
                checked={companies.includes(id)}
                onChange={(isOn) => setCompanies(isOn ? [...companies, id] : companies.filter((one) => one !== id))}
              />
            ))}
        </fieldset>
        <TextField label={w.expires} hint={w.expiresHint} type="date" value={lastDay} onInput={setLastDay} />
      </ActionForm>
    </Dialog>
  );
}

/** What is shown once of a key that has a new secret. */
export function secretOf({ name, key, secret }: ApiKeyWithSecret): Once {
  const w = administrationWords();
  return { title: w.secretTitle(name), hint: w.secretHint, label: w.secret, value: secret, facts: [[w.key, key]] };
}
