import { isKnown } from '../events/registry.ts';
import { type HistoryFault, openHistoryCheck } from './check-history.ts';
import { sealedForm } from './leaf.ts';
import { type Seal, sealHash } from './seal.ts';
import { type HistorySource, lastSealOf, readSeal, sealEvent, sealStream, tenantEvents } from './tenant-events.ts';

/** How many seals one check covers, so that no request can block the service: 100,000 events at most. */
export const MOST_SEALS_A_CHECK = 10;

export type TenantCheck = {
  /** Of the newest seal; 0 for none. */
  readonly lastSeal: number;
  readonly checkedFrom: number;
  readonly checkedTo: number;
  readonly events: number;
  /** The seal to continue from; null when the newest seal was checked. */
  readonly nextSeal: number | null;
  readonly fault: HistoryFault | null;
};

/**
 * Checks the tenant's events in the log against its seals, from the given seal on.
 * @param trusted the public key that must have signed
 */
export async function checkTenant(
  source: HistorySource,
  tenantId: string,
  fromSeal: number,
  trusted: string,
): Promise<TenantCheck> {
  const { log, readModels } = source;
  const lastSeal = (await lastSealOf(readModels, tenantId))?.ordinal ?? 0;
  const checkedTo = Math.min(lastSeal, fromSeal + MOST_SEALS_A_CHECK - 1);
  const done = { lastSeal, checkedFrom: fromSeal, checkedTo, nextSeal: checkedTo < lastSeal ? checkedTo + 1 : null };
  if (checkedTo < fromSeal) return { ...done, events: 0, fault: null };
  const before = fromSeal === 1 ? null : await readSeal(log, tenantId, fromSeal - 1);
  const last = await sealEvent(log, tenantId, checkedTo);
  const check = openHistoryCheck(trusted, before, await sealsBefore(source, tenantId, before));
  const first = check.counts().events;
  const range = { after: before?.toPosition ?? '', to: last?.position ?? '' };
  for await (const { entry, event } of tenantEvents(source, tenantId, range)) {
    const { events: index } = check.counts();
    if (event === undefined) {
      const message = `event ${index + 1} (${entry.eventId}) was removed from the log`;
      return { ...done, events: index - first, fault: { kind: 'removed', index, eventId: entry.eventId, message } };
    }
    const fault = check.take(sealedForm(event));
    if (fault !== null) return { ...done, events: index - first, fault };
  }
  return { ...done, events: check.counts().events - first, fault: null };
}

const PAGE = 50;

/**
 * Hashes of the seals before the given one that stand in the log after the events that it covers: there are some where
 * sealing lagged behind. Each of them is named by the one that follows it, up to the given one.
 */
async function sealsBefore(
  { log }: Pick<HistorySource, 'log'>,
  tenantId: string,
  from: Seal | null,
): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  let next = from?.previousHash ?? null;
  let toRevision = (from?.ordinal ?? 1) - 1;
  while (from !== null && next !== null && toRevision > 0) {
    const fromRevision = Math.max(0, toRevision - PAGE);
    const page = await log.readStreamPositions(sealStream(tenantId), {
      fromRevision,
      limit: toRevision - fromRevision,
    });
    for (const event of page.toReversed()) {
      if (event.position <= from.toPosition || !isKnown(event) || event.type !== 'TenantSealed') return hashes;
      if (sealHash(event.data) !== next) return hashes;
      hashes.add(next);
      next = event.data.previousHash;
    }
    toRevision = fromRevision;
  }
  return hashes;
}
