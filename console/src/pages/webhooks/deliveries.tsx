import { useState } from 'preact/hooks';
import type { Webhook, WebhookDelivery } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { toast, toastFailure } from '../../parts/toast.tsx';
import { mayWrite } from '../../session/session.ts';
import { clientOf } from './new-webhook.tsx';
import { webhookWords } from './words.ts';

const SHOWN = 50;
const TONES = { pending: 'warn', delivered: 'good', replaced: 'none' } as const;

type Props = { readonly webhook: Webhook; readonly age: number };

/** The newest deliveries that were attempted, each with its last answer and a way to deliver it again. */
export function Deliveries({ webhook, age }: Props) {
  const w = webhookWords();
  const { id, status } = webhook;
  const load = useLoad(
    `deliveries ${id}`,
    (signal) => api().listWebhookDeliveries(id, { limit: SHOWN }, { signal }),
    age,
  );
  const mayRetry = mayWrite('webhooks:write') && status === 'active';
  return (
    <Loaded of={load} what={w.deliveriesFailed}>
      {({ items }) =>
        items.length === 0 ? (
          <p class="muted">{w.noDeliveries}</p>
        ) : (
          <SimpleTable
            caption={w.deliveries}
            rows={items}
            keyOf={(delivery) => delivery.id}
            columns={[
              { key: 'when', title: w.when, cell: ({ createdAt }) => <Moment at={createdAt} /> },
              { key: 'type', title: w.event, cell: ({ type }) => w.names[type] ?? type },
              {
                key: 'state',
                title: w.state,
                cell: (one) => <StateWord tone={TONES[one.status]}>{w.deliveryStates[one.status]}</StateWord>,
              },
              { key: 'answer', title: w.answer, cell: (delivery) => <Answer delivery={delivery} /> },
              { key: 'attempts', title: w.attempts, end: true, cell: ({ attemptCount }) => attemptCount },
              ...(mayRetry
                ? [
                    {
                      key: 'again',
                      title: w.actions,
                      cell: (delivery: WebhookDelivery) => (
                        <Again webhook={webhook} delivery={delivery} onDone={load.reload} />
                      ),
                    },
                  ]
                : []),
            ]}
          />
        )
      }
    </Loaded>
  );
}

function Answer({ delivery: { attempts, nextAttemptAt } }: { readonly delivery: WebhookDelivery }) {
  const w = webhookWords();
  const last = attempts.toSorted((one, other) => one.at.localeCompare(other.at)).at(-1);
  return (
    <>
      {last === undefined ? '—' : last.status === null ? last.error : `HTTP ${last.status}`}
      {nextAttemptAt !== null && (
        <span class="small muted">
          {' '}
          {w.next} <Moment at={nextAttemptAt} />
        </span>
      )}
    </>
  );
}

type AgainProps = { readonly webhook: Webhook; readonly delivery: WebhookDelivery; readonly onDone: () => void };

function Again({ webhook, delivery: { id, type }, onDone }: AgainProps) {
  const w = webhookWords();
  const [isBusy, setBusy] = useState(false);
  const again = async (): Promise<void> => {
    setBusy(true);
    try {
      await clientOf(webhook).retryWebhookDelivery(webhook.id, id);
      toast(w.againDone);
      onDone();
    } catch (error) {
      toastFailure(w.againFailed, error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button busy={isBusy} label={`${w.again}: ${w.names[type] ?? type}`} onClick={() => void again()}>
      {w.again}
    </Button>
  );
}
