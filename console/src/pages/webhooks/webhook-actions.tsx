import { useState } from 'preact/hooks';
import type { Webhook, WebhookTest } from '../../../../sdk/src/index.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm, Dialog } from '../../parts/dialog.tsx';
import { RotateSecret } from '../../parts/rotate-secret.tsx';
import { type Once, ShownOnce } from '../../parts/shown-once.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { ChangeWebhook } from './change-webhook.tsx';
import { clientOf, secretOf } from './new-webhook.tsx';
import { ReplayWebhook } from './replay-webhook.tsx';
import { webhookWords } from './words.ts';

type Props = { readonly webhook: Webhook; readonly onChanged: () => void };

/** Test, pause or resume, other settings, a new secret, all of it again, and the end. */
export function WebhookActions({ webhook, onChanged }: Props) {
  const w = webhookWords();
  const { id, url, status } = webhook;
  const client = clientOf(webhook);
  const [over, setOver] = useState<'change' | 'replay' | 'rotate' | 'archive' | WebhookTest | Once | null>(null);
  const [isBusy, setBusy] = useState(false);
  const close = (): void => setOver(null);
  const run = async (call: () => Promise<void>): Promise<void> => {
    setBusy(true);
    try {
      await call();
      onChanged();
    } catch (error) {
      toastFailure(w.changeFailed, error);
    } finally {
      setBusy(false);
    }
  };
  const test = () => run(async () => setOver(await client.testWebhook(id)));
  const pause = () =>
    run(async () => {
      await (status === 'active' ? client.pauseWebhook(id) : client.resumeWebhook(id));
      toast(status === 'active' ? w.paused : w.resumed);
    });
  const archive = () =>
    run(async () => {
      close();
      await client.archiveWebhook(id);
      toast(w.archived);
    });
  return (
    <div class="row">
      <Button busy={isBusy} onClick={() => void test()}>
        {w.test}
      </Button>
      <Button busy={isBusy} onClick={() => void pause()}>
        {status === 'active' ? w.pause : w.resume}
      </Button>
      <Button onClick={() => setOver('change')}>{w.change}</Button>
      <Button onClick={() => setOver('rotate')}>{w.rotate}</Button>
      <Button onClick={() => setOver('replay')}>{w.replay}</Button>
      <Button kind="danger" onClick={() => setOver('archive')}>
        {w.archive}
      </Button>
      {over === 'change' && <ChangeWebhook webhook={webhook} onClose={close} onChanged={onChanged} />}
      {over === 'replay' && <ReplayWebhook webhook={webhook} onClose={close} onDone={onChanged} />}
      {over === 'rotate' && (
        <Rotate
          webhook={webhook}
          onClose={close}
          onMade={(secret) => {
            setOver(secret);
            onChanged();
          }}
        />
      )}
      {over === 'archive' && (
        <Confirm title={w.archiveTitle} action={w.archive} danger onConfirm={() => void archive()} onClose={close}>
          <p>{w.archiveText(url)}</p>
        </Confirm>
      )}
      {over !== null && typeof over === 'object' && 'value' in over && <ShownOnce {...over} onClose={close} />}
      {over !== null && typeof over === 'object' && 'delivered' in over && <Tested result={over} onClose={close} />}
    </div>
  );
}

type RotateProps = { readonly webhook: Webhook; readonly onClose: () => void; readonly onMade: (secret: Once) => void };

function Rotate({ webhook, onClose, onMade }: RotateProps) {
  const w = webhookWords();
  const client = clientOf(webhook);
  return (
    <RotateSecret
      words={{ ...w, title: w.rotate, text: w.rotateText, submit: w.rotateDo, failed: w.changeFailed }}
      rotate={async (graceSeconds) => onMade(secretOf(await client.rotateWebhookSecret(webhook.id, { graceSeconds })))}
      onClose={onClose}
    />
  );
}

/** What the receiver answered to a test message. */
function Tested({ result, onClose }: { readonly result: WebhookTest; readonly onClose: () => void }) {
  const w = webhookWords();
  const { delivered, status, error, durationMs, response } = result;
  return (
    <Dialog title={w.test} onClose={onClose}>
      <p>
        <StateWord tone={delivered ? 'good' : 'bad'}>{delivered ? w.tested : w.testFailed}</StateWord>
      </p>
      <p class="small muted">
        {status === null ? error : `HTTP ${status}`} · {w.milliseconds(durationMs)}
      </p>
      {response !== null && response !== '' && <pre class="mono small">{response}</pre>}
    </Dialog>
  );
}
