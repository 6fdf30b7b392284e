import { LOG_START } from '../log/log.ts';
import { history } from '../projections/history.ts';
import { type LogMomentDocument, logMoments, minuteOf } from '../projections/log-moments.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { Condition } from '../readstore/read-store.ts';

/** The read models that {@link positionAt} answers from. */
export const MOMENT_READ_MODELS = [logMoments.name, history.name] as const;

/**
 * How far the read models must have come for {@link positionAt} to answer for the moment: no further than to the first
 * event of a later minute, and to the end of the log where there is none yet.
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

/**
 * The position of the tenant's last event that was recorded at or before the moment, in log order; LOG_START when there
 * is none. It looks at the tenant's own history only, from the moment's minute on.
 * @param moment ISO 8601 UTC with milliseconds
 */
export async function positionAt(readModels: ReadModels, tenantId: string, moment: string): Promise<string> {
  const start = await lastStart(readModels, moment);
  if (start === undefined) return LOG_START;
  const own: Condition = { field: 'tenantId', op: 'eq', value: tenantId };
  const [next] = await readModels.of(history).find({
    filter: [
      own,
      { field: 'position', op: 'gte', value: start.firstPosition },
      { field: 'recordedAt', op: 'gt', value: moment },
    ],
    sort: [{ field: 'position', direction: 'asc' }],
    limit: 1,
  });
  const before: Condition[] = next === undefined ? [] : [{ field: 'position', op: 'lt', value: next.position }];
  const [last] = await readModels.of(history).find({
    filter: [own, ...before],
    sort: [{ field: 'position', direction: 'desc' }],
    limit: 1,
  });
  return last?.position ?? LOG_START;
}

/** The newest minute whose first event was recorded at or before the moment. */
async function lastStart(readModels: ReadModels, moment: string): Promise<LogMomentDocument | undefined> {
  const starts = await readModels.of(logMoments).find({
    filter: [{ field: 'minute', op: 'lte', value: minuteOf(moment) }],
    sort: [{ field: 'minute', direction: 'desc' }],
    limit: 2,
  });
  // The minute's first event may come after the moment; then the one before ends with the event that is wanted.
  return starts.find(({ firstRecordedAt }) => firstRecordedAt <= moment);
}
