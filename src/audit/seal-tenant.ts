import { type CommandContext, metadataFor } from '../commands/command.ts';
import { history } from '../projections/history.ts';
import { isoTime } from '../shared/clock.ts';
import { computedId } from '../shared/ids.ts';
import { leafOf, sealedForm } from './leaf.ts';
import { MOST_EVENTS_A_SEAL, makeSeal, type SealingKey, sealHash } from './seal.ts';
import { type HistorySource, lastSealOf, readSeal, sealStream, tenantEvents } from './tenant-events.ts';

export type Sealing = HistorySource & {
  readonly key: SealingKey;
  /** How long an event may wait for its seal. */
  readonly sealAfterMs: number;
};

/**
 * Seals what the tenant's newest seal does not cover, when there is enough of it or it has waited long enough: at most 10,000 events. Null when
 * there is nothing to seal yet. What the read models do not show yet is sealed the next time; if another worker was at it, the log takes one.
 * @throws Error when the log does not hold what the history lists: it is left to `integrity` to name it, and nothing is sealed over it
 */
export async function sealTenant(sealing: Sealing, context: CommandContext): Promise<string | null> {
  const { log, shelves, key, sealAfterMs } = sealing;
  const { tenantId, clock } = context;
  const last = await lastSealOf(shelves, tenantId);
  const due = await shelves.shelf(history).find({
    filter: [
      { field: 'tenantId', op: 'eq', value: tenantId },
      { field: 'position', op: 'gt', value: last?.toPosition ?? '' },
    ],
    sort: [{ field: 'position', direction: 'asc' }],
    limit: MOST_EVENTS_A_SEAL,
  });
  const [oldest, newest] = [due[0], due.at(-1)];
  if (oldest === undefined || newest === undefined) return null;
  // A seal alone is not worth a seal: else every one would lead to the next for ever.
  if (due.every(({ eventType }) => eventType === 'TenantSealed')) return null;
  const waitedMs = clock.now() - Date.parse(oldest.recordedAt);
  if (due.length < MOST_EVENTS_A_SEAL && waitedMs < sealAfterMs) return null;

  const leaves: Buffer[] = [];
  const range = { after: last?.toPosition ?? '', to: newest.position };
  for await (const { entry, event } of tenantEvents(sealing, tenantId, range)) {
    if (event === undefined) throw new Error(`the log does not hold event ${entry.eventId} of ${entry.stream}`);
    leaves.push(leafOf(sealedForm(event)));
  }
  const before = last === undefined ? null : await readSeal(log, tenantId, last.ordinal);
  const previous = before === null ? null : { ...before, hash: sealHash(before) };
  const seal = makeSeal(key, previous, { leaves, toPosition: newest.position, sealedAt: isoTime(clock.now()) });
  const stream = sealStream(tenantId);
  const appended = await log.append({
    stream,
    expected: seal.ordinal === 1 ? 'no-stream' : seal.ordinal - 2,
    events: [
      {
        id: computedId('seal', stream, String(seal.ordinal), seal.root),
        type: 'TenantSealed',
        data: seal,
        metadata: metadataFor(context, 'TenantSealed', null),
      },
    ],
  });
  return appended.outcome === 'appended' ? appended.position : null;
}
