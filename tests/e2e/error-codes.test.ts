import { randomUUID } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey, createCompany } from '../../src/commands/create-tenancy.ts';
import { SCOPES } from '../../src/events/tenancy.ts';
import { createApp } from '../../src/http/core/app.ts';
import { failureSchema } from '../../src/http/core/envelope.ts';
import { type ErrorCode, errorCodes } from '../../src/http/core/errors.ts';
import type { HttpServices } from '../../src/http/core/http-services.ts';
import { startHttpServer } from '../../src/http/core/server.ts';
import { LogUnavailable } from '../../src/log/log.ts';
import { references } from '../../src/projections/analytics/references.ts';
import { grantFolder } from '../../src/providers/statement-files/folder-grant.ts';
import { VaultError } from '../../src/providers/vault.ts';
import { computedId } from '../../src/shared/ids.ts';
import { createCostlyRequests } from '../../src/traffic/costly-requests.ts';
import { TenantLimitReached } from '../../src/traffic/tenant-limits.ts';
import { sent } from '../support/raw-request.ts';
import { bearer, firstAdmin, signIn } from '../support/signed-in.ts';
import {
  COMPANY,
  connectDemoBank,
  eventually,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

let api: TestService;
let narrow: Record<string, string>;
let connection: string;
let archived: string;
let bare: string;
let transaction: string;
let assignment: string;
let rule: string;
let archivedRule: string;
let ended: string;

const JSON_TYPE = { 'content-type': 'application/json' };
const reference = { source: 'erp', entityType: 'invoice', externalId: '1' };
/** Of a type that nothing here causes, so that nothing is sent. */
const hook = { url: 'https://1.1.1.1/hook', types: ['schedule.paused'] };
const draft = {
  name: 'r',
  conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference }],
};

async function made(path: string, body?: unknown): Promise<string> {
  const answer = await api.call<{ id: string }>('POST', path, body);
  if (answer.status >= 300) throw new Error(JSON.stringify(answer.body));
  return answer.body.result.id;
}

