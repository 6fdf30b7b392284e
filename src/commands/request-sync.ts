import { bankConnection, refuseSync } from '../deciders/bank-connection.ts';
import type { Refusal } from '../deciders/refusal.ts';
import { type SyncRunOutcome, type SyncRunState, syncRun } from '../deciders/sync-run.ts';
import type { RecordedEvent } from '../events/event.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { computedId } from '../shared/ids.ts';
import { type CommandContext, executeInBackground } from './command.ts';
import { endOfSync } from './continue-sync.ts';
import { lastOrdinal } from './ordinals.ts';
import { ordinalBegunBefore } from './repetition.ts';
import { fold } from './stream-state.ts';

/**
 * The id of a connection's nth sync. Computed, so that two requests at once meet in one stream and only one of them
 * starts it.
 */
export function syncIdOf(accountId: string, ordinal: number): string {
  return computedId('sync', accountId, String(ordinal));
}

export type SyncRequestOutcome =
  | {
      readonly accepted: true;
      readonly syncId: string;
      readonly started: boolean;
      readonly position: string | null;
      readonly connectionEvents: readonly RecordedEvent[];
    }
  | ({ readonly accepted: false } & Refusal);

/**
 * Starts the connection's next sync, or joins the one that has not ended (`started` false). The log alone decides which
 * sync is next: its stream must not exist yet. `syncsPerDay`: how many syncs the bank allows in a UTC day, null for any
 * number.
 */
export async function requestSync(
  context: CommandContext,
  accountId: string,
  request: {
    trigger: 'manual' | 'schedule';
    from: string | null;
    to: string | null;
    syncsPerDay: (bankCode: string) => number | null;
  },
): Promise<SyncRequestOutcome> {
  const connectionEvents = await context.log.readStreamPositions(
    streamName('bankConnection', context.tenantId, accountId),
  );
  const companyId = connectionEvents[0]?.metadata.companyId ?? null;
  if (context.companyId !== null && companyId !== context.companyId) {
    return { accepted: false, refused: 'CONNECTION_NOT_FOUND' };
  }
  const streamOf = (ordinal: number): string => streamName('syncRun', context.tenantId, syncIdOf(accountId, ordinal));
  if (context.repetition?.again) {
    const begun = await ordinalBegunBefore(context, streamOf, await lastOrdinal(context.log, streamOf));
    if (begun !== null) {
      const { ordinal, position } = begun;
      return { accepted: true, syncId: syncIdOf(accountId, ordinal), started: true, position, connectionEvents };
    }
  }
  const connection = fold(bankConnection, connectionEvents);
  const refusal = refuseSync(connection);
  if (refusal !== null || connection.opened === null) {
    return { accepted: false, ...(refusal ?? { refused: 'CONNECTION_NOT_FOUND' }) };
  }
  const { bankCode, environment } = connection.opened;
  const syncsPerDay = request.syncsPerDay(bankCode);
  for (;;) {
    const last = await lastOrdinal(context.log, streamOf);
    const lastEnd = last === 0 ? null : await endOfSync(context, syncIdOf(accountId, last));
    if (lastEnd?.ended === null) {
      return { accepted: true, syncId: syncIdOf(accountId, last), started: false, position: null, connectionEvents };
    }
    const nowMs = context.clock.now();
    const nextAllowedAt = await quotaEnd(context, accountId, last, lastEnd, syncsPerDay, nowMs);
    if (nextAllowedAt !== null) {
      return { accepted: false, refused: 'PROVIDER_QUOTA_EXHAUSTED', meta: { nextAllowedAt } };
    }
    const ordinal = last + 1;
    const syncId = syncIdOf(accountId, ordinal);
    const { trigger, from, to } = request;
    const requestedAt = isoTime(nowMs);
    const requested = { syncId, accountId, bankCode, environment, ordinal, trigger, requestedAt, from, to };
    const started = await executeInBackground(
      { ...context, companyId },
      {
        stream: streamName('syncRun', context.tenantId, syncId),
        decider: syncRun,
        notFound: 'CONNECTION_NOT_FOUND',
        decide: (run): SyncRunOutcome => (run.requested === null ? [{ type: 'SyncRequested', data: requested }] : []),
      },
    );
    if (started.accepted && started.position !== null) {
      return { accepted: true, syncId, started: true, position: started.position, connectionEvents };
    }
  }
}

/**
 * When the next sync may start, null for now: the time that the bank named after a rate limit, or the next UTC day once
 * the day's syncs are used up.
 */
async function quotaEnd(
  context: CommandContext,
  accountId: string,
  last: number,
  lastEnd: Pick<SyncRunState, 'failure'> | null,
  syncsPerDay: number | null,
  nowMs: number,
): Promise<string | null> {
  const now = isoTime(nowMs);
  const askedToWait = lastEnd?.failure?.nextAllowedAt ?? null;
  if (askedToWait !== null && askedToWait > now) return askedToWait;
  if (syncsPerDay === null || last < syncsPerDay) return null;
  const oldestThatCounts = streamName('syncRun', context.tenantId, syncIdOf(accountId, last - syncsPerDay + 1));
  const { requested } = fold(syncRun, await context.log.readStream(oldestThatCounts, { limit: 1 }));
  const today = now.slice(0, 10);
  if (requested?.requestedAt.slice(0, 10) !== today) return null;
  return isoTime(Date.parse(`${today}T00:00:00.000Z`) + 86_400_000);
}
