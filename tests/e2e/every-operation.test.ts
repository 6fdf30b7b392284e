import { randomUUID } from 'node:crypto';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sealTenant } from '../../src/audit/seal-tenant.ts';
import { success } from '../../src/http/core/envelope.ts';
import { takesIdempotencyKey } from '../../src/http/core/operation.ts';
import { operations } from '../../src/http/routes/all.ts';
import { grantFolder } from '../../src/providers/statement-files/folder-grant.ts';
import { workerContext } from '../../src/reactors/reactor-services.ts';
import { keepExample } from '../support/document-examples.ts';
import { callersEvents, claimOf, forgetAnswer } from '../support/repeated-request.ts';
import { type Credentials, firstAdmin, signIn } from '../support/signed-in.ts';
import { mt940Statement } from '../support/statement-texts.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  eventually,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';
const operator = { authorization: `Bearer ${OPERATOR_TOKEN}` };

let api: TestService;
/** Beside the key on every request: what belongs to a person looks at this alone. */
let admin: string;
const ids = {
  connection: '',
  sync: '',
  transaction: '',
  assignment: '',
  rule: '',
  failed: '',
  runRule: '',
  run: '',
  schedule: '',
  webhook: '',
};

const reference = { source: 'erp', entityType: 'invoice', externalId: 'INV-2026-0042' };
const draft = {
  name: 'Incoming payments',
  conditions: { combinator: 'any', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference }],
};

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN, WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
  admin = `Bearer ${(await signIn(api)).accessToken}`;
  ids.connection = await connectDemoBank(api, { transactionsPerDay: 12 });
  ids.rule = (await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft)).body.result.id;
  ids.sync = String((await syncAndWait(api, ids.connection, { from: '2026-01-01', to: '2026-01-05' })).id);
  await automationDone(api);
  const path = '/banks/transactions?assigned=true&limit=1';
  const list = await api.call<{ items: { id: string }[] }>('GET', path);
  ids.transaction = list.body.result.items[0]?.id ?? '';
  const assignments = await api.call<{ items: { id: string }[] }>(
    'GET',
    `/banks/transactions/${ids.transaction}/assignments`,
  );
  ids.assignment = assignments.body.result.items[0]?.id ?? '';
});
afterAll(() => api.stop());

/** Of a browser's session that has just begun. */
async function sessionCookie(): Promise<string> {
  return `bank_session=${(await signIn(api)).refreshToken}`;
}

/** A transaction whose automation has failed, as a worker would have recorded it. */
async function withFailedAutomation(): Promise<string> {
  const { log, newId } = api.service.reactorServices;
  const stream = `bankTransaction-${api.tenantId}_${ids.transaction}`;
  const [first] = await log.readStream(stream, { limit: 1 });
  if (first === undefined) throw new Error('no transaction to copy');
  const id = newId();
  const copy = { ...(first.data as object), transactionId: id, providerStamp: id };
  const died = { attempt: 8, failedAt: new Date().toISOString(), code: 'EVALUATION_FAILED', message: 'planted' };
  const { position } = (await log.append({
    stream: `bankTransaction-${api.tenantId}_${id}`,
    expected: 'no-stream',
    events: [
      { id: newId(), type: 'TransactionRecorded', data: copy, metadata: first.metadata },
      { id: newId(), type: 'TransactionAutomationDied', data: died, metadata: first.metadata },
    ],
  })) as { position: string };
  await api.service.httpServices.waitFor(['transactions'], position, 100_000);
  return id;
}

/** Of the company's rule runs, once it is there to be read. */
async function newestRun(filter: string): Promise<string> {
  await api.service.httpServices.waitFor(['rule-runs'], await api.service.log.head(), 100_000);
  const list = await api.call<{ items: { id: string }[] }>('GET', `/banks/rule-runs?${filter}&limit=1`);
  return list.body.result.items[0]?.id ?? '';
}

/** A run that waits an hour for its next attempt, as a worker whose bank of data was away would have left it. */
async function pendingRun(): Promise<string> {
  const { log, newId } = api.service.reactorServices;
  const [first] = await log.readStream(`ruleRun-${api.tenantId}_${ids.run}`, { limit: 1 });
  if (first === undefined) throw new Error('no run to copy');
  const id = newId();
  const copy = { ...(first.data as object), runId: id };
  const nextAttemptAt = new Date(Date.now() + 3_600_000).toISOString();
  const failed = { attempt: 1, failedAt: new Date().toISOString(), nextAttemptAt, code: 'PLANTED', message: 'planted' };
  await log.append({
    stream: `ruleRun-${api.tenantId}_${id}`,
    expected: 'no-stream',
    events: [
      { id: newId(), type: 'RunRequested', data: copy, metadata: first.metadata },
      { id: newId(), type: 'RunAttemptFailed', data: failed, metadata: first.metadata },
    ],
  });
  return id;
}

