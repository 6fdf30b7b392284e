import type { ChangeWebhookRequest, Webhook } from '../../../../sdk/src/index.ts';
import { useAction } from '../../api/use-action.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { toast } from '../../parts/toast.tsx';
import { clientOf } from './new-webhook.tsx';
import { WebhookForm, type WebhookSettings } from './webhook-form.tsx';
import { webhookWords } from './words.ts';

type Props = { readonly webhook: Webhook; readonly onClose: () => void; readonly onChanged: () => void };

/** Sends what is different, so that what somebody else changed meanwhile stays. */
export function ChangeWebhook({ webhook, onClose, onChanged }: Props) {
  const w = webhookWords();
  const action = useAction();
  const change = async (settings: WebhookSettings): Promise<void> => {
    const body = differences(webhook, settings);
    if (Object.keys(body).length > 0) {
      await clientOf(webhook).changeWebhook(webhook.id, body);
      toast(w.changed);
      onChanged();
    }
    onClose();
  };
  return (
    <Dialog title={w.changeTitle} onClose={onClose}>
      <WebhookForm
        start={webhook}
        action={action}
        failed={w.changeFailed}
        submit={w.save}
        onSubmit={change}
        onCancel={onClose}
      />
    </Dialog>
  );
}

function differences(before: WebhookSettings, after: WebhookSettings): ChangeWebhookRequest {
  const isOther = (name: keyof WebhookSettings): boolean =>
    JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return {
    ...(isOther('url') && { url: after.url }),
    ...(isOther('description') && { description: after.description }),
    ...(isOther('types') && { types: after.types }),
    ...(isOther('companies') && { companies: after.companies }),
  };
}
