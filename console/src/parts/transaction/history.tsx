import { api } from '../../api/client.ts';
import { useLoad } from '../../api/use-load.ts';
import { asOf } from '../../frame/as-of-moment.ts';
import { Loaded } from '../loaded.tsx';
import { Timeline } from '../timeline.tsx';
import { transactionWords } from './words.ts';

type Props = { readonly id: string; readonly version: string };

/** What happened to it, as the audit has it; for those who may read the audit. */
export function History({ id, version }: Props) {
  const w = transactionWords();
  // The far future: everything.
  const until = asOf.value ?? '9999';
  const history = useLoad(`history ${id} ${version}`, (signal) =>
    api().getEntityHistory('transaction', id, { limit: 100 }, { signal }),
  );
  return (
    <section class="stack">
      <h3>{w.history}</h3>
      <Loaded of={history} what={w.openFailed}>
        {({ items }) => (
          <Timeline
            entries={items
              .filter(({ recordedAt }) => recordedAt <= until)
              .map(({ eventId, eventType, recordedAt, title, actor }) => ({
                id: eventId,
                at: recordedAt,
                title: w.titles[eventType] ?? title,
                by: actor.type === 'system' ? actor.id : `${actor.type} ${actor.id}`,
              }))}
          />
        )}
      </Loaded>
    </section>
  );
}
