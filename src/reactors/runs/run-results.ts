import type { CommandContext } from '../../commands/command.ts';
import { isKnown } from '../../events/registry.ts';
import type { RunResult } from '../../events/rule-run.ts';
import { streamName } from '../../log/streams.ts';

const LOOK = 50;

/**
 * The next page in which a run changed something; null when there is none. Its results are read from the stream of the
 * run, in its order, so they are complete and do not change. The cursor is the revision of the page.
 */
export async function runResultsAfter(
  { log, tenantId }: Pick<CommandContext, 'log' | 'tenantId'>,
  runId: string,
  cursorId: string | null,
): Promise<{ readonly cursorId: string; readonly changed: readonly RunResult[] } | null> {
  const stream = streamName('ruleRun', tenantId, runId);
  let fromRevision = cursorId === null ? 0 : Number(cursorId) + 1;
  for (;;) {
    const events = await log.readStream(stream, { fromRevision, limit: LOOK });
    for (const event of events) {
      if (!isKnown(event) || event.type !== 'RunPageDone') continue;
      const changed = event.data.results.filter((one) => one.attachedIds.length + one.revokedIds.length > 0);
      if (changed.length > 0) return { cursorId: String(event.revision), changed };
    }
    if (events.length < LOOK) return null;
    fromRevision += LOOK;
  }
}
