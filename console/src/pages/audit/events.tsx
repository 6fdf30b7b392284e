import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { AuditedEvent, ExpandedNames } from '../../../../sdk/src/index.ts';
import { day, oneOf, text } from '../../address.ts';
import { api } from '../../api/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Check } from '../../parts/field.tsx';
import { Filters } from '../../parts/filters.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Table } from '../../parts/table.tsx';
import type { Column } from '../../parts/table-column.ts';
import { tableRows } from '../../parts/table-rows.ts';
import { nameOfCompany, showsCompanies } from '../../session/session.ts';
import { useAddress } from '../../use-address.ts';
import { Actor } from './actor.tsx';
import { EventDrawer } from './event-drawer.tsx';
import { auditWords } from './words.ts';

export const KINDS = [
  'connection',
  'sync',
  'transaction',
  'rule',
  'run',
  'schedule',
  'api-key',
  'webhook',
  'user',
  'company',
  'webhook',
] as const;

const SCHEMA = {
  entityType: oneOf(KINDS),
  entityId: text,
  eventType: text,
  actor: text,
  correlationId: text,
  from: day,
  to: day,
};

/** How often the newest event is asked for while the list is live. */
const TAIL_MS = 2_000;

/** A row keeps the names that came with its page. */
type Row = AuditedEvent & { readonly names: ExpandedNames | undefined };

/** The tenant's events, newest first; what happened in one sentence each. */
export function Events() {
  const w = auditWords();
  const address = useAddress(SCHEMA);
  const [open, setOpen] = useState<Row | null>(null);
  const query = JSON.stringify(address.values);
  const client = api();
  const rows = useMemo(
    () =>
      tableRows<Row>(async (cursor, limit, signal) => {
        const { items, nextCursor, expanded } = await client.listHistory(
          { ...JSON.parse(query), limit, expand: ['actor'], ...(cursor === null ? {} : { cursor }) },
          { signal },
        );
        return { items: items.map((item) => ({ ...item, names: expanded })), nextCursor };
      }),
    [query, client],
  );
  const isLive = useSignal(true);
  useTail(isLive.value, rows.at(0)?.eventId, query, rows.again);
  const columns: Column<Row>[] = [
    {
      key: 'at',
      title: w.at,
      width: '180px',
      narrow: 'second',
      cell: ({ recordedAt }) => <Moment at={recordedAt} exact />,
    },
    {
      key: 'what',
      title: w.what,
      width: 'minmax(200px, 3fr)',
      narrow: 'lead',
      cell: ({ title }) => <span class="clip">{title}</span>,
    },
    {
      key: 'who',
      title: w.who,
      width: 'minmax(120px, 1fr)',
      narrow: 'note',
      cell: ({ actor, names }) => <Actor actor={actor} names={names} />,
    },
    {
      key: 'on',
      title: w.on,
      width: 'minmax(120px, 1fr)',
      narrow: 'figure',
      cell: ({ entityType }) => <span class="clip">{w.kinds[entityType ?? 'none']}</span>,
    },
    ...(showsCompanies.value
      ? [
          {
            key: 'company',
            title: w.company,
            width: 'minmax(100px, 1fr)',
            cell: ({ companies }: Row) => (
              <span class="clip">{companies === null ? '' : nameOfCompany(companies)}</span>
            ),
          },
        ]
      : []),
  ];
  const fields = [
    {
      key: 'entityType',
      label: w.entityType,
      type: 'choice' as const,
      choices: KINDS.map((value) => ({ value, label: w.kinds[value] })),
    },
    { key: 'entityId', label: w.entityId, type: 'text' as const },
    { key: 'eventType', label: w.eventType, type: 'text' as const },
    { key: 'actor', label: w.actor, type: 'text' as const },
    { key: 'correlationId', label: w.correlation, type: 'text' as const },
    { key: 'from', label: w.from, type: 'day' as const },
    { key: 'to', label: w.to, type: 'day' as const },
  ];
  return (
    <>
      <div class="tools">
        <Filters fields={fields} schema={SCHEMA} address={address} />
        <div class="right">
          <Check
            label={w.live}
            hint={w.liveHint}
            checked={isLive.value}
            onChange={(chosen) => {
              isLive.value = chosen;
            }}
          />
        </div>
      </div>
      {/* Whoever reads further down must not have the rows move away. */}
      <div
        class="fills"
        onScrollCapture={(event) => {
          if (event.target instanceof HTMLElement && event.target.scrollTop > 0) isLive.value = false;
        }}
      >
        <Table
          label={w.events}
          rows={rows}
          columns={columns}
          keyOf={({ eventId }) => eventId}
          openKey={open?.eventId ?? null}
          onOpen={setOpen}
          empty={<Empty>{w.none}</Empty>}
          failed={w.eventsFailed}
        />
      </div>
      {open && <EventDrawer event={open} names={open.names} onClose={() => setOpen(null)} />}
    </>
  );
}

/** Calls `onNew` when the newest event is another than the one on top. */
function useTail(isLive: boolean, newest: string | undefined, query: string, onNew: () => void): void {
  const client = api();
  useEffect(() => {
    if (!isLive) return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      client
        .listHistory({ ...JSON.parse(query), limit: 1 })
        .then(({ items: [first] }) => {
          if (first !== undefined && first.eventId !== newest) onNew();
        })
        .catch(() => undefined);
    }, TAIL_MS);
    return () => clearInterval(timer);
  }, [isLive, newest, query, onNew, client]);
}
