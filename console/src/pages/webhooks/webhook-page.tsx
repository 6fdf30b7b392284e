import { useState } from 'preact/hooks';
import type { Webhook } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Copy } from '../../parts/copy.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { to } from '../../router.ts';
import { mayWrite, nameOfCompany } from '../../session/session.ts';
import { Deliveries } from './deliveries.tsx';
import { WebhookActions } from './webhook-actions.tsx';
import { WebhookState } from './webhook-state.tsx';
import { webhookWords } from './words.ts';

/** One webhook: what it delivers, what can be done with it, and how its deliveries went. */
export function WebhookPage({ id }: { readonly id: string }) {
  const w = webhookWords();
  const load = useLoad(`webhook ${id}`, (signal) => api().getWebhook(id, { signal }));
  const [age, setAge] = useState(0);
  const changed = (): void => {
    load.reload();
    setAge((before) => before + 1);
  };
  return (
    <>
      <a class="row" href={to('webhooks')}>
        <Icon name="left" /> {w.back}
      </a>
      <Loaded of={load} what={w.oneFailed}>
        {(webhook) => (
          <div class="stack wide">
            <div class="row between">
              <h2>{webhook.url}</h2>
              {mayWrite('webhooks:write') && webhook.status !== 'archived' && (
                <WebhookActions webhook={webhook} onChanged={changed} />
              )}
            </div>
            <FactsOf webhook={webhook} />
            <h2>{w.deliveries}</h2>
            <Deliveries webhook={webhook} age={age} />
          </div>
        )}
      </Loaded>
    </>
  );
}

function FactsOf({ webhook }: { readonly webhook: Webhook }) {
  const w = webhookWords();
  const { id, description, types, companies, secretGraceUntil, createdAt } = webhook;
  const isInGrace = secretGraceUntil !== null && Date.parse(secretGraceUntil) > Date.now();
  return (
    <Facts
      rows={[
        [w.state, <WebhookState key="state" webhook={webhook} />],
        [w.types, w.typesOf(types)],
        [w.companies, companies.map(nameOfCompany).join(', ')],
        ...(description === null ? [] : [[w.description, description] as const]),
        ...(isInGrace ? [[w.graceUntil, <Moment key="grace" at={secretGraceUntil} />] as const] : []),
        [w.since, <Moment key="since" at={createdAt} />],
        [w.id, <Copy key="id" text={id} />],
      ]}
    />
  );
}