beforeAll(async () => {
  api = await startTestService();
  const { service, tenantId, secret } = api;
  const { log, clock, newId } = service.reactorServices;
  const actor = { type: 'system' as const, id: 'test' };
  const context = { log, clock, newId, tenantId, companyId: null, actor, correlationId: newId() };
  const createdAt = new Date().toISOString();
  await createCompany(context, { companyId: 'company-two', name: 'Two', automation: true, createdAt });
  const key = `narrow-${newId()}`;
  const apiKeyId = newId();
  await service.secrets.keepApiSecret(apiKeyId, secret);
  const scopes = SCOPES.filter((scope) => scope !== 'rules:write');
  const position = await createApiKey(context, {
    apiKeyId,
    key,
    name: 'Narrow',
    scopes,
    companies: [COMPANY],
    expiresAt: null,
    createdAt,
  });
  await service.httpServices.waitFor(['companies', 'api-keys'], position, 100_000);
  narrow = { 'x-api-key': key };

  connection = await connectDemoBank(api);
  ended = String((await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-03' })).id);
  const list = await eventually(
    async () => (await api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=1')).body.result.items,
    (items) => items.length > 0,
  );
  transaction = list[0]?.id ?? '';
  assignment = await made(`/banks/transactions/${transaction}/assignments`, { reference });
  await api.call('POST', `/banks/transactions/${transaction}/assignments/${assignment}/revoke`);
  await api.call('POST', `/banks/transactions/${transaction}/assignments`, { reference });
  rule = await made('/banks/transaction-rules', draft);
  archivedRule = await made('/banks/transaction-rules', draft);
  await api.call('PATCH', `/banks/transaction-rules/${archivedRule}/archive`, { version: 1 });
  bare = await made('/banks/accounts', { bankCode: 'demo', title: 'Bare' });
  archived = await connectDemoBank(api);
  await api.call('POST', `/banks/accounts/${archived}/archive`);
});
afterAll(() => api.stop());

type Provoked = { status: number; body: { code?: string } };

/** A request to the same doorway with a part of the services behind it broken. */
async function withBroken(part: Partial<HttpServices>, path: string, init: RequestInit = {}): Promise<Provoked> {
  const app = createApp({ ...api.service.httpServices, ...part });
  const headers = {
    'x-api-key': api.key,
    'x-api-secret': api.secret,
    'x-company-id': COMPANY,
    ...JSON_TYPE,
    ...(init.headers as Record<string, string> | undefined),
  };
  const response = await app.request(path, { ...init, headers });
  return { status: response.status, body: (await response.json()) as { code?: string } };
}

/** Another reference with every document that is asked for. */
function endlessReferences({ service, tenantId }: TestService): HttpServices['readModels'] {
  let nth = 0;
  const one = (): object => {
    nth += 1;
    const days = { '2026-01-01': { 0: { inflow: '1', count: 1 } } };
    return {
      _id: `${nth}`,
      _position: '',
      month: '2026-01',
      tenantId,
      referenceKey: `erp:invoice:${nth}`,
      currency: 'EUR',
      days,
    };
  };
  const find = async ({ limit }: { limit: number }) => Array.from({ length: limit }, one) as never[];
  return {
    ...service.httpServices.readModels,
    of: (projection) => {
      const collection = service.httpServices.readModels.of(projection);
      return projection.name === references.projection.name ? { ...collection, find } : collection;
    },
  };
}

const call = (...request: Parameters<TestService['call']>): Promise<Provoked> => api.call(...request);

async function previewed(): Promise<{ runRule: string; previewRunId: string }> {
  const runRule = await made('/banks/transaction-rules', draft);
  const previewRunId = await made(`/banks/transaction-rules/${runRule}/preview-runs`, {});
  await runEnded(api, previewRunId);
  return { runRule, previewRunId };
}

async function backfilled() {
  const { runRule, previewRunId } = await previewed();
  const run = await made(`/banks/transaction-rules/${runRule}/backfill-runs`, { previewRunId });
  await runEnded(api, run);
  return { runRule, previewRunId, run };
}

/** A copy of the run under another id, with events that a worker at another time would have added. */
async function plantRun(id: string, of: string, changed: object, added: readonly { type: string; data: object }[]) {
  const { log, newId } = api.service.reactorServices;
  const [first] = await log.readStream(`ruleRun-${api.tenantId}_${of}`, { limit: 1 });
  if (first === undefined) throw new Error('no run to copy');
  const data = { ...(first.data as object), runId: id, ...changed };
  const events = [{ type: first.type, data }, ...added].map((fact) => ({
    id: newId(),
    ...fact,
    metadata: first.metadata,
  }));
  await log.append({ stream: `ruleRun-${api.tenantId}_${id}`, expected: 'no-stream', events });
}

async function cancelledPreview() {
  const { runRule, previewRunId } = await previewed();
  const cancelled = api.service.reactorServices.newId();
  const cancelledAt = new Date().toISOString();
  await plantRun(cancelled, previewRunId, {}, [{ type: 'RunCancelled', data: { cancelledAt } }]);
  return { runRule, cancelled };
}

/** The rule's second run, which waits an hour for its next attempt. */
async function plantOpenRun(runRule: string, of: string): Promise<void> {
  const nextAttemptAt = new Date(Date.now() + 3_600_000).toISOString();
  const failed = { attempt: 1, failedAt: new Date().toISOString(), nextAttemptAt, code: 'PLANTED', message: 'planted' };
  const id = computedId('rule run', runRule, '2');
  await plantRun(id, of, { ordinal: 2 }, [{ type: 'RunAttemptFailed', data: failed }]);
}

/** As the first admin, who alone may look after keys. */
async function onKey(id: string, what: string): Promise<Provoked> {
  const headers = bearer((await signIn(api)).accessToken);
  return api.call('POST', `/auth/api-keys/${id}/${what}`, undefined, headers);
}

async function plantKey(expiresAt: string | null): Promise<string> {
  const { log, clock, newId } = api.service.reactorServices;
  const actor = { type: 'system' as const, id: 'test' };
  const { tenantId } = api;
  const context = { log, clock, newId, tenantId, companyId: null, actor, correlationId: newId() };
  const apiKeyId = newId();
  const createdAt = new Date().toISOString();
  const key = { apiKeyId, key: `planted-${apiKeyId}`, name: 'Planted', scopes: [], companies: null };
  await createApiKey(context, { ...key, expiresAt, createdAt });
  return apiKeyId;
}

/** As the first admin, on the people of the tenant. */
async function asAdmin(method: string, path: string, body: unknown): Promise<Provoked> {
  return api.call(method, path, body, bearer((await signIn(api)).accessToken));
}

async function firstAdminsId(): Promise<string> {
  const headers = bearer((await signIn(api)).accessToken);
  return (await api.call<{ id: string }>('GET', '/auth/me', undefined, headers)).body.result.id;
}

/** A connection to a folder of that name, which holds one file that changed a moment ago. */
async function filed(folder: string): Promise<string> {
  const body = { bankCode: 'statement-files', title: folder, environment: 'production' };
  const id = await made('/banks/accounts', body);
  const path = grantFolder(api.statementsDir, folder, { tenantId: api.tenantId, companyId: COMPANY });
  writeFileSync(join(path, 'fresh.sta'), ':20:');
  await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder });
  return `/banks/accounts/${id}/dry-run`;
}

const provocations: Record<ErrorCode, () => Promise<Provoked>> = {
  BODY_MALFORMED: () => call('POST', '/banks/accounts', '{"bankCode":'),
  COMPANY_REQUIRED: () => call('POST', '/banks/accounts', {}, { 'x-company-id': undefined }),
  CURSOR_INVALID: () => call('GET', '/banks/accounts?cursor=x'),
  DATE_RANGE_INVALID: () => call('GET', '/banks/transactions?from=2026-01-02&to=2026-01-01'),
  HEADER_INVALID: () => call('GET', '/banks/accounts', undefined, { 'x-min-log-position': 'not a position!' }),
  QUERY_PARAMETER_UNKNOWN: () => call('GET', '/banks/accounts?colour=red'),
  REQUEST_MALFORMED: async () => await sent(api.service.url, 'GET / HTTP/1.1\r\nnot a header\r\n\r\n'),
  RULE_CONDITION_INVALID: () =>
    call('POST', '/banks/transaction-rules', {
      ...draft,
      conditions: { combinator: 'all', children: [{ field: 'x' }] },
    }),
  RULE_TOO_COMPLEX: () =>
    call('POST', '/banks/transaction-rules', {
      ...draft,
      conditions: Array.from({ length: 4 }).reduce<unknown>(
        (inner) => ({ combinator: 'all', children: [inner] }),
        draft.conditions.children[0],
      ),
    }),
  TENANT_REQUIRED: async () => {
    const person = { email: `${randomUUID()}@example.com`, password: 'the same in two tenants' };
    const { people, log, clock, newId } = { ...api.service.reactorServices, people: api.service.httpServices.people };
    const common = { log, clock, newId, companyId: null, actor: { type: 'system', id: 'test' } as const };
    for (const tenantId of [newId(), newId()]) {
      await people.add(
        { ...common, tenantId, correlationId: newId() },
        { ...person, role: 'analyst', displayName: null },
      );
    }
    return call('POST', '/auth/login', person);
  },
  TRANSACTION_AMOUNT_RANGE_INVALID: () => call('GET', '/banks/transactions?minAmount=2&maxAmount=1'),
  VALIDATION_FAILED: () => call('POST', '/banks/accounts', { bankCode: 1 }),
  AUTHENTICATION_INVALID: () => call('GET', '/banks/accounts', undefined, { 'x-api-secret': 'wrong' }),
  AUTHENTICATION_REQUIRED: () => call('GET', '/banks/accounts', undefined, { 'x-api-secret': undefined }),
  LOGIN_FAILED: () => call('POST', '/auth/login', { email: 'nobody@example.com', password: 'x' }),
  ORIGIN_REFUSED: () => call('DELETE', '/auth/session', undefined, { origin: 'https://other.example.com' }),
  PERMISSION_DENIED: () => call('POST', '/banks/transaction-rules', draft, narrow),
  ANALYTICS_TOO_MANY_ROWS: () =>
    withBroken(
      { readModels: endlessReferences(api) },
      '/banks/analytics/queries/reference-totals/results?from=2026-01-01&to=2026-01-02',
    ),
  ANALYTICS_QUERY_UNKNOWN: () => call('GET', '/banks/analytics/queries/none/results'),
  API_KEY_NOT_FOUND: () => onKey('never-issued', 'rotate'),
  ASSIGNMENT_NOT_FOUND: () => call('POST', `/banks/transactions/${transaction}/assignments/none/revoke`),
  COMPANY_NOT_FOUND: () => call('GET', '/banks/accounts', undefined, { 'x-company-id': 'never-issued' }),
  CONNECTION_NOT_FOUND: () => call('GET', '/banks/accounts/never-issued'),
  CONNECTOR_LOG_NOT_FOUND: () => call('GET', '/banks/audit/connector-logs/never-issued'),
  ENTITY_NOT_FOUND: () => call('GET', '/banks/audit/history/rule/never-issued'),
  REPLAY_NOT_FOUND: () => call('GET', '/banks/audit/replays/never-issued'),
  ROUTE_NOT_FOUND: () => call('GET', '/banks/nothing'),
  RULE_NOT_FOUND: () => call('PATCH', '/banks/transaction-rules/never-issued/pause', { version: 1 }),
  RUN_NOT_FOUND: () => call('GET', '/banks/rule-runs/never-issued'),
  SCHEDULE_NOT_FOUND: () => call('GET', '/banks/schedules/never-issued'),
  SESSION_NOT_FOUND: () => asAdmin('DELETE', '/auth/sessions/never-issued', undefined),
  STATEMENT_FILE_NOT_FOUND: async () => call('POST', await filed('dry'), { file: 'none.sta' }),
  SYNC_NOT_FOUND: () => call('GET', `/banks/accounts/${connection}/syncs/never-issued`),
  TRANSACTION_NOT_FOUND: () => call('GET', '/banks/transactions/never%2Fissued'),
  USER_NOT_FOUND: () => asAdmin('PATCH', '/auth/users/never-issued', { role: 'auditor' }),
  WEBHOOK_NOT_FOUND: () => call('GET', '/banks/webhooks/never-issued'),
  WEBHOOK_DELIVERY_NOT_FOUND: async () =>
    call('POST', `/banks/webhooks/${await made('/banks/webhooks', hook)}/deliveries/never-issued/retry`),
  WEBHOOK_ARCHIVED: async () => {
    const id = await made('/banks/webhooks', hook);
    await call('PATCH', `/banks/webhooks/${id}/archive`);
    return call('PATCH', `/banks/webhooks/${id}/resume`);
  },
  WEBHOOK_URL_REFUSED: () => call('POST', '/banks/webhooks', { ...hook, url: 'https://10.0.0.1/' }),
  METHOD_NOT_ALLOWED: () => call('DELETE', '/banks/accounts'),
  TRANSACTION_IMMUTABLE: () => call('PATCH', `/banks/transactions/${transaction}`, {}),
  REQUEST_TIMEOUT: async () => {
    const { httpServices: services } = api.service;
    const limits = { headersMs: 50, requestMs: 50, checkMs: 10 };
    const server = await startHttpServer({
      fetch: createApp(services).fetch,
      host: '127.0.0.1',
      port: 0,
      services,
      limits,
    });
    try {
      return await sent(`http://127.0.0.1:${server.port}`, 'GET / HTTP/1.1\r\nhost: x\r\n');
    } finally {
      await server.close();
    }
  },
  API_KEY_EXPIRED: async () => onKey(await plantKey('2020-01-01T00:00:00.000Z'), 'rotate'),
  API_KEY_REVOKED: async () => {
    const id = await plantKey(null);
    await onKey(id, 'revoke');
    return onKey(id, 'revoke');
  },
  ASSIGNMENT_EXISTS: () => call('POST', `/banks/transactions/${transaction}/assignments`, { reference }),
  ASSIGNMENT_REVOKED: () => call('POST', `/banks/transactions/${transaction}/assignments/${assignment}/revoke`),
  AUTOMATION_NOT_RETRYABLE: () => call('POST', `/banks/transactions/${transaction}/automation/retry`),
  CONCURRENT_CHANGE: () =>
    withBroken(
      { commandLog: { ...logOf(api), append: async () => ({ outcome: 'conflict' }) } },
      `/banks/transaction-rules/${rule}/pause`,
      { method: 'PATCH', body: '{"version":1}' },
    ),
  CONNECTION_ARCHIVED: () => call('POST', `/banks/accounts/${archived}/setup`),
  CONNECTION_DISABLED: async () => {
    const id = await made('/banks/accounts', { bankCode: 'demo', title: 'Off' });
    await api.call('PATCH', `/banks/accounts/${id}`, { status: false });
    return call('POST', `/banks/accounts/${id}/sync`);
  },
  CONNECTION_NOT_SET_UP: () => call('POST', `/banks/accounts/${bare}/sync`),
  CREDENTIALS_MISSING: async () => {
    const body = { bankCode: 'statement-files', title: 'Files', environment: 'production' };
    return call('POST', `/banks/accounts/${await made('/banks/accounts', body)}/setup`);
  },
  STATEMENT_FILE_BEING_WRITTEN: async () => call('POST', await filed('dry'), { file: 'fresh.sta' }),
  STATEMENT_FOLDER_NOT_GRANTED: async () => {
    const path = await filed('taken-away');
    rmSync(join(api.statementsDir, 'taken-away'), { recursive: true });
    return call('POST', path);
  },
  DRY_RUN_NOT_SUPPORTED: () => call('POST', `/banks/accounts/${connection}/dry-run`),
  CREDENTIALS_UNREADABLE: async () => {
    const get = async () => {
      throw new VaultError('VAULT_RECORD_UNREADABLE', 'planted');
    };
    return withBroken({ vault: { ...api.service.httpServices.vault, get } }, await filed('dry'), { method: 'POST' });
  },
  IDEMPOTENCY_IN_PROGRESS: () =>
    withBroken(
      { requestClaims: { ...api.service.httpServices.requestClaims, claim: async () => ({ outcome: 'running' }) } },
      '/banks/accounts',
      {
        method: 'POST',
        body: '{"bankCode":"demo","title":"x"}',
        headers: { 'idempotency-key': 'running' },
      },
    ),
  EVENT_NOT_SEALED: async () => {
    const { body } = await api.call<{ items: { eventId: string }[] }>('GET', '/banks/audit/history?limit=1');
    return call('GET', `/banks/audit/proof?eventId=${body.result.items[0]?.eventId}`);
  },
  PREVIEW_ALREADY_USED: async () => {
    const { runRule, previewRunId } = await backfilled();
    return call('POST', `/banks/transaction-rules/${runRule}/backfill-runs`, { previewRunId });
  },
  PREVIEW_NOT_COMPLETED: async () => {
    const { runRule, cancelled } = await cancelledPreview();
    return call('POST', `/banks/transaction-rules/${runRule}/backfill-runs`, { previewRunId: cancelled });
  },
  PREVIEW_STALE: async () => {
    const { runRule, previewRunId } = await previewed();
    await api.call('PATCH', `/banks/transaction-rules/${runRule}`, { version: 1, tags: ['changed'] });
    return call('POST', `/banks/transaction-rules/${runRule}/backfill-runs`, { previewRunId });
  },
  LAST_ADMIN: async () => asAdmin('PATCH', `/auth/users/${await firstAdminsId()}`, { role: 'auditor' }),
  RULE_ARCHIVED: () => call('PATCH', `/banks/transaction-rules/${archivedRule}/resume`, { version: 2 }),
  RULE_VERSION_CONFLICT: () => call('PATCH', `/banks/transaction-rules/${rule}/pause`, { version: 9 }),
  RUN_ALREADY_REVERTED: async () => {
    const { run } = await backfilled();
    await api.call('POST', `/banks/rule-runs/${run}/revert`);
    return call('POST', `/banks/rule-runs/${run}/revert`);
  },
  RUN_ENDED: async () => call('POST', `/banks/rule-runs/${(await previewed()).previewRunId}/cancel`),
  RUN_IN_PROGRESS: async () => {
    const { runRule, run } = await backfilled();
    await plantOpenRun(runRule, run);
    return call('POST', `/banks/rule-runs/${run}/revert`);
  },
  RUN_NOT_REVERTIBLE: async () => call('POST', `/banks/rule-runs/${(await previewed()).previewRunId}/revert`),
  SYNC_ENDED: () => call('POST', `/banks/accounts/${connection}/syncs/${ended}/cancel`),
  USER_EXISTS: () => asAdmin('POST', '/auth/users', { email: firstAdmin(api).email, role: 'auditor' }),
  BODY_TOO_LARGE: () => call('POST', '/banks/accounts', { bankCode: 'demo', title: 'x'.repeat(300_000) }),
  MEDIA_TYPE_UNSUPPORTED: () => call('POST', '/banks/accounts', '<xml/>', { 'content-type': 'application/xml' }),
  BANK_NOT_SUPPORTED: () => call('POST', '/banks/accounts', { bankCode: 'none', title: 'x' }),
  CREDENTIAL_MODE_MISMATCH: () => call('PUT', `/banks/accounts/${bare}/credentials`, { folder: 'x' }),
  IDEMPOTENCY_KEY_REUSED: async () => {
    const headers = { 'idempotency-key': 'reused' };
    await api.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'One' }, headers);
    return call('POST', '/banks/accounts', { bankCode: 'demo', title: 'Two' }, headers);
  },
  PASSWORD_WRONG: () =>
    asAdmin('POST', '/auth/me/password', { currentPassword: 'wrong', newPassword: 'another password' }),
  SCHEDULE_TOO_FREQUENT: () => call('POST', '/banks/schedules', { accountId: connection, cron: '* * * * *' }),
  PROVIDER_QUOTA_EXHAUSTED: async () => {
    const limited = { steps: [{ at: { operation: 'page', page: 1 }, do: 'rate-limit', retryAfterMs: 3_600_000 }] };
    const id = await connectDemoBank(api, { script: limited });
    await syncAndWait(api, id);
    const answer = await api.call('POST', `/banks/accounts/${id}/sync`);
    expect(Date.parse(String(answer.body.meta?.nextAllowedAt))).toBeGreaterThan(Date.now());
    return answer;
  },
  HEADERS_TOO_LARGE: () => sent(api.service.url, `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`),
  TENANT_LIMIT_REACHED: () =>
    withBroken(
      { tenantLimits: { add: () => Promise.reject(new TenantLimitReached('connections', 1)) } },
      '/banks/accounts',
      {
        method: 'POST',
        body: '{"bankCode":"demo","title":"One more"}',
      },
    ),
  TENANT_BUSY: () =>
    withBroken(
      { costlyRequests: createCostlyRequests({ requests: 0, exports: 0 }) },
      '/banks/analytics/queries/cash-flow/results',
    ),
  RATE_LIMITED: () =>
    withBroken(
      {
        signIn: { ...api.service.httpServices.signIn, logIn: async () => ({ outcome: 'busy', retryAfterSeconds: 3 }) },
      },
      '/auth/login',
      { method: 'POST', body: '{"email":"nobody@example.com","password":"x"}' },
    ),
  INTERNAL_ERROR: () =>
    withBroken({ authenticateKey: () => Promise.reject(new Error('a planted inner text')) }, '/banks/accounts'),
  DEPENDENCY_UNAVAILABLE: () =>
    withBroken(
      { commandLog: { ...logOf(api), readStreamPositions: () => Promise.reject(new LogUnavailable('down')) } },
      `/banks/transaction-rules/${rule}/pause`,
      { method: 'PATCH', body: '{"version":1}' },
    ),
  NOT_READY: () =>
    withBroken({ health: async () => [{ name: 'event store', state: 'down', ok: false }] }, '/health/ready'),
  READ_MODEL_BEHIND: async () => {
    const ahead = (await api.service.log.head()).replaceAll(/\d/g, '9');
    return call('GET', '/banks/accounts', undefined, { 'x-min-log-position': ahead });
  },
};

