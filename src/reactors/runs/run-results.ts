import type { CommandContext } from '../../commands/command.ts';
import { type EventType, isKnown } from '../../events/registry.ts';
import type { RunResult } from '../../events/rule-run.ts';
import { streamName } from '../../log/streams.ts';

const LOOK = 50;
const ENDS: ReadonlySet<EventType> = new Set(['RunCompleted', 'RunCancelled', 'RunDied']);

/** What a run did to a transaction. */
export type RunChange = Pick<RunResult, 'transactionId' | 'attachedIds' | 'revokedIds'>;

export type ChangedPage = { readonly cursorId: string; readonly changed: readonly RunChange[] };

/**
 * The next page in which an ended run changed something; when there is none, the position of its end. Its results are
 * read from the stream of the run, in its order, so they are complete and do not change. The cursor is the revision of
 * the page.
 */
export async function runResultsAfter(
  { log, tenantId }: Pick<CommandContext, 'log' | 'tenantId'>,
  runId: string,
  cursorId: string | null,
): Promise<ChangedPage | { readonly endedAt: string | null }> {
  const stream = streamName('ruleRun', tenantId, runId);
  let fromRevision = cursorId === null ? 0 : Number(cursorId) + 1;
  let endedAt: string | null = null;
  for (;;) {
    const events = await log.readStreamPositions(stream, { fromRevision, limit: LOOK });
    for (const event of events) {
      if (!isKnown(event)) continue;
      if (ENDS.has(event.type)) endedAt = event.position;
      if (event.type !== 'RunPageDone') continue;
      const changed = event.data.results.filter((one) => one.attachedIds.length + one.revokedIds.length > 0);
      if (changed.length > 0) return { cursorId: String(event.revision), changed };
    }
    if (events.length < LOOK) return { endedAt };
    fromRevision += LOOK;
  }
}
