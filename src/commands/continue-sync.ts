import { decideContinueSync, requestCancel, type SyncRunState, syncRun } from '../deciders/sync-run.ts';
import type { StreamEvent } from '../events/event.ts';
import type { SyncRunFact } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, executeInBackground, fold, type Outcome } from './command.ts';

/** Records one step of a sync; an ended sync takes none. */
export function continueSync(
  context: CommandContext,
  syncId: string,
  fact: SyncRunFact,
): Promise<Outcome<SyncRunState, StreamEvent>> {
  return executeInBackground(context, {
    stream: streamName('syncRun', context.tenantId, syncId),
    decider: syncRun,
    notFound: 'SYNC_NOT_FOUND',
    decide: (state) => decideContinueSync(state, fact),
  });
}

/** `accountId` is the connection the caller named: a sync of another one does not exist under it. */
export function cancelSync(context: CommandContext, accountId: string, syncId: string): Promise<Outcome<SyncRunState>> {
  const requestedAt = isoTime(context.clock.now());
  return execute(context, {
    stream: streamName('syncRun', context.tenantId, syncId),
    decider: syncRun,
    notFound: 'SYNC_NOT_FOUND',
    decide: (state) =>
      state.requested?.accountId === accountId ? requestCancel(state, requestedAt) : { refused: 'SYNC_NOT_FOUND' },
  });
}

/** The run as the log has it now. */
export async function loadSync(
  context: Pick<CommandContext, 'log' | 'tenantId'>,
  syncId: string,
): Promise<{ state: SyncRunState; events: readonly StreamEvent[] }> {
  const events = await context.log.readStream(streamName('syncRun', context.tenantId, syncId));
  return { state: fold(syncRun, events), events };
}
