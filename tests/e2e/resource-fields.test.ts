import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApiDocument } from '../../src/http/reference/openapi.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { connectDemoBank, startTestService, type TestService } from '../support/test-service.ts';

type Fields = Readonly<Record<string, unknown>>;

/** A resource that people create and change: every field they can send, and where it must show. */
type Resource = {
  readonly create: { readonly path: string; readonly operation: string; readonly body: () => Fields };
  /** Fields of the body that no answer shows, and fields that replace another one. */
  readonly hidden: readonly string[];
  /** Changes, one field each, with what they make of the resource where that is more than the field. */
  readonly change: {
    readonly operation: string;
    readonly values: readonly Fields[];
    readonly shows?: readonly Fields[];
  };
  readonly detail: boolean;
  readonly entityType: string;
};

let api: TestService;
let admin: Record<string, string | undefined>;
let connectionId = '';

beforeAll(async () => {
  api = await startTestService();
  admin = bearer((await signIn(api)).accessToken);
  connectionId = await connectDemoBank(api);
});
afterAll(() => api.stop());

/** A new field must get values here: the first test of each resource compares them with the OpenAPI document. */
const RESOURCES: Readonly<Record<string, Resource>> = {
  connection: {
    create: {
      path: '/banks/accounts',
      operation: 'openConnection',
      body: () => ({ bankCode: 'demo', title: 'First title', environment: 'demo' }),
    },
    hidden: [],
    change: { operation: 'changeConnection', values: [{ title: 'Other title' }, { status: false }] },
    detail: true,
    entityType: 'connection',
  },
  schedule: {
    create: {
      path: '/banks/schedules',
      operation: 'createSchedule',
      body: () => ({
        accountId: connectionId,
        title: 'First title',
        cron: '0 5 * * *',
        timezone: 'Europe/Istanbul',
        status: 'paused',
      }),
    },
    hidden: ['everyMinutes'],
    change: {
      operation: 'changeSchedule',
      values: [{ title: 'Other title' }, { cron: '30 6 * * 1' }, { timezone: 'Europe/Berlin' }, { everyMinutes: 90 }],
      shows: [{}, {}, {}, { cron: null }],
    },
    detail: true,
    entityType: 'schedule',
  },
  webhook: {
    create: {
      path: '/banks/webhooks',
      operation: 'createWebhook',
      body: () => ({
        url: 'https://receiver.example/first',
        types: ['rule.updated'],
        companies: ['company-one'],
        description: 'First description',
      }),
    },
    hidden: ['from'],
    change: {
      operation: 'changeWebhook',
      values: [
        { url: 'https://receiver.example/other' },
        { types: ['*'] },
        { companies: ['company-one'], description: 'Other description' },
      ],
    },
    detail: true,
    entityType: 'webhook',
  },
  user: {
    create: {
      path: '/auth/users',
      operation: 'addUser',
      body: () => ({
        email: `${randomUUID()}@example.com`,
        role: 'analyst',
        displayName: 'First name',
        password: 'a planted password',
      }),
    },
    hidden: ['password'],
    change: {
      operation: 'changeUser',
      values: [{ role: 'auditor' }, { status: 'disabled' }, { outsideLogin: 'allowed' }],
    },
    detail: false,
    entityType: 'user',
  },
  company: {
    create: {
      path: '/auth/companies',
      operation: 'createCompany',
      body: () => ({ name: 'First name', automation: false }),
    },
    hidden: [],
    change: { operation: '', values: [] },
    detail: false,
    entityType: 'company',
  },
  'API key': {
    create: {
      path: '/auth/api-keys',
      operation: 'createApiKey',
      body: () => ({
        name: 'First name',
        scopes: ['rules:read'],
        companies: ['company-one'],
        expiresAt: '2099-01-01T00:00:00.000Z',
      }),
    },
    hidden: [],
    change: { operation: '', values: [] },
    detail: false,
    entityType: 'api-key',
  },
};

type Operation = {
  operationId: string;
  requestBody?: { content: Record<string, { schema: { properties?: object; $ref?: string } }> };
};

/** The names of the body's fields by the OpenAPI document; none for an operation that does not exist. */
function bodyFields(operationId: string): string[] {
  const document = JSON.parse(JSON.stringify(openApiDocument()));
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object)) as Operation[];
  const found = operations.find((operation) => operation.operationId === operationId);
  const schema = found?.requestBody?.content['application/json']?.schema;
  const name = schema?.$ref?.split('/').at(-1);
  const { properties = {} } = name === undefined ? (schema ?? {}) : document.components.schemas[name];
  return Object.keys(properties).sort();
}

