import { useState } from 'preact/hooks';
import type { Webhook, WebhookType } from '../../../../sdk/src/index.ts';
import type { Action } from '../../api/use-action.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Check, TextField } from '../../parts/field.tsx';
import { person } from '../../session/session.ts';
import { webhookWords } from './words.ts';

/** What a person chooses of a webhook. */
export type WebhookSettings = Pick<Webhook, 'url' | 'description' | 'types' | 'companies'>;

type Props = {
  readonly start: WebhookSettings;
  readonly action: Action;
  /** What is said when it fails, and what the button does. */
  readonly failed: string;
  readonly submit: string;
  readonly onSubmit: (settings: WebhookSettings) => Promise<void>;
  readonly onCancel: () => void;
};

/** Where to, which events and whose. */
export function WebhookForm({ start, action, failed, submit, onSubmit, onCancel }: Props) {
  const w = webhookWords();
  const own = person.value?.companies ?? [];
  const [url, setUrl] = useState(start.url);
  const [description, setDescription] = useState(start.description ?? '');
  const [types, setTypes] = useState<readonly WebhookType[]>(start.types);
  const [companies, setCompanies] = useState<readonly string[]>(start.companies);
  const toggled = <Item extends string>(list: readonly Item[], item: Item, isOn: boolean): Item[] =>
    isOn ? [...list, item] : list.filter((one) => one !== item);
  const chosen = (): WebhookSettings => ({
    url: url.trim(),
    types: [...types],
    companies: [...companies],
    description: description.trim() === '' ? null : description.trim(),
  });
  return (
    <ActionForm
      action={action}
      failed={failed}
      submit={submit}
      disabled={!URL.canParse(url.trim()) || types.length === 0 || companies.length === 0}
      onSubmit={() => action.run(() => onSubmit(chosen()))}
      onCancel={onCancel}
    >
      <TextField label={w.receiver} hint={w.receiverHint} autoComplete="off" value={url} onInput={setUrl} />
      <TextField
        label={w.description}
        autoComplete="off"
        maxLength={500}
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
  );
}
