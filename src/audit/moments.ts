import { LOG_START } from '../log/log.ts';
import { history } from '../projections/history.ts';
import { type LogMomentDocument, logMoments, minuteOf } from '../projections/log-moments.ts';
import { momentInHistory } from '../queries/history.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { dropOldest } from '../shared/drop-oldest.ts';
import { documentId } from '../shared/ids.ts';

/** The read models that {@link positionAt} answers from. */
export const MOMENT_READ_MODELS = [logMoments.name, history.name] as const;

/**
 * The position that the read models must have reached for {@link positionAt} to answer for the moment: at most the
 * first event of a later minute, or the end of the log if there is none yet.
 * @param moment ISO 8601 UTC with milliseconds
 */
export async function neededFor(readModels: ReadModels, moment: string, head: () => Promise<string>): Promise<string> {
  const [later] = await readModels.of(logMoments).find({
    filter: [{ field: 'minute', op: 'gt', value: minuteOf(moment) }],
    sort: [{ field: 'minute', direction: 'asc' }],
    limit: 1,
  });
  return later?.firstPosition ?? head();
}

const REMEMBERED = 1_000;
/** Positions of moments that no later event can change, the oldest first. */
const settled = new WeakMap<ReadModels, Map<string, string>>();

function settledOf(readModels: ReadModels): Map<string, string> {
  const known = settled.get(readModels) ?? new Map<string, string>();
  settled.set(readModels, known);
  return known;
}

/** The remembered answer of {@link positionAt}; undefined if it has none, or the answer can still change. */
export function settledPosition(readModels: ReadModels, tenantId: string, moment: string): string | undefined {
  return settledOf(readModels).get(documentId(tenantId, moment));
}

/**
 * The position of the tenant's last event that was recorded at or before the moment, in log order; LOG_START when there
 * is none. It reads the tenant's own history only, from the moment's minute on. Once the tenant has an event recorded
 * later, the answer cannot change and is remembered.
 * @param moment ISO 8601 UTC with milliseconds
 */
export async function positionAt(readModels: ReadModels, tenantId: string, moment: string): Promise<string> {
  const known = settledPosition(readModels, tenantId, moment);
  if (known !== undefined) return known;
  const start = await lastStart(readModels, moment);
  if (start === undefined) return LOG_START;
  const asked = { tenantId, from: start.firstPosition, moment };
  const { position = LOG_START, isSettled } = await momentInHistory(await readModels.readable(history), asked);
  if (isSettled) {
    const positions = settledOf(readModels).set(documentId(tenantId, moment), position);
    dropOldest(positions, REMEMBERED);
  }
  return position;
}

/** The newest minute whose first event was recorded at or before the moment. */
async function lastStart(readModels: ReadModels, moment: string): Promise<LogMomentDocument | undefined> {
  const starts = await readModels.of(logMoments).find({
    filter: [{ field: 'minute', op: 'lte', value: minuteOf(moment) }],
    sort: [{ field: 'minute', direction: 'desc' }],
    limit: 2,
  });
  // The minute's first event may come after the moment; then the wanted event is in the minute before.
  return starts.find(({ firstRecordedAt }) => firstRecordedAt <= moment);
}
