import { isRefusal } from '../deciders/decider.ts';
import { decideContinueSync, requestCancel, type SyncRunState, syncRun } from '../deciders/sync-run.ts';
import type { SyncRunFact } from '../events/registry.ts';
import { lastEvent } from '../log/stream-parts.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import {
  type CommandContext,
  ConcurrencyError,
  executeOnLong,
  type LongOutcome,
  RETRIES_ON_CONFLICT,
} from './command.ts';
import { type HeldStream, holdStream } from './held-stream.ts';
import { fold } from './stream-state.ts';

/** A sync as its worker holds it: a page costs the same however many came before it. */
export type HeldSync = HeldStream<SyncRunState, SyncRunFact> & { readonly id: string };

/** A sync that does not exist takes no step. @throws LogUnavailable */
export async function holdSync(context: CommandContext, syncId: string): Promise<HeldSync> {
  const held = await holdStream(context, streamName('syncRun', context.tenantId, syncId), syncRun);
  return { id: syncId, ...held };
}

/**
 * Records one step of a sync; an ended sync takes none, and none takes a page twice. @returns whether it was recorded
 * @throws ConcurrencyError, LogUnavailable, EventSchemaError
 */
export async function continueSync(sync: HeldSync, fact: SyncRunFact): Promise<boolean> {
  for (let attempt = 0; attempt <= RETRIES_ON_CONFLICT; attempt += 1) {
    const facts = decideContinueSync(sync.state(), fact);
    if (isRefusal(facts) || facts.length === 0) return false;
    if ((await sync.append(facts)) === 'appended') return true;
  }
  throw new ConcurrencyError(sync.stream);
}

/** `accountId` is the connection the caller named: a sync of another one does not exist under it. */
export function cancelSync(
  context: CommandContext,
  accountId: string,
  syncId: string,
): Promise<LongOutcome<SyncRunState>> {
  const requestedAt = isoTime(context.clock.now());
  return executeOnLong(context, {
    stream: streamName('syncRun', context.tenantId, syncId),
    decider: syncRun,
    notFound: 'SYNC_NOT_FOUND',
    decide: (state) =>
      state.requested?.accountId === accountId ? requestCancel(state, requestedAt) : { refused: 'SYNC_NOT_FOUND' },
  });
}

/**
 * How a sync ended, from its last event alone, since an ended one takes no more; `ended` is null for one that has not.
 * @throws LogUnavailable
 */
export async function endOfSync(
  { log, tenantId }: Pick<CommandContext, 'log' | 'tenantId'>,
  syncId: string,
): Promise<Pick<SyncRunState, 'ended' | 'failure'>> {
  const stream = streamName('syncRun', tenantId, syncId);
  const last = await lastEvent((range) => log.readStream(stream, range));
  return fold(syncRun, last === undefined ? [] : [last]);
}
