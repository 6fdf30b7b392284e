import type { AuditedChange, AuditedEvent, ExpandedNames } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Code } from '../../parts/code.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Drawer } from '../../parts/drawer.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { to } from '../../router.ts';
import { Actor } from './actor.tsx';
import { Changes } from './changes.tsx';
import { auditWords } from './words.ts';

/** Among how many events of its entity an event is looked for. */
const LOOKED_AT = 1_000;

type Props = {
  readonly event: AuditedEvent;
  readonly names: ExpandedNames | undefined;
  readonly onClose: () => void;
};

/** Facts and links first, then what it changed, then the event as it is stored. */
export function EventDrawer({ event, names, onClose }: Props) {
  const w = auditWords();
  const { eventId, title, eventType, entityType, entityId, recordedAt, actor, correlationId, position, revision } =
    event;
  return (
    <Drawer title={title} of={eventId} onClose={onClose}>
      <div class="stack wide">
        <Facts
          rows={[
            [w.at, <Moment key="at" at={recordedAt} exact />],
            [w.who, <Actor key="who" actor={actor} names={names} />],
            [w.on, `${w.kinds[entityType ?? 'none']}`],
            [w.facts.event, <code key="type">{eventType}</code>],
            [w.facts.position, <Copy key="position" text={position} />],
            [w.facts.revision, String(revision)],
            [w.facts.id, <Copy key="id" text={eventId} />],
          ]}
        />
        <ul class="stack links">
          {entityType !== null && (
            <li>
              <a href={to('audit', 'entity', entityType, entityId)}>{w.openEntity}</a>
            </li>
          )}
          <li>
            <a href={to('audit', 'request', correlationId)}>{w.openRequest}</a>
          </li>
          <li>
            <a href={`${to('audit')}?tab=proof&event=${encodeURIComponent(eventId)}`}>{w.prove}</a>
          </li>
        </ul>
        {entityType !== null && <WhatChanged event={event} entityType={entityType} />}
        <Code title={w.raw} value={event.data} />
      </div>
    </Drawer>
  );
}

type ChangedProps = { readonly event: AuditedEvent; readonly entityType: NonNullable<AuditedEvent['entityType']> };

function WhatChanged({ event: { eventId, entityId }, entityType }: ChangedProps) {
  const w = auditWords();
  const load = useLoad(`${eventId}`, async (signal): Promise<AuditedChange | null> => {
    let looked = 0;
    for await (const one of api().each.getEntityHistory(entityType, entityId, { limit: 200 }, { signal })) {
      if (one.eventId === eventId) return one;
      looked += 1;
      if (looked >= LOOKED_AT) return null;
    }
    return null;
  });
  return (
    <section class="stack">
      <h3>{w.changed}</h3>
      <Loaded of={load} what={w.changesFailed}>
        {(found) => <Changes changes={found?.changes ?? []} />}
      </Loaded>
    </section>
  );
}
