import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { useAction } from '../../api/use-action.ts';
import { localInput, momentOfInput } from '../../frame/local-input.ts';
import { ActionForm } from '../../parts/action-form.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { TextField } from '../../parts/field.tsx';
import { toast } from '../../parts/toast.tsx';
import { timeZone } from '../../session/session.ts';
import { clientOf } from './new-webhook.tsx';
import { webhookWords } from './words.ts';

const DAY_MS = 86_400_000;

type Props = { readonly webhook: Webhook; readonly onClose: () => void; readonly onDone: () => void };

/** Everything since a moment once more, for a receiver that has lost it. */
export function ReplayWebhook({ webhook, onClose, onDone }: Props) {
  const w = webhookWords();
  const action = useAction();
  const zone = timeZone.value;
  const [since, setSince] = useState(() => localInput(new Date(Date.now() - DAY_MS).toISOString(), zone));
  const moment = momentOfInput(since, zone);
  const isFuture = moment !== null && Date.parse(moment) > Date.now();
  const replay = async (): Promise<void> => {
    if (moment === null) return;
    await clientOf(webhook).replayWebhook(webhook.id, { after: moment });
    toast(w.replayed);
    onDone();
    onClose();
  };
  return (
    <Dialog title={w.replayTitle} onClose={onClose}>
      <ActionForm
        action={action}
        failed={w.replayFailed}
        submit={w.replayDo}
        disabled={moment === null || isFuture}
        onSubmit={() => action.run(replay)}
        onCancel={onClose}
      >
        <p>{w.replayText}</p>
        <TextField
          label={w.replaySince}
          hint={zone}
          fault={isFuture ? w.replayFuture : null}
          type="datetime-local"
          value={since}
          onInput={setSince}
        />
      </ActionForm>
    </Dialog>
  );
}
