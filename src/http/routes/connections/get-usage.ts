import { connectionDays } from '../../../projections/connection-days.ts';
import { connections } from '../../../projections/connections.ts';
import type { Reader } from '../../../queries/reader.ts';
import { isoTime } from '../../../shared/clock.ts';
import { listOf } from '../../core/envelope.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { day, identifier, paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageBy } from '../../paging/page.ts';
import { bankOf, connectionOf } from './connection-of.ts';

const usageSchema = z
  .strictObject({
    day: z.string(),
    syncs: z.int(),
    requests: z.int(),
    fetched: z.int(),
    inserted: z.int(),
    duplicates: z.int(),
    errors: z.int(),
    quotaLeft: z
      .int()
      .nullable()
      .openapi({ description: 'Syncs that the bank still allowed that day; null without a quota.' }),
  })
  .openapi('ConnectionUsage');

export const getUsageOperation = operation({
  id: 'getConnectionUsage',
  method: 'get',
  path: '/banks/accounts/{id}/usage',
  tag: 'Connections',
  summary: 'The usage of a connection per UTC day, newest first',
  description:
    'Every day from the opening of the connection to today, including days without activity. Requests and errors ' +
    'include those of setups.',
  access: 'connections:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  query: z.strictObject({
    from: day.optional().openapi({ description: 'From this day on.' }),
    to: day.optional().openapi({ description: 'Before this day.' }),
    ...paging,
  }),
  result: listOf(usageSchema),
  errors: ['DATE_RANGE_INVALID'],
  reads: [connections, connectionDays],
  handle: async (call) => {
    const { services, reader, params, query } = call;
    const { from, to } = query;
    if (from !== undefined && to !== undefined && from > to) throw new ApiError('DATE_RANGE_INVALID');
    const connection = await connectionOf(reader, params.id);
    const { syncsPerDay } = bankOf(services, connection.bankCode).limits;
    const opened = connection.createdAt.slice(0, 10);
    const oldest = from === undefined || from < opened ? opened : from;
    const today = isoTime(services.clock.now()).slice(0, 10);
    const newest = to === undefined || to > today ? today : dayBefore(to);
    const usedDays = async ({ limit, after }: { limit: number; after?: readonly (string | number)[] }) => {
      const days: string[] = [];
      for (let next = String(after?.[0] ?? newest); next >= oldest && days.length <= limit; next = dayBefore(next)) {
        days.push(next);
      }
      const [following] = days.slice(limit);
      const items = await usedOn(reader, connection.id, days.slice(0, limit));
      return { items, after: following === undefined ? null : [following] };
    };
    const daysThere = async () => Math.max(0, (Date.parse(newest) - Date.parse(oldest)) / DAY_MS + 1);
    const page = await pageBy(call, `getConnectionUsage/${connection.id}`, usedDays, daysThere);
    const items = page.items.map(({ syncs, ...figures }) => {
      const quotaLeft = syncsPerDay === null ? null : Math.max(0, syncsPerDay - syncs);
      return { syncs, ...figures, quotaLeft };
    });
    return { status: 200, result: { ...page, items } };
  },
});

/** @param days newest first, without gaps */
async function usedOn(reader: Reader, accountId: string, days: readonly string[]) {
  const [newest, oldest] = [days[0], days.at(-1)];
  if (newest === undefined || oldest === undefined) return [];
  const { items } = await reader.page(connectionDays, {
    filter: [
      { field: 'accountId', op: 'eq', value: accountId },
      { field: 'day', op: 'gte', value: oldest },
      { field: 'day', op: 'lte', value: newest },
    ],
    sort: [{ field: 'day', direction: 'desc' }],
    limit: days.length,
  });
  const used = new Map(items.map((document) => [document.day, document]));
  return days.map((one) => {
    const { syncs, requests, fetched, inserted, duplicates, errors } = used.get(one) ?? NOTHING;
    return { day: one, syncs, requests, fetched, inserted, duplicates, errors };
  });
}

const NOTHING = { syncs: 0, requests: 0, fetched: 0, inserted: 0, duplicates: 0, errors: 0 };
const DAY_MS = 86_400_000;

function dayBefore(one: string): string {
  return isoTime(Date.parse(one) - DAY_MS).slice(0, 10);
}
