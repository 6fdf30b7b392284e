import { type CommandContext, metadataFor } from '../commands/command.ts';
import { type HistoryEntry, history } from '../projections/history.ts';
import { countHistory, firstOfHistory } from '../queries/history.ts';
import { isoTime } from '../shared/clock.ts';
import { keepHeapSmall } from '../shared/heap-keeper.ts';
import { computedId } from '../shared/ids.ts';
import { leafOfEvent } from './leaf.ts';
import { MOST_EVENTS_A_SEAL, makeSeal, type SealingKey, sealHash } from './seal.ts';
import { type HistorySource, lastSealOf, readSeal, sealEvent, sealStream, tenantEvents } from './tenant-events.ts';
import { openWaitingEvents } from './waiting-events.ts';

export type Sealing = HistorySource & {
  readonly key: SealingKey;
  /** How long an event may wait for its seal. */
  readonly sealAfterMs: number;
};

/** Of so many events a few MB of garbage are left, beside whatever else is in progress. */
const EVENTS_BETWEEN_COLLECTIONS = 500;

/**
 * Seals what the tenant's newest seal does not cover, when there is enough of it or it has waited long enough: at most
 * 10,000 events. Null when there is nothing to seal yet. Events that the read models do not show yet are sealed next
 * time; of two concurrent workers, the log accepts one.
 * @throws Error when the log does not hold what the history lists: `integrity` names it, and no seal is appended after
 * it
 */
export async function sealTenant(sealing: Sealing, context: CommandContext): Promise<string | null> {
  const { log, readModels, key, sealAfterMs, pace } = sealing;
  const { tenantId, clock } = context;
  const last = await lastSealOf(readModels, tenantId);
  const after = last?.toPosition ?? '';
  const listed = await readModels.readable(history);
  const unsealed = { tenantId, companies: null, direction: 'asc', after } as const;
  const [oldest] = await firstOfHistory(listed, unsealed, 1, pace);
  if (oldest === undefined) return null;
  const waitedMs = clock.now() - Date.parse(oldest.recordedAt);
  const most = MOST_EVENTS_A_SEAL;
  if (waitedMs < sealAfterMs && (await countHistory(listed, unsealed, { most, pace })) < most) return null;

  // While the read model does not show the newest seal, the same events would be sealed again and again.
  if ((await sealEvent(log, tenantId, (last?.ordinal ?? 0) + 1)) !== undefined) return null;

  const sealed = openWaitingEvents();
  let toPosition = '';
  let sealsAlone = true;
  let missing: HistoryEntry | undefined;
  const range = { after, make: leafOfEvent };
  for await (const { entry, made: leaf } of tenantEvents(sealing, tenantId, range)) {
    sealsAlone &&= entry.eventType === 'TenantSealed';
    missing ??= leaf === undefined ? entry : undefined;
    if (leaf !== undefined) sealed.add(entry.eventId, leaf);
    toPosition = entry.position;
    if (sealed.count() % EVENTS_BETWEEN_COLLECTIONS === 0) keepHeapSmall();
    if (missing !== undefined && !sealsAlone) break;
    if (sealed.count() === MOST_EVENTS_A_SEAL) break;
  }
  // A seal alone does not get a seal: each seal would lead to another without end.
  if (sealsAlone) return null;
  if (missing !== undefined) throw new Error(`the log does not hold event ${missing.eventId} of ${missing.stream}`);
  const before = last === undefined ? null : await readSeal(log, tenantId, last.ordinal);
  const previous = before === null ? null : { ...before, hash: sealHash(before) };
  const seal = makeSeal(key, previous, {
    eventCount: sealed.count(),
    leaves: sealed.leaves,
    toPosition,
    sealedAt: isoTime(clock.now()),
  });
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