/** The log's methods bound to it, so that one can be replaced. */
function logOf({ service }: TestService): HttpServices['log'] {
  const { log } = service;
  return {
    append: (append) => log.append(append),
    appendMany: (appends) => log.appendMany(appends),
    readStream: (stream, options) => log.readStream(stream, options),
    readStreamPositions: (stream, options) => log.readStreamPositions(stream, options),
    readAll: (options) => log.readAll(options),
    subscribe: (options) => log.subscribe(options),
    head: () => log.head(),
    end: () => log.end(),
    remainder: (after) => log.remainder(after),
    ping: () => log.ping(),
    close: () => log.close(),
  };
}

describe('every code of the table', () => {
  it.each(Object.keys(errorCodes) as ErrorCode[])('%s', async (code) => {
    const { status, body } = await provocations[code]();
    expect([status, body.code]).toEqual([errorCodes[code][0], code]);
    const envelope = failureSchema.parse(body);
    expect(envelope.meta?.requestId).toEqual(expect.any(String));
    expect(JSON.stringify(body)).not.toContain('planted');
  });
});

describe('what the HTTP layer reveals', () => {
  it('is the same for a wrong secret, a wrong key and both', async () => {
    const bodies = await Promise.all(
      [{ 'x-api-secret': 'wrong' }, { 'x-api-key': 'wrong' }, { 'x-api-key': 'wrong', 'x-api-secret': 'wrong' }].map(
        async (headers) => {
          const { body } = await api.call('GET', '/banks/accounts', undefined, {
            ...headers,
            'x-request-id': 'fixed-id-1',
          });
          return body;
        },
      ),
    );
    expect(bodies[1]).toEqual(bodies[0]);
    expect(bodies[2]).toEqual(bodies[0]);
  });

  it('is nothing of a company outside the key', async () => {
    const outside = await api.call('GET', '/banks/accounts', undefined, { ...narrow, 'x-company-id': 'company-two' });
    expect([outside.status, outside.body.code]).toEqual([403, 'PERMISSION_DENIED']);
    const write = await api.call(
      'PATCH',
      `/banks/accounts/${connection}`,
      { title: 'x' },
      { 'x-company-id': 'company-two' },
    );
    expect([write.status, write.body.code]).toEqual([404, 'CONNECTION_NOT_FOUND']);
    const read = await api.call('GET', `/banks/accounts/${connection}`, undefined, { 'x-company-id': 'company-two' });
    expect([read.status, read.body.code]).toEqual([404, 'CONNECTION_NOT_FOUND']);
  });
});