/** Nobody listens there. */
const hook = { url: 'http://127.0.0.1:1/hook', types: ['rule.updated'] };

/** A webhook whose receiver was tried. */
async function attempted(): Promise<string> {
  const { id } = (await api.call<{ id: string }>('POST', '/banks/webhooks', hook)).body.result;
  await api.call('POST', '/banks/transaction-rules', draft);
  await eventually(
    () => api.call<{ items: unknown[] }>('GET', `/banks/webhooks/${id}/deliveries`),
    ({ body }) => (body.result?.items ?? []).length > 0,
  );
  return id;
}

/** The id of an event that a seal covers. */
async function sealedEvent(): Promise<string> {
  const { log, readModels } = api.service.httpServices;
  await api.service.httpServices.waitFor(['history', 'tenants'], await log.head(), 100_000);
  const sealing = { log, readModels, key: api.service.httpServices.sealingKey, sealAfterMs: 0 };
  const position = await sealTenant(
    sealing,
    workerContext(api.service.reactorServices, 'seals', {
      tenantId: api.tenantId,
      companyId: null,
      correlationId: 'sealed',
    }),
  );
  await api.service.httpServices.waitFor(['seals'], position ?? '', 100_000);
  const [first] = await log.readStream(`transactionRule-${api.tenantId}_${ids.rule}`, { limit: 1 });
  return first?.id ?? '';
}

type Asked = readonly [path: string, body?: unknown, headers?: Record<string, string>];

async function someone(): Promise<Credentials & { id: string }> {
  const body = { email: `${randomUUID()}@example.com`, role: 'analyst' };
  const added = await api.call<Credentials & { id: string }>('POST', '/auth/users', body, { authorization: admin });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  const { id, email, password } = added.body.result;
  return { id, email, password };
}

async function othersSession(): Promise<string> {
  const { id, email, password } = await someone();
  const { tenantId } = api;
  const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
  const signedIn = await api.call('POST', '/auth/login', { email, password, tenantId }, headers);
  const list = await api.call<{ items: { id: string }[] }>('GET', `/auth/sessions?userId=${id}`, undefined, {
    authorization: admin,
    'x-min-log-position': signedIn.headers.get('x-log-position') ?? undefined,
  });
  return list.body.result.items[0]?.id ?? '';
}

async function someKey(): Promise<string> {
  const body = { name: 'Some', scopes: ['rules:read'] };
  const made = await api.call<{ id: string }>('POST', '/auth/api-keys', body, { authorization: admin });
  return made.body.result.id;
}

