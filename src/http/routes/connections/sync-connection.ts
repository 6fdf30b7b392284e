import { requestSync } from '../../../commands/request-sync.ts';
import { eventsAfter } from '../../../log/stream-parts.ts';
import { streamName } from '../../../log/streams.ts';
import { connections } from '../../../projections/connections.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { transactions } from '../../../projections/transactions.ts';
import { foldDocument } from '../../../queries/after-write.ts';
import { asLeftBy } from '../../../queries/ended-attempt.ts';
import { ApiError, refusalError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { day, identifier } from '../../core/parameters.ts';
import { pollUntil } from '../../core/poll-until.ts';
import { z } from '../../core/zod.ts';
import { connectionResource, connectionSchema } from '../../resources/connection.ts';
import { bankOf } from './connection-of.ts';
import { namedWork } from './named-work.ts';

const LONGEST_SPAN_DAYS = 3_660;
const LOOK_MS = 250;
const DAY_MS = 86_400_000;

/**
 * @throws ApiError DATE_RANGE_INVALID for an empty span, or one of more than ten years, which no bank provides and no
 * plan can cover
 */
function refuseRange(from: string | null, to: string | null, nowMs: number): void {
  if (from !== null && to !== null && from >= to) throw new ApiError('DATE_RANGE_INVALID');
  if (from === null) return;
  const endMs = to === null ? nowMs : Math.min(nowMs, Date.parse(to));
  const days = (endMs - Date.parse(from)) / DAY_MS;
  if (days > LONGEST_SPAN_DAYS) throw new ApiError('DATE_RANGE_INVALID', { longestSpanDays: LONGEST_SPAN_DAYS });
}

const earlier = (a: string, b: string): string => (a < b ? a : b);

export const syncConnectionOperation = operation({
  id: 'syncConnection',
  method: 'post',
  path: '/banks/accounts/{id}/sync',
  tag: 'Connections',
  summary: 'Pull the transactions of a connection',
  description:
    'A sync that fails while `Prefer: wait` waits for it is answered with 200, `x-sync-status: failed` and its error in ' +
    '`syncHealth`. The answer names the sync in `location` and `x-sync-id`. ' +
    'Without `from`, it starts 7 full days before the day of the last complete success, or 90 days back the first ' +
    'time; `to` is exclusive. ' +
    'The range must not exceed ten years. While a sync runs, no second one starts and the running one is returned.',
  access: 'connections:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  body: z.strictObject({ from: day.optional(), to: day.optional() }),
  bodyOptional: true,
  prefersWait: true,
  result: connectionSchema,
  successes: [202, 200],
  errors: [
    'DATE_RANGE_INVALID',
    'CONNECTION_ARCHIVED',
    'CONNECTION_DISABLED',
    'CONNECTION_NOT_SET_UP',
    'PROVIDER_QUOTA_EXHAUSTED',
    'BANK_NOT_SUPPORTED',
  ],
  handle: async (call) => {
    const { services, params, body, context, reader, waitSeconds, signal } = call;
    const { from = null, to = null } = body;
    refuseRange(from, to, services.clock.now());
    const syncsPerDay = (bankCode: string): number | null => bankOf(services, bankCode).limits.syncsPerDay;
    const outcome = await requestSync(context, params.id, { trigger: 'manual', from, to, syncsPerDay });
    if (!outcome.accepted) throw refusalError(outcome);
    const { syncId, started, position } = outcome;
    if (waitSeconds !== null && started) {
      const ended = await pollUntil(services, waitSeconds, signal, async () => {
        const run = await reader.get(syncRuns, syncId);
        if (run === undefined || run.open) return null;
        const connection = await reader.get(connections, params.id);
        if (connection === undefined || connection._position < run._position) return null;
        // A caller that waited for the sync expects to find its transactions.
        return (await services.waitFor([transactions.name], run._position, LOOK_MS)) ? { run, connection } : null;
      });
      if (ended !== null) {
        const { run } = ended;
        const headers = { ...namedWork(params.id, run), 'preference-applied': `wait=${waitSeconds}` };
        const { fetched, inserted, duplicates } = run.counts;
        const connection = asLeftBy(ended.connection, run, { fetched, inserted, duplicates });
        const result = connectionResource(connection, services.clock.now());
        return { status: 200, result, position: ended.connection._position, headers };
      }
    }
    const stream = streamName('syncRun', context.tenantId, syncId);
    const before = await reader.get(connections, params.id);
    const shown = started ? undefined : await reader.get(syncRuns, syncId);
    // Of a sync that goes on, what one of the two read models has not seen.
    const seen = before === undefined || shown === undefined ? '' : earlier(before._position, shown._position);
    const connection = foldDocument(connections, before);
    const sync = foldDocument(syncRuns, shown);
    connection.take(outcome.connectionEvents);
    for await (const events of eventsAfter((range) => services.log.readStreamPositions(stream, range), seen)) {
      connection.take(events);
      sync.take(events);
    }
    const headers = namedWork(params.id, sync.document());
    return { status: 202, result: connectionResource(connection.document(), services.clock.now()), position, headers };
  },
});
