import { accountDays } from '../../../projections/account-days.ts';
import { connectionDays } from '../../../projections/connection-days.ts';
import { connections } from '../../../projections/connections.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { completenessOf } from '../../../queries/completeness.ts';
import { nextAllowedAt } from '../../../queries/sync-health.ts';
import { isoTime } from '../../../shared/clock.ts';
import { jsonNumber } from '../../core/json-number.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { syncHealthResource, syncHealthSchema } from '../../resources/connection.ts';
import { instant } from '../../resources/instants.ts';
import { syncResource, syncSchema } from '../../resources/sync.ts';
import { connectionOf } from './connection-of.ts';

const completenessSchema = z
  .strictObject({
    subAccountKey: z.string(),
    currency: z.string(),
    status: z.enum(['complete', 'gaps', 'unknown']),
    from: z.string().nullable(),
    to: z.string().nullable(),
    gaps: z.array(
      z.strictObject({
        day: z.string(),
        expectedBalance: z.number(),
        statedBalance: z.number(),
        difference: z.number(),
      }),
    ),
  })
  .openapi('Completeness', {
    description:
      'Booking days on which rows are missing or duplicated, according to the running balances. `from` and `to` ' +
      'are inclusive.',
  });

const SYNCS_SHOWN = 20;

export const getHealthOperation = operation({
  id: 'getConnectionHealth',
  method: 'get',
  path: '/banks/accounts/{id}/health',
  tag: 'Connections',
  summary: 'The health of a connection and whether its transactions are complete',
  access: 'connections:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'CONNECTION_NOT_FOUND',
  result: z.strictObject({
    syncHealth: syncHealthSchema,
    syncs: z.array(syncSchema),
    nextAllowedAt: instant
      .nullable()
      .openapi({ description: 'When the bank allows the next sync; null if it is allowed now.' }),
    staleForMs: z.int().min(0).nullable(),
    completeness: z.array(completenessSchema),
  }),
  reads: [connections, syncRuns, accountDays, connectionDays],
  handle: async ({ services, reader, params }) => {
    const connection = await connectionOf(reader, params.id);
    const nowMs = services.clock.now();
    const { items: syncs } = await reader.page(syncRuns, {
      filter: [{ field: 'accountId', op: 'eq', value: connection.id }],
      sort: [{ field: 'ordinal', direction: 'desc' }],
      limit: SYNCS_SHOWN,
    });
    const { lastSuccessAt } = connection;
    const today = await reader.get(connectionDays, connection.id, isoTime(nowMs).slice(0, 10));
    const syncsPerDay = services.providers.get(connection.bankCode)?.description.limits.syncsPerDay ?? null;
    const completeness = [];
    for (const account of connection.subAccounts.filter(({ ownedElsewhere }) => !ownedElsewhere)) {
      const { fromDay: from, toDay: to, status, gaps } = await completenessOf(services.readModels, connection, account);
      const { subAccountKey, currency } = account;
      completeness.push({ subAccountKey, currency, status, from, to, gaps: gaps.map(gapResource) });
    }
    return {
      status: 200,
      result: {
        syncHealth: syncHealthResource(connection, nowMs),
        syncs: syncs.map(syncResource),
        nextAllowedAt: nextAllowedAt(connection, today?.syncs ?? 0, syncsPerDay, nowMs),
        staleForMs: lastSuccessAt === null ? null : Math.max(0, nowMs - Date.parse(lastSuccessAt)),
        completeness,
      },
    };
  },
});

function gapResource(gap: { day: string; expectedBalance: string; statedBalance: string; difference: string }) {
  const { day, expectedBalance, statedBalance, difference } = gap;
  return {
    day,
    expectedBalance: jsonNumber(expectedBalance),
    statedBalance: jsonNumber(statedBalance),
    difference: jsonNumber(difference),
  };
}
