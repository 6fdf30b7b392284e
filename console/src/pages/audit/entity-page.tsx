import { useState } from 'preact/hooks';
import type { AuditedChange, ExpandedNames } from '../../../../sdk/src/index.ts';
import { api } from '../../api/client.ts';
import { useDebounced } from '../../api/use-debounced.ts';
import { useLoad } from '../../api/use-load.ts';
import { lookAt } from '../../frame/as-of-moment.ts';
import { Button } from '../../parts/button.tsx';
import { Copy } from '../../parts/copy.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Moment } from '../../parts/moment.tsx';
import { SimpleTable } from '../../parts/simple-table.tsx';
import { Timeline } from '../../parts/timeline.tsx';
import { to } from '../../router.ts';
import { Actor } from './actor.tsx';
import { Changes, Value } from './changes.tsx';
import { KINDS } from './events.tsx';
import { auditWords } from './words.ts';

const MOST = 1_000;
const PAGE = 200;

type Life = { readonly events: readonly AuditedChange[]; readonly isWhole: boolean; readonly names: ExpandedNames };

async function lifeOf(type: string, id: string, signal: AbortSignal): Promise<Life> {
  const events: AuditedChange[] = [];
  let names: ExpandedNames = {};
  let cursor: string | null = null;
  do {
    const query = { limit: PAGE, expand: ['actor' as const], ...(cursor === null ? {} : { cursor }) };
    const page = await api().getEntityHistory(type, id, query, { signal });
    events.push(...page.items);
    names = { ...names, actor: { ...names.actor, ...page.expanded?.actor } };
    cursor = page.nextCursor;
  } while (cursor !== null && events.length < MOST);
  return { events, isWhole: cursor === null, names };
}

/** The life of one entity: its events, and how it stood after each of them. */
export function EntityPage({ type, id }: { readonly type: string; readonly id: string }) {
  const w = auditWords();
  const kind = KINDS.find((one) => one === type) ?? 'none';
  const load = useLoad(`${type} ${id}`, (signal) => lifeOf(type, id, signal));
  return (
    <>
      <p>
        <a class="row" href={to('audit')}>
          <Icon name="left" /> {w.back}
        </a>
      </p>
      <h2 class="row">
        {w.kinds[kind]} <Copy text={id} />
      </h2>
      <Loaded of={load} what={w.entityFailed}>
        {(life) => <Lived key={life.events.length} type={type} id={id} life={life} />}
      </Loaded>
    </>
  );
}

type Props = { readonly type: string; readonly id: string; readonly life: Life };

function Lived({ type, id, life: { events, isWhole, names } }: Props) {
  const w = auditWords();
  const [at, setAt] = useState(events.length - 1);
  const event = events[at];
  if (event === undefined) return <p class="muted">{w.noEntity}</p>;
  return (
    <div class="life">
      <div class="stack">
        <label class="stack">
          <span class="hidden">{w.slider}</span>
          <input
            class="slider"
            type="range"
            min={0}
            max={events.length - 1}
            value={at}
            disabled={events.length < 2}
            aria-valuetext={w.version(at + 1, events.length)}
            onInput={(change) => setAt(Number(change.currentTarget.value))}
          />
        </label>
        <p class="row between">
          <span>
            {w.version(at + 1, events.length)} · <Moment at={event.recordedAt} exact />
          </span>
          <Button icon="clock" onClick={() => lookAt(event.recordedAt)}>
            {w.everything}
          </Button>
        </p>
        <AsItStood type={type} id={id} event={event} />
      </div>
      <section class="stack">
        <h3>{w.timeline}</h3>
        {!isWhole && <p class="muted">{w.longer}</p>}
        <Timeline
          entries={events.toReversed().map((one) => ({
            id: one.eventId,
            at: one.recordedAt,
            title: (
              <button
                type="button"
                class={`link ${one === event ? 'now' : ''}`}
                aria-current={one === event ? 'step' : undefined}
                onClick={() => setAt(events.indexOf(one))}
              >
                {one.title}
              </button>
            ),
            by: (
              <>
                <Actor actor={one.actor} names={names} /> ·{' '}
                <a href={to('audit', 'request', one.correlationId)}>{w.openRequest}</a>
              </>
            ),
            details: one === event ? <Changes changes={one.changes} /> : undefined,
          }))}
        />
      </section>
    </div>
  );
}

type StoodProps = { readonly type: string; readonly id: string; readonly event: AuditedChange };

/** The entity after the event; what the event changed is marked. */
function AsItStood({ type, id, event }: StoodProps) {
  const w = auditWords();
  const position = useDebounced(event.position);
  const load = useLoad(`${type} ${id} ${position}`, (signal) =>
    api().getEntityAsOf(type, id, { position }, { signal }),
  );
  const changed = new Set(event.changes.map(({ path }) => path.split(/[.[]/)[0]));
  return (
    <Loaded of={load} what={w.entityFailed}>
      {({ entity }) =>
        entity === null ? (
          <p class="muted">{w.noEntity}</p>
        ) : (
          <SimpleTable
            caption={w.asItStood}
            rows={Object.entries(entity)}
            keyOf={([name]) => name}
            columns={[
              { key: 'field', title: w.field, cell: ([name]) => <code>{name}</code> },
              {
                key: 'value',
                title: w.asItStood,
                cell: ([name, value]) =>
                  changed.has(name) ? (
                    <mark>
                      <Value value={value} />
                    </mark>
                  ) : (
                    <Value value={value} />
                  ),
              },
            ]}
          />
        )
      }
    </Loaded>
  );
}
