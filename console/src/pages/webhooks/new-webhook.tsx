import type { Webhook, WebhookWithSecret } from '../../../../sdk/src/index.ts';
import { apiOf } from '../../api/client.ts';
import { useAction } from '../../api/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import type { Once } from '../../parts/shown-once.tsx';
import { company, person } from '../../session/session.ts';
import { WebhookForm, type WebhookSettings } from './webhook-form.tsx';
import { webhookWords } from './words.ts';

type Props = { readonly onClose: () => void; readonly onMade: (secret: Once) => void };

/** The answer has the secret. */
export function NewWebhook({ onClose, onMade }: Props) {
  const w = webhookWords();
  const action = useAction();
  const first = company.value ?? person.value?.companies[0]?.id ?? '';
  const create = async (settings: WebhookSettings): Promise<void> =>
    onMade(secretOf(await apiOf(settings.companies[0] ?? first).createWebhook(settings)));
  return (
    <Dialog title={w.newWebhook} onClose={onClose}>
      <WebhookForm
        start={{ url: 'https://', description: null, types: ['*'], companies: [first] }}
        action={action}
        failed={w.createFailed}
        submit={w.create}
        onSubmit={create}
        onCancel={onClose}
      />
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
