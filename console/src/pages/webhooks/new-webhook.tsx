import { useState } from 'preact/hooks';
import type { Webhook, WebhookType, WebhookWithSecret } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Check, TextField } from '../../parts/field.tsx';
import type { Once } from '../../parts/shown-once.tsx';
import { company, person } from '../../session/session.ts';
import { webhookWords } from './words.ts';

type Props = { readonly onClose: () => void; readonly onMade: (secret: Once) => void };

/** Where to, which events and whose; the answer has the secret. */
export function NewWebhook({ onClose, onMade }: Props) {
  const w = webhookWords();
  const action = useAction();
  const own = person.value?.companies ?? [];
  const first = company.value ?? own[0]?.id ?? '';
  const [url, setUrl] = useState('https://');
  const [description, setDescription] = useState('');
  const [types, setTypes] = useState<readonly WebhookType[]>(['*']);
  const [companies, setCompanies] = useState<readonly string[]>([first]);
  const create = async (): Promise<void> => {
    const made = await apiOf(companies[0] ?? first).createWebhook({
      url: url.trim(),
      types: [...types],
      companies: [...companies],
      description: description.trim() === '' ? null : description.trim(),
    });
    onMade(secretOf(made));
  };
  const toggled = <Item extends string>(list: readonly Item[], item: Item, isOn: boolean): Item[] =>
    isOn ? [...list, item] : list.filter((one) => one !== item);
  return (
    <Dialog title={w.newWebhook} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.createFailed}
        submit={w.create}
        disabled={!URL.canParse(url.trim()) || types.length === 0 || companies.length === 0}
        onSubmit={() => action.run(create)}
        onCancel={onClose}
      >
        <TextField label={w.receiver} hint={w.receiverHint} autoComplete="off" value={url} onInput={setUrl} />
        <TextField
          label={w.description}
          autoComplete="off"
          maxLength={200}
          value={description}
          onInput={setDescription}
        />
        <fieldset class="inner stack">
          <legend>{w.types}</legend>
          <Check label={w.allTypes} checked={types.includes('*')} onChange={(isAll) => setTypes(isAll ? ['*'] : [])} />
          {!types.includes('*') &&
            (Object.keys(w.names) as WebhookType[]).map((type) => (
              <Check
                key={type}
                label={w.names[type] ?? ''}
                checked={types.includes(type)}
                onChange={(isOn) => setTypes(toggled(types, type, isOn))}
              />
            ))}
        </fieldset>
        {own.length > 1 && (
          <fieldset class="inner stack">
            <legend>{w.companies}</legend>
            {own.map(({ id, name }) => (
              <Check
                key={id}
                label={name}
                checked={companies.includes(id)}
                onChange={(isOn) => setCompanies(toggled(companies, id, isOn))}
              />
            ))}
          </fieldset>
        )}
      </ActionForm>
    </Dialog>
  );
}

/** For a write, which names a company that the webhook delivers of. */
export function clientOf({ companies }: Pick<Webhook, 'companies'>) {
  return apiOf(companies[0] ?? '');
}

/** What is to be copied now, of a new webhook or a replaced secret. */
export function secretOf({ url, secret }: WebhookWithSecret): Once {
  const w = webhookWords();
  return { title: w.secretTitle, hint: w.secretHint, label: w.secret, value: secret, facts: [[w.receiver, url]] };
}