/** One request for each operation that succeeds; in the order of the list, since some build on others. */
const requests: Record<string, () => Promise<Asked> | Asked> = {
  getLiveness: () => ['/health/live'],
  getReadiness: () => ['/health/ready'],
  getVersion: () => ['/version'],
  logIn: () => ['/auth/login', firstAdmin(api)],
  refreshSession: async () => ['/auth/refresh', { refreshToken: (await signIn(api)).refreshToken }],
  getSignIn: () => ['/auth/session'],
  openSession: () => ['/auth/session', firstAdmin(api)],
  renewSession: async () => ['/auth/session/refresh', undefined, { cookie: await sessionCookie() }],
  closeSession: async () => ['/auth/session', undefined, { cookie: await sessionCookie() }],
  logOut: async () => ['/auth/logout', { refreshToken: (await signIn(api)).refreshToken }],
  getMe: () => ['/auth/me'],
  changeMe: () => ['/auth/me', { displayName: 'Ayşe Demir', locale: 'tr-TR', timezone: 'Europe/Istanbul' }],
  replacePassword: async () => {
    const { id: _, ...person } = await someone();
    const { accessToken } = await signIn(api, person);
    const body = { currentPassword: person.password, newPassword: 'another password' };
    return ['/auth/me/password', body, { authorization: `Bearer ${accessToken}` }];
  },
  listCompanies: () => ['/auth/companies'],
  createCompany: () => ['/auth/companies', { name: 'Acme Anadolu' }],
  listSessions: () => ['/auth/sessions?expand=actor'],
  endSession: async () => [`/auth/sessions/${await othersSession()}`],
  listUsers: () => ['/auth/users'],
  addUser: () => ['/auth/users', { email: `${randomUUID()}@example.com`, role: 'auditor', displayName: 'Can Kaya' }],
  changeUser: async () => [`/auth/users/${(await someone()).id}`, { role: 'operator', status: 'disabled' }],
  createApiKey: () => ['/auth/api-keys', { name: 'ERP', scopes: ['rules:read'], companies: [COMPANY] }],
  listApiKeys: () => ['/auth/api-keys?limit=1'],
  rotateApiKey: async () => [`/auth/api-keys/${await someKey()}/rotate`, { graceSeconds: 60 }],
  revokeApiKey: async () => [`/auth/api-keys/${await someKey()}/revoke`, { reason: 'No longer used' }],
  createTenant: () => ['/operator/tenants', { name: 'Acme', adminEmail: 'owner@acme.example' }, operator],
  listTenants: () => ['/operator/tenants?limit=1', undefined, operator],
  getCatalogue: () => ['/banks/catalogue'],
  openConnection: () => ['/banks/accounts', { bankCode: 'demo', title: 'Main accounts' }],
  listConnections: () => ['/banks/accounts?limit=1'],
  getConnection: () => [`/banks/accounts/${ids.connection}`],
  changeConnection: () => [`/banks/accounts/${ids.connection}`, { title: 'Head office' }],
  archiveConnection: async () => [`/banks/accounts/${await connectDemoBank(api)}/archive`],
  putCredentials: () => [`/banks/accounts/${ids.connection}/credentials`, { seed: 'another' }],
  setUpConnection: () => [`/banks/accounts/${ids.connection}/setup`],
  dryRunConnection: async () => {
    const body = { bankCode: 'statement-files', title: 'Every', environment: 'production' };
    const { id } = (await api.call<{ id: string }>('POST', '/banks/accounts', body)).body.result;
    const path = grantFolder(api.statementsDir, 'every', { tenantId: api.tenantId, companyId: COMPANY });
    await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder: 'every' });
    writeFileSync(
      join(path, 'one.sta'),
      mt940Statement({ opening: 1, rows: [{ day: '2025-03-03', change: 1, text: 'x' }] }),
    );
    utimesSync(join(path, 'one.sta'), 1_700_000_000, 1_700_000_000);
    return [`/banks/accounts/${id}/dry-run`, { file: 'one.sta' }];
  },
  syncConnection: async () => [
    `/banks/accounts/${await connectDemoBank(api)}/sync`,
    { from: '2026-01-01', to: '2026-01-02' },
  ],
  listSyncs: () => [`/banks/accounts/${ids.connection}/syncs`],
  getSync: () => [`/banks/accounts/${ids.connection}/syncs/${ids.sync}`],
  cancelSync: async () => {
    const id = await connectDemoBank(api, { transactionsPerDay: 1_000 });
    await api.call('POST', `/banks/accounts/${id}/sync`);
    const list = await api.call<{ items: { id: string }[] }>('GET', `/banks/accounts/${id}/syncs`, undefined, {
      'x-min-log-position': await api.service.log.head(),
    });
    return [`/banks/accounts/${id}/syncs/${list.body.result.items[0]?.id}/cancel`];
  },
  getConnectionHealth: () => [`/banks/accounts/${ids.connection}/health`],
  getConnectionUsage: () => [`/banks/accounts/${ids.connection}/usage`],
  listTransactions: () => ['/banks/transactions?limit=200'],
  exportTransactions: () => ['/banks/transactions/export'],
  getTransactionTotals: () => ['/banks/transactions/totals?from=2026-01-01&to=2026-02-01'],
  listUnassignedGroups: () => ['/banks/transactions/groups?by=counterparty&limit=2'],
  getTransaction: () => [`/banks/transactions/${ids.transaction}`],
  explainTransaction: () => [`/banks/transactions/${ids.transaction}/explanation`],
  retryAutomation: async () => [`/banks/transactions/${await withFailedAutomation()}/automation/retry`],
  listTransactionAssignments: () => [`/banks/transactions/${ids.transaction}/assignments`],
  attachAssignment: () => [`/banks/transactions/${ids.transaction}/assignments`, { reference }],
  revokeAssignment: () => [`/banks/transactions/${ids.transaction}/assignments/${ids.assignment}/revoke`, {}],
  listAssignments: () => ['/banks/assignments?source=erp'],
  createRule: () => ['/banks/transaction-rules', draft],
  listRules: () => ['/banks/transaction-rules'],
  evaluateDraftRule: () => [
    '/banks/transaction-rules/evaluate',
    { conditions: draft.conditions, scope: { bankCodes: ['demo'] } },
  ],
  getRule: () => [`/banks/transaction-rules/${ids.rule}`],
  listRuleVersions: () => [`/banks/transaction-rules/${ids.rule}/versions`],
  changeRule: () => [`/banks/transaction-rules/${ids.rule}`, { version: 1, description: 'Everything that comes in' }],
  pauseRule: () => [`/banks/transaction-rules/${ids.rule}/pause`, { version: 2 }],
  resumeRule: () => [`/banks/transaction-rules/${ids.rule}/resume`, { version: 3 }],
  archiveRule: () => [`/banks/transaction-rules/${ids.rule}/archive`, { version: 4 }],
  previewRule: async () => {
    const made = await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft);
    ids.runRule = made.body.result.id;
    return [`/banks/transaction-rules/${ids.runRule}/preview-runs`, { scope: { bankCodes: ['demo'] } }];
  },
  backfillRule: async () => {
    const previewRunId = await newestRun(`ruleId=${ids.runRule}`);
    await runEnded(api, previewRunId);
    return [`/banks/transaction-rules/${ids.runRule}/backfill-runs`, { previewRunId }];
  },
  listRuleRuns: () => [`/banks/rule-runs?ruleId=${ids.runRule}`],
  getRuleRun: async () => {
    ids.run = await newestRun('type=backfill');
    await runEnded(api, ids.run);
    return [`/banks/rule-runs/${ids.run}`];
  },
  listRuleRunMatches: () => [`/banks/rule-runs/${ids.run}/matches`],
  cancelRuleRun: async () => [`/banks/rule-runs/${await pendingRun()}/cancel`],
  listAnalyticsQueries: () => ['/banks/analytics/queries'],
  getAnalyticsQuery: () => ['/banks/analytics/queries/cash-flow'],
  getAnalyticsResults: () => ['/banks/analytics/queries/cash-flow/results?from=2026-01-01&to=2026-02-01'],
  createSchedule: () => ['/banks/schedules', { accountId: ids.connection, cron: '0 6 * * *', status: 'paused' }],
  listSchedules: () => ['/banks/schedules'],
  getSchedule: async () => {
    const body = { accountId: ids.connection, everyMinutes: 60, timezone: 'Europe/Istanbul' };
    ids.schedule = (await api.call<{ id: string }>('POST', '/banks/schedules', body)).body.result.id;
    await api.service.httpServices.waitFor(['schedules'], await api.service.log.head(), 100_000);
    return [`/banks/schedules/${ids.schedule}`];
  },
  changeSchedule: () => [`/banks/schedules/${ids.schedule}`, { title: 'Hourly' }],
  pauseSchedule: () => [`/banks/schedules/${ids.schedule}/pause`],
  resumeSchedule: () => [`/banks/schedules/${ids.schedule}/resume`],
  runSchedule: () => [`/banks/schedules/${ids.schedule}/run`],
  listScheduleTurns: () => ['/banks/schedules/turns?cron=0+6+*+*+1-5&timezone=Europe%2FIstanbul&count=3'],
  listScheduleRuns: () => [`/banks/schedules/${ids.schedule}/runs`],
  listHistory: () => ['/banks/audit/history?entityType=rule'],
  exportHistory: () => ['/banks/audit/history/export'],
  getIntegrity: () => ['/banks/audit/integrity'],
  getProof: async () => [`/banks/audit/proof?eventId=${await sealedEvent()}`],
  startReplay: () => ['/banks/audit/replays'],
  getReplay: async () => {
    const { body } = await api.call<{ id: string }>('POST', '/banks/audit/replays');
    return [`/banks/audit/replays/${body.result.id}`];
  },
  getProvenance: () => [`/banks/audit/provenance/${ids.assignment}`],
  getEntityHistory: () => [`/banks/audit/history/transaction/${ids.transaction}`],
  getEntityAsOf: async () => [`/banks/audit/history/rule/${ids.rule}/as-of?position=${await api.service.log.head()}`],
  getEntityDiff: async () => [
    `/banks/audit/history/rule/${ids.rule}/diff?from=2020-01-01&to=${await api.service.log.head()}`,
  ],
  listConnectorLogs: () => [`/banks/audit/connector-logs?syncId=${ids.sync}&operation=page&limit=1`],
  getConnectorLog: async () => {
    const list = await api.call<{ items: { id: string }[] }>('GET', '/banks/audit/connector-logs?limit=1');
    return [`/banks/audit/connector-logs/${list.body.result.items[0]?.id}`];
  },
  listChanges: () => ['/banks/changes?limit=500'],
  createWebhook: () => ['/banks/webhooks', hook],
  listWebhooks: () => ['/banks/webhooks'],
  getWebhook: async () => {
    ids.webhook = (await api.call<{ id: string }>('POST', '/banks/webhooks', hook)).body.result.id;
    await api.service.httpServices.waitFor(['webhooks'], await api.service.log.head(), 100_000);
    return [`/banks/webhooks/${ids.webhook}`];
  },
  changeWebhook: () => [`/banks/webhooks/${ids.webhook}`, { description: 'Ledger' }],
  pauseWebhook: () => [`/banks/webhooks/${ids.webhook}/pause`],
  resumeWebhook: () => [`/banks/webhooks/${ids.webhook}/resume`],
  rotateWebhookSecret: () => [`/banks/webhooks/${ids.webhook}/rotate-secret`, { graceSeconds: 60 }],
  testWebhook: () => [`/banks/webhooks/${ids.webhook}/test`],
  listWebhookDeliveries: async () => [`/banks/webhooks/${await attempted()}/deliveries`],
  retryWebhookDelivery: async () => {
    const path = `/banks/webhooks/${await attempted()}/deliveries`;
    const { items } = (await api.call<{ items: { id: string }[] }>('GET', path)).body.result;
    return [`${path}/${items[0]?.id}/retry`];
  },
  replayWebhook: () => [`/banks/webhooks/${ids.webhook}/replay`, { after: '2020-01-01' }],
  archiveWebhook: () => [`/banks/webhooks/${ids.webhook}/archive`],
  deleteSchedule: () => [`/banks/schedules/${ids.schedule}`],
  revertRuleRun: () => [`/banks/rule-runs/${ids.run}/revert`],
};