/** Of all companies: with `x-company-id` a list holds one company's only. */
const headers = (position: string) => ({
  ...admin,
  'x-company-id': undefined,
  'x-min-log-position': position === '' ? undefined : position,
});

async function read<Result>(path: string, position: string): Promise<Result> {
  const { status, body } = await api.call<Result>('GET', path, undefined, headers(position));
  expect([path, status]).toEqual([path, 200]);
  return body.result;
}

async function expectEverywhere(resource: Resource, id: string, position: string, wanted: Fields): Promise<void> {
  const { path } = resource.create;
  const { items } = await read<{ items: { id: string }[] }>(`${path}?limit=200`, position);
  expect(items.find((item) => item.id === id)).toMatchObject(wanted);
  if (resource.detail) expect(await read(`${path}/${id}`, position)).toMatchObject(wanted);
  const history = `/banks/audit/history/${resource.entityType}/${id}`;
  const { entity } = await read<{ entity: unknown }>(`${history}/as-of?position=${position}`, position);
  expect(entity).toMatchObject(wanted);
}

describe.each(Object.entries(RESOURCES))('each field of a %s', (_name, resource) => {
  const { create, change, hidden } = resource;

  it('has values to send', () => {
    const sent = [...Object.keys(create.body()), ...hidden.filter((name) => !(name in create.body()))];
    expect(sent.sort()).toEqual(bodyFields(create.operation));
    expect(change.values.flatMap(Object.keys).sort()).toEqual(bodyFields(change.operation));
  });

  it('is created, changed alone, read, listed, seen as of a position and in the history', async () => {
    const body = create.body();
    const created = await api.call<{ id: string }>('POST', create.path, body, admin);
    expect(created.status).toBe(201);
    const { id } = created.body.result;
    let position = created.headers.get('x-log-position') ?? '';
    let wanted: Fields = Object.fromEntries(Object.entries(body).filter(([name]) => !hidden.includes(name)));
    expect(created.body.result).toMatchObject(wanted);
    await expectEverywhere(resource, id, position, wanted);
    for (const [nth, values] of change.values.entries()) {
      const changed = await api.call('PATCH', `${create.path}/${id}`, values, admin);
      expect([values, changed.status]).toEqual([values, 200]);
      position = changed.headers.get('x-log-position') ?? '';
      wanted = { ...wanted, ...values, ...change.shows?.[nth] };
      expect(changed.body.result).toMatchObject(wanted);
      await expectEverywhere(resource, id, position, wanted);
    }
    const history = await read<{ items: { changes: { path: string }[] }[] }>(
      `/banks/audit/history/${resource.entityType}/${id}`,
      position,
    );
    const changedPaths = history.items.flatMap(({ changes }) => changes.map(({ path }) => path.split('.')[0]));
    expect(changedPaths).toEqual(expect.arrayContaining(Object.keys(wanted)));
  });
});

describe('each field of a profile', () => {
  const values = {
    displayName: 'Other name',
    locale: 'de-DE',
    timezone: 'Europe/Berlin',
    defaultCompanyId: 'company-one',
  };

  it('has values to send', () => {
    expect(Object.keys(values).sort()).toEqual(bodyFields('changeMe'));
  });

  it('is changed alone, read, listed and seen as of a position', async () => {
    const { id } = await read<{ id: string }>('/auth/me', '');
    let wanted: Fields = {};
    for (const [name, value] of Object.entries(values)) {
      const changed = await api.call('PATCH', '/auth/me', { [name]: value }, admin);
      expect([name, changed.status]).toEqual([name, 200]);
      const position = changed.headers.get('x-log-position') ?? '';
      wanted = { ...wanted, [name]: value };
      expect(changed.body.result).toMatchObject(wanted);
      expect(await read('/auth/me', position)).toMatchObject(wanted);
      const { items } = await read<{ items: { id: string }[] }>('/auth/users?limit=200', position);
      expect(items.find((item) => item.id === id)).toMatchObject(wanted);
      const asOf = await read<{ entity: unknown }>(
        `/banks/audit/history/user/${id}/as-of?position=${position}`,
        position,
      );
      expect(asOf.entity).toMatchObject(wanted);
    }
  });
});
