import type { RecordedEvent } from '../../src/events/event.ts';
import { LOG_START } from '../../src/log/log.ts';
import type { Collection } from '../../src/readstore/read-store.ts';
import { sha256 } from '../../src/shared/hash.ts';
import { documentId } from '../../src/shared/ids.ts';
import { type ClaimDocument, IDEMPOTENCY_KEYS } from '../../src/traffic/request-claims.ts';
import type { TestService } from './test-service.ts';

export function claimsOf({ service }: Pick<TestService, 'service'>): Collection<ClaimDocument> {
  return service.readStore.collection(IDEMPOTENCY_KEYS);
}

/** Also finds the claim of a request without a tenant, such as a sign-in. */
export async function claimOf(
  api: TestService,
  key: string,
  tenantId = api.tenantId,
): Promise<ClaimDocument | undefined> {
  const claim = await claimsOf(api).get(documentId(tenantId, sha256(key)));
  if (claim !== undefined) return claim;
  for await (const one of claimsOf(api).iterate({ filter: [], sort: [] })) {
    if (one._id.startsWith('anyone-') && one._id.endsWith(sha256(key))) return one;
  }
  return undefined;
}

/** Leaves the claim in the state of a process that died after the work and before the answer. */
export async function forgetAnswer(api: TestService, key: string, tenantId = api.tenantId): Promise<void> {
  const claim = await claimOf(api, key, tenantId);
  if (claim === undefined) throw new Error(`nothing was claimed under ${key}`);
  const left = {
    ...claim,
    _position: String(Number(claim._position) + 1).padStart(12, '0'),
    answer: null,
    owner: 'gone',
    until: claim.claimedAt,
  };
  if (!(await claimsOf(api).compareAndSet(left, claim._position))) throw new Error('the claim moved on');
}

/** The events that callers caused, without those of background work. */
export async function callersEvents({ service }: TestService): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  let after = LOG_START;
  for (;;) {
    const batch = await service.log.readAll({ after, limit: 1_000 });
    events.push(...batch.events.filter(({ metadata }) => metadata.actor.type !== 'system'));
    if (batch.caughtUp) return events;
    after = batch.position;
  }
}
