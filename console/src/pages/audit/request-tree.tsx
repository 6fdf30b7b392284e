import type { AuditedEvent, ExpandedNames } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { to } from '../../router.ts';
import { Actor } from './actor.tsx';
import { type Branch, treeOf } from './tree.ts';
import { auditWords } from './words.ts';

const SHOWN = 200;

/** All that one request caused, as a tree: an event stands below the one that led to it. */
export function RequestTree({ id }: { readonly id: string }) {
  const w = auditWords();
  const load = useLoad(id, (signal) =>
    api().listHistory({ correlationId: id, limit: SHOWN, expand: ['actor'] }, { signal }),
  );
  return (
    <>
      <p>
        <a class="row" href={to('audit')}>
          <Icon name="left" /> {w.back}
        </a>
      </p>
      <h2 class="mono">{w.request(id)}</h2>
      <Loaded of={load} what={w.eventsFailed}>
        {({ items, nextCursor, expanded }) => (
          <div class="stack">
            <p class="muted">
              {w.requestEvents(items.length)} {nextCursor !== null && w.requestMore}
            </p>
            <Branches branches={treeOf(items)} names={expanded} />
          </div>
        )}
      </Loaded>
    </>
  );
}

type Props = { readonly branches: readonly Branch<AuditedEvent>[]; readonly names: ExpandedNames | undefined };

function Branches({ branches, names }: Props) {
  const w = auditWords();
  return (
    <ul class="tree">
      {branches.map(({ event, children }) => (
        <li key={event.eventId}>
          <p>
            {event.entityType === null ? (
              event.title
            ) : (
              <a href={to('audit', 'entity', event.entityType, event.entityId)}>{event.title}</a>
            )}
          </p>
          <p class="small muted">
            {w.kinds[event.entityType ?? 'none']} · <Actor actor={event.actor} names={names} /> ·{' '}
            <Moment at={event.recordedAt} exact />
          </p>
          {children.length > 0 && <Branches branches={children} names={names} />}
        </li>
      ))}
    </ul>
  );
}
