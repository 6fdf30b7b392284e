import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { Hono } from 'hono';
import { askedOf } from '../../src/analytics/parameters.ts';
import { cashFlow } from '../../src/analytics/queries/cash-flow.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { columnResource, parametersResource, rowResource } from '../../src/http/resources/analytics.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { streamName } from '../../src/log/streams.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openReader } from '../../src/queries/reader.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import { documentId } from '../../src/shared/ids.ts';
import { BENCH } from '../fixtures/bank-rows.ts';
import { metadata } from '../fixtures/recorded-events.ts';
import { guarded, taggedJson } from './guarded.ts';
import { serveRoutes } from './serve-routes.ts';

// The baseline of the HTTP rows: plain routes on the same log and read store, in the folder DATA_DIR, with the same
// credentials, headers, limit and log line as the service.
const dataDir = process.env.DATA_DIR ?? '';
const log = openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
const readStore = openEmbeddedStores(dataDir);
const collection = readStore.collection(collectionSpec(transactions));
const { tenantId, companyId } = BENCH;
const of = (model: never): never => readStore.collection(collectionSpec(model)) as never;
const reader = openReader({ of }, tenantId, [companyId]);
const tenant = openReader({ of }, tenantId, null);

const app = new Hono();
app.use(guarded());

app.get('/banks/transactions/:id', async (context) => {
  return taggedJson(context, await collection.get(documentId(tenantId, context.req.param('id'))));
});

app.get('/banks/transactions', async (context) => {
  const to = context.req.query('to') ?? '';
  const items = await collection.find({
    filter: [
      { field: 'tenantId', op: 'eq', value: tenantId },
      { field: 'companyId', op: 'eq', value: companyId },
      { field: 'transactionDate', op: 'lt', value: to },
    ],
    sort: [{ field: 'transactionDate', direction: 'desc' }],
    limit: Number(context.req.query('limit')),
  });
  return context.json({ items });
});

app.get('/banks/analytics/queries/cash-flow/results', async (context) => {
  const { from = '', to = '', timezone = '' } = context.req.query();
  const asked = askedOf(cashFlow, { from, to, timezone }, Date.now());
  if (asked === null) return context.text('', 400);
  const position = await log.head();
  const source = { log, reader, tenant, position, pace: <T>(read: () => Promise<T>) => read() };
  const { rows, totals } = await cashFlow.answer(source, asked);
  const columns = cashFlow.columns(asked.groupBy, asked.byPeriod);
  const result = {
    query: cashFlow.id,
    parameters: parametersResource(cashFlow.takes, asked),
    columns: columns.map(columnResource),
    rows: rows.map((row) => rowResource(row, columns)),
    totals: totals.map((row) => rowResource(row, columns)),
    logPosition: position,
    generatedAt: new Date().toISOString(),
  };
  return taggedJson(context, result);
});

app.patch('/banks/transaction-rules/:id/:change', async (context) => {
  const { version } = await context.req.json<{ version: number }>();
  const stream = streamName('transactionRule', tenantId, context.req.param('id'));
  const before = await log.readStream(stream);
  const now = new Date().toISOString();
  const event =
    context.req.param('change') === 'pause'
      ? { type: 'RulePaused' as const, data: { version: version + 1, pausedAt: now } }
      : { type: 'RuleResumed' as const, data: { version: version + 1, resumedAt: now } };
  const appended = await log.append({
    stream,
    expected: before.length - 1,
    events: [{ id: randomUUID(), ...event, metadata: metadata('bare', event.type) }],
  });
  return context.json(appended);
});

serveRoutes(app, async () => {
  await readStore.close();
  await log.close();
});