/**
 * Asked again after a crash that left the work done and no answer: the same status, position and id, and not one event
 * more.
 */
async function doesItOnce(url: string, request: RequestInit, key: string, first: Response): Promise<void> {
  const before = await callersEvents(api);
  await forgetAnswer(api, key, (await claimOf(api, key)) === undefined ? '' : api.tenantId);
  const again = await fetch(url, request);
  expect(again.headers.get('idempotency-replayed')).toBeNull();
  expect([again.status, again.headers.get('x-log-position')]).toEqual([
    first.status,
    first.headers.get('x-log-position'),
  ]);
  expect((await callersEvents(api)).map((event) => event.id)).toEqual(before.map((event) => event.id));
}

describe('every operation', () => {
  it('is requested here', () => {
    expect(Object.keys(requests).sort()).toEqual(operations.map((one) => one.id).sort());
  });

  it.each(operations.map((one) => [one.id, one] as const))('%s answers as its schema says', async (id, one) => {
    const [path, body, headers] = (await requests[id]?.()) ?? ['/'];
    const request: RequestInit = {
      method: one.method.toUpperCase(),
      headers: {
        'x-api-key': api.key,
        'x-api-secret': api.secret,
        'x-company-id': COMPANY,
        'x-request-id': `every-${id}`,
        'idempotency-key': `every-${id}`,
        authorization: admin,
        ...headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    };
    const response = await fetch(`${api.service.url}${path}`, request);
    expect(one.successes).toContain(response.status);
    expect(response.headers.get('x-request-id')).toBe(`every-${id}`);
    if (one.media !== null) {
      expect(response.headers.get('content-type')).toContain(one.media);
      const text = await response.text();
      expect(text).toContain('\n');
      keepExample(one, { request: body, status: response.status, response: text });
      return;
    }
    const answer = await response.json();
    keepExample(one, { request: body, status: response.status, response: answer });
    const envelope = success(one.result).safeParse(answer);
    expect(envelope.error?.issues ?? []).toEqual([]);
    if (takesIdempotencyKey(one)) await doesItOnce(`${api.service.url}${path}`, request, `every-${id}`, response);
  });

  it('stores its request id in the events it made', async () => {
    const [changed] = (await api.service.log.readStream(`transactionRule-${api.tenantId}_${ids.rule}`)).slice(-1);
    expect(changed?.metadata.correlationId).toBe('every-archiveRule');
  });
});
