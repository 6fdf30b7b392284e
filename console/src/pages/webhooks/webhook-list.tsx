import { useState } from 'preact/hooks';
import { api } from '../../api/client.ts';
import { collect } from '../../api/collect.ts';
import { useLoad } from '../../api/use-load.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { type Once, ShownOnce } from '../../parts/shown-once.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { to } from '../../router.ts';
import { mayWrite, nameOfCompany } from '../../session/session.ts';
import { NewWebhook } from './new-webhook.tsx';
import { WebhookState } from './webhook-state.tsx';
import { webhookWords } from './words.ts';

export function WebhookList() {
  const w = webhookWords();
  const load = useLoad('webhooks', (signal) => collect(api().each.listWebhooks({ limit: 200 }, { signal })));
  const [isOpen, setOpen] = useState(false);
  const [once, setOnce] = useState<Once | null>(null);
  const add = mayWrite('webhooks:write') && (
    <Button kind="primary" icon="add" onClick={() => setOpen(true)}>
      {w.newWebhook}
    </Button>
  );
  return (
    <Loaded of={load} what={w.listFailed}>
      {(webhooks) => (
        <div class="stack wide">
          {webhooks.length === 0 ? (
            <Empty action={add}>{w.none}</Empty>
          ) : (
            <>
              <div class="tools">
                <div class="right">{add}</div>
              </div>
              <SimpleTable
                caption={w.list}
                rows={webhooks}
                keyOf={({ id }) => id}
                columns={[
                  {
                    key: 'url',
                    title: w.receiver,
                    cell: ({ id, url, description }) => (
                      <>
                        <a href={to('webhooks', id)}>{url}</a>
                        {description !== null && (
                          <>
                            <br />
                            <span class="small muted">{description}</span>
                          </>
                        )}
                      </>
                    ),
                  },
                  { key: 'state', title: w.state, cell: (webhook) => <WebhookState webhook={webhook} /> },
                  { key: 'types', title: w.types, cell: ({ types }) => w.typesOf(types) },
                  {
                    key: 'companies',
                    title: w.companies,
                    cell: ({ companies }) => companies.map(nameOfCompany).join(', '),
                  },
                  { key: 'since', title: w.since, cell: ({ createdAt }) => <Moment at={createdAt} /> },
                ]}
              />
            </>
          )}
          {isOpen && (
            <NewWebhook
              onClose={() => setOpen(false)}
              onMade={(secret) => {
                setOpen(false);
                setOnce(secret);
                load.reload();
              }}
            />
          )}
          {once && <ShownOnce {...once} onClose={() => setOnce(null)} />}
        </div>
      )}
    </Loaded>
  );
}
