import { type EventLog, LOG_START } from '../log/log.ts';
import { logMoments, minuteOf } from '../projections/log-moments.ts';
import type { ReadModels } from '../queries/read-models.ts';

const PAGE = 1_000;

/**
 * The position of the last event that was recorded at or before the moment, in log order. The first event of the
 * moment's minute is looked up and the log read on from there, so it costs a minute of the log. The read model must
 * have come to the end of the log as it is now.
 * @param moment ISO 8601 UTC with milliseconds
 */
export async function positionAt(log: EventLog, readModels: ReadModels, moment: string): Promise<string> {
  const starts = await readModels.of(logMoments).find({
    filter: [{ field: 'minute', op: 'lte', value: minuteOf(moment) }],
    sort: [{ field: 'minute', direction: 'desc' }],
    limit: 2,
  });
  // The minute's first event may be later than the moment; then the event wanted is the last of the minute before.
  const start = starts.find(({ firstRecordedAt }) => firstRecordedAt <= moment);
  if (start === undefined) return LOG_START;
  let position = start.firstPosition;
  for (;;) {
    const batch = await log.readAll({ after: position, limit: PAGE });
    for (const event of batch.events) {
      if (event.recordedAt > moment) return position;
      position = event.position;
    }
    if (batch.caughtUp || batch.events.length === 0) return position;
  }
}
