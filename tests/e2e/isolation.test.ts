import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role, SCOPES } from '../../src/events/tenancy.ts';
import { failureSchema } from '../../src/http/core/envelope.ts';
import { type Documented, documentedOperations, filledPath, parametersOf, type Schema } from '../support/documented.ts';
import {
  type Headers,
  OPERATOR_TOKEN,
  type PlantedCompany,
  type PlantedTenant,
  plantTenant,
  signedIn,
} from '../support/planted-tenant.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

/** Taken from the contract and not from the code. */
const GRANTED: Readonly<Record<Role, (scope: string) => boolean>> = {
  admin: () => true,
  operator: () => true,
  analyst: (scope) => ['transactions:read', 'rules:read', 'analytics:read'].includes(scope),
  auditor: (scope) => scope.endsWith(':read') || scope === 'audit:write',
};

const BY_PERSON = new Set(['user', 'admin']);
const AT_ONCE = 8;
/** Fewer than the costly requests that a tenant may have in progress, of which further ones are refused. */
const withinBudget = pLimit(24);

let api: TestService;
let operations: readonly Documented[];
let ours: PlantedTenant;
let theirs: PlantedTenant;
/** Ids that everybody is shown, such as those of a catalogue. */
const nobodys = new Set<string>();
/** Keys of ours. */
const keys = { revoked: {}, expired: {}, narrow: {} } as Record<'revoked' | 'expired' | 'narrow', Headers>;
const lacking = new Map<string, Headers>();
/** Of the service's clock before the system's. */
let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };

type Wire = {
  readonly status: number;
  readonly code: string | undefined;
  readonly meta: Record<string, unknown>;
  /** Empty where the answer is not JSON or holds none. */
  readonly result: { readonly items?: readonly { readonly id?: unknown }[]; readonly nextCursor?: string | null };
  readonly text: string;
  readonly head: string;
};

/** With nothing but the headers given. */
async function ask(method: string, path: string, headers: Headers, body?: unknown): Promise<Wire> {
  const sent = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const response = await fetch(`${api.service.url}${path}`, {
    method,
    headers: [...sent, ...(body === undefined ? [] : [['content-type', 'application/json'] as [string, string]])],
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const head = [...response.headers].map((header) => header.join(': ')).join('\n');
  const isJson = response.headers.get('content-type')?.includes('application/json') ?? false;
  const parsed = isJson ? JSON.parse(text) : {};
  if (isJson && response.status >= 400) failureSchema.parse(parsed);
  return {
    status: response.status,
    code: parsed.code,
    meta: parsed.meta ?? {},
    result: parsed.result ?? {},
    text,
    head,
  };
}

/** The body without what is every request's own. */
function bare({ status, text, meta }: Wire): string {
  return `${status} ${text.replaceAll(String(meta.requestId), 'requestId')}`;
}

/** Ids no one was ever given; no body, so that nothing is done where the caller may. */
function harmless(one: Documented): string {
  return filledPath(
    one,
    Object.fromEntries(parametersOf(one, 'path').map(({ name, schema }) => [name, unissued(schema)])),
  );
}

function unissued(schema: Schema): string {
  return String(schema.enum?.[0] ?? randomUUID());
}

/** What the request has to hold to be looked at: each required property, with the first thing that fits. */
function least(schema: Schema | undefined): unknown {
  if (schema === undefined) return undefined;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.example !== undefined) return schema.example;
  if (schema.anyOf !== undefined) {
    const {
      anyOf: [first = {}],
      ...shared
    } = schema;
    return least({ ...shared, ...first, required: [...(shared.required ?? []), ...(first.required ?? [])] });
  }
  switch (typeof schema.type === 'string' ? schema.type : schema.type?.[0]) {
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, least(schema.properties?.[name])]));
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => least(schema.items));
    case 'integer':
      return schema.minimum ?? 0;
    case 'boolean':
      return true;
    default:
      return 'a'.repeat(schema.minLength ?? 1);
  }
}

const allIds = (tenant: PlantedTenant): string[] => [...tenant.ids, ...tenant.companies.flatMap(({ ids }) => ids)];

/** Every choice of one value for each parameter of the path; one of a fixed few takes each of these. */
function everyPath(one: Documented, ids: readonly string[]): string[] {
  let choices: Record<string, string>[] = [{}];
  for (const { name, schema } of parametersOf(one, 'path')) {
    const values = schema.enum?.map(String) ?? ids;
    choices = choices.flatMap((chosen) => values.map((value) => ({ ...chosen, [name]: value })));
  }
  return choices.map((chosen) => filledPath(one, chosen));
}

/**
 * What the query has to hold to be looked at: what the document requires, and what the refusal of anything less names.
 */
async function neededQuery(one: Documented, headers: Headers): Promise<string> {
  const known = parametersOf(one, 'query');
  const needed = new Set(known.filter(({ required }) => required).map(({ name }) => name));
  const path = harmless(one);
  for (let round = 0; round < known.length; round += 1) {
    const values = known
      .filter(({ name }) => needed.has(name))
      .map(({ name, schema }) => `${name}=${momentOr(schema)}`);
    const query = values.length === 0 ? '' : `?${values.join('&')}`;
    const { code, meta } = await ask(
      one.method,
      path + query,
      headers,
      one.method === 'GET' ? undefined : least(one.body),
    );
    if (code !== 'VALIDATION_FAILED') return query;
    for (const issue of meta.issues as { path: string }[]) needed.add(issue.path);
  }
  return '';
}

/** Where a moment is asked for it is now, when everything is there. */
function momentOr(schema: Schema): string {
  const isMoment = /^\d{4}-\d{2}-\d{2}/.test(String(schema.example ?? ''));
  return encodeURIComponent(isMoment ? new Date().toISOString() : String(least(schema)));
}

async function each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** Asks no further than to the first that is found. */
async function isFound(paths: readonly string[], headers: Headers): Promise<boolean> {
  let found = false;
  await Promise.all(
    paths.map((path) =>
      withinBudget(async () => {
        if (found) return;
        const { status } = await ask('GET', path, headers);
        if (status !== 200) expect([path, status]).toEqual([path, 404]);
        found ||= status === 200;
      }),
    ),
  );
  return found;
}

/** What of theirs stands in the text, apart from what the request itself said. */
function leaked(text: string, request: string, tenant: PlantedTenant = theirs): string[] {
  const secrets = [...allIds(tenant), tenant.marker, tenant.admin.email, ...Object.values(tenant.key).map(String)];
  return secrets.filter((secret) => text.includes(secret) && !request.includes(secret));
}

function expectNothingOfTheirs(answer: Wire, request: string): void {
  expect([request, leaked(answer.text, request), leaked(answer.head, request)]).toEqual([request, [], []]);
}

/** What a company's lists show beside what was planted: a kind of thing that is new here comes along by its list. */
async function listedBy(tenant: PlantedTenant, company: PlantedCompany): Promise<string[]> {
  const found: string[] = [];
  const lists = ofTenants().filter(
    (one) => one.method === 'GET' && !one.path.includes('{') && !BY_PERSON.has(one.access ?? ''),
  );
  for (const one of lists) {
    const { result } = await ask('GET', one.path, { ...tenant.key, 'x-company-id': company.id });
    const [id] = (result.items ?? []).map((item) => item.id);
    if (typeof id === 'string' && !allIds(tenant).includes(id)) found.push(id);
  }
  return found;
}

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN }, clock });
  operations = await documentedOperations(api.service.url);
  theirs = await plantTenant(api, 'theirs');
  ours = await plantTenant(api, 'ours');
  for (const nth of [0, 1] as const) {
    const [one, other] = [theirs, ours].map((tenant) => tenant.companies[nth]) as [PlantedCompany, PlantedCompany];
    const [mine, yours] = [await listedBy(theirs, one), await listedBy(ours, other)];
    one.ids.push(...mine.filter((id) => !yours.includes(id)));
    other.ids.push(...yours.filter((id) => !mine.includes(id)));
    for (const id of mine.filter((shown) => yours.includes(shown))) nobodys.add(id);
  }
  const make = async (requested: Record<string, unknown>): Promise<Headers & { id: string }> => {
    const headers = { ...ours.roles.admin };
    const made = await api.call<{ id: string; key: string; secret: string }>(
      'POST',
      '/auth/api-keys',
      requested,
      headers,
    );
    if (made.status !== 201) throw new Error(JSON.stringify(made.body));
    const { id, key, secret } = made.body.result;
    await api.service.httpServices.waitFor(['api-keys'], made.headers.get('x-log-position') ?? '', 60_000);
    return { id, 'x-api-key': key, 'x-api-secret': secret };
  };
  const { id, ...revoked } = await make({ name: 'Revoked', scopes: SCOPES });
  await api.call('POST', `/auth/api-keys/${id}/revoke`, {}, { ...ours.roles.admin });
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  const { id: _, ...expired } = await make({ name: 'Expired', scopes: SCOPES, expiresAt });
  const { id: __, ...narrow } = await make({ name: 'Narrow', scopes: SCOPES, companies: [ours.companies[0].id] });
  Object.assign(keys, { revoked, expired, narrow });
  for (const scope of SCOPES) {
    const { id: ___, ...key } = await make({ name: scope, scopes: SCOPES.filter((other) => other !== scope) });
    lacking.set(scope, key);
  }
  // Enough for the key to run out, and not for the tokens.
  aheadMs = 61_000;
}, 200_000);
afterAll(() => api?.stop());

const guarded = (): Documented[] => operations.filter(({ access }) => access !== null);
const ofTenants = (): Documented[] => guarded().filter(({ access }) => access !== 'operator-token');
const withIds = (): Documented[] =>
  ofTenants().filter((one) => parametersOf(one, 'path').some(({ schema }) => schema.enum === undefined));

/** What comes of a key that is not in force: what belongs to a person or the operator does not look at keys. */
function refusalOfKey({ access }: Documented): string {
  return BY_PERSON.has(access ?? '') || access === 'operator-token'
    ? 'AUTHENTICATION_REQUIRED'
    : 'AUTHENTICATION_INVALID';
}

async function refusals(
  headersOf: (one: Documented) => Headers,
  expected: (one: Documented) => readonly [number, string],
): Promise<void> {
  await each(guarded(), async (one) => {
    const answer = await ask(one.method, harmless(one), headersOf(one));
    expect([one.id, answer.status, answer.code]).toEqual([one.id, ...expected(one)]);
    expectNothingOfTheirs(answer, one.id);
  });
}

describe('every operation of the document', () => {
  it('says who may', () => {
    const open = operations.filter(({ access }) => access === null).map(({ path }) => path);
    expect(
      open.filter(
        (path) => !/^\/(health\/|version$|auth\/(login|refresh|logout|session|session\/refresh)$)/.test(path),
      ),
    ).toEqual([]);
    const known: readonly string[] = ['caller', 'user', 'admin', 'operator-token', ...SCOPES];
    expect(guarded().filter(({ access }) => !known.includes(access ?? ''))).toEqual([]);
    expect(guarded().length).toBeGreaterThan(60);
  });

  it('refuses missing credentials, and half a key', async () => {
    const required = () => [401, 'AUTHENTICATION_REQUIRED'] as const;
    await refusals(() => ({}), required);
    await refusals(() => ({ 'x-api-key': ours.key['x-api-key'] }), required);
    await refusals(() => ({ 'x-api-secret': ours.key['x-api-secret'] }), required);
    await refusals(() => ({ ...ours.key, 'x-api-secret': '' }), required);
    await refusals(() => ({ authorization: 'Basic YTpi' }), required);
  });

  it('refuses a wrong secret, a revoked, an expired and an unknown key, in the same words', async () => {
    const invalid = (one: Documented) => [401, refusalOfKey(one)] as const;
    const wrong = [
      { ...ours.key, 'x-api-secret': theirs.key['x-api-secret'] },
      keys.revoked,
      keys.expired,
      { ...ours.key, 'x-api-key': `bck_${randomUUID()}` },
    ];
    for (const headers of wrong) await refusals(() => headers, invalid);
    await each(guarded(), async (one) => {
      const answers = await Promise.all(wrong.map((headers) => ask(one.method, harmless(one), headers)));
      expect([one.id, new Set(answers.map(bare)).size]).toEqual([one.id, 1]);
    });
  });

  it('refuses a token that was changed, and text that is not a token', async () => {
    const [head, payload, seal] = String(ours.roles.admin.authorization).split('.');
    const [, , foreign] = String(theirs.roles.admin.authorization).split('.');
    const claims = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const token of [`${head}.${payload}.${foreign}`, `Bearer ${claims}.${payload}.`, `Bearer ${seal}`]) {
      await refusals(
        () => ({ authorization: token }),
        () => [401, 'AUTHENTICATION_INVALID'],
      );
    }
  });

  it('refuses a key that has every scope but the one it asks for', async () => {
    await each(guarded(), async (one) => {
      const key = lacking.get(one.access ?? '');
      const answer = await ask(one.method, harmless(one), key ?? lacking.get('rules:read') ?? {});
      if (one.access === 'caller') expect([one.id, answer.status]).toEqual([one.id, 200]);
      else if (key === undefined) expect([one.id, answer.code]).toEqual([one.id, 'AUTHENTICATION_REQUIRED']);
      else
        expect([one.id, answer.status, answer.code, answer.meta.required]).toEqual([
          one.id,
          403,
          'PERMISSION_DENIED',
          one.access,
        ]);
      expectNothingOfTheirs(answer, one.id);
    });
  });

  it.each(ROLES.map((role) => [role]))('lets the %s do what the role may, and nothing else', async (role) => {
    await each(guarded(), async (one) => {
      const access = one.access ?? '';
      const headers = { ...ours.roles[role], 'x-company-id': ours.companies[0].id };
      const answer = await ask(one.method, harmless(one), headers);
      const may =
        access === 'user' || access === 'caller' || (access === 'admin' ? role === 'admin' : GRANTED[role](access));
      if (access === 'operator-token') expect([one.id, answer.code]).toEqual([one.id, 'AUTHENTICATION_INVALID']);
      else if (may) expect([one.id, [401, 403].includes(answer.status)]).toEqual([one.id, false]);
      else
        expect([one.id, answer.status, answer.code, answer.meta.required]).toEqual([
          one.id,
          403,
          'PERMISSION_DENIED',
          access,
        ]);
      expectNothingOfTheirs(answer, one.id);
    });
  });

  it('answers for a company of another tenant as for one that never existed', async () => {
    const callers = (one: Documented): Headers => (BY_PERSON.has(one.access ?? '') ? ours.roles.admin : ours.key);
    await each(ofTenants(), async (one) => {
      for (const headers of [callers(one), ours.roles.admin]) {
        const foreign = await ask(one.method, harmless(one), { ...headers, 'x-company-id': theirs.companies[0].id });
        const unknown = await ask(one.method, harmless(one), { ...headers, 'x-company-id': randomUUID() });
        expect([one.id, foreign.status, foreign.code]).toEqual([one.id, 404, 'COMPANY_NOT_FOUND']);
        expect(bare(foreign)).toBe(bare(unknown));
      }
    });
  });

  it('needs a company for a write, and one of the key’s', async () => {
    await each(
      ofTenants().filter(({ access }) => !BY_PERSON.has(access ?? '')),
      async (one) => {
        const none = await ask(one.method, harmless(one), ours.key);
        const expected = one.method === 'GET' ? [one.id, false] : [one.id, true];
        expect([one.id, none.code === 'COMPANY_REQUIRED']).toEqual(expected);
        const outside = await ask(one.method, harmless(one), { ...keys.narrow, 'x-company-id': ours.companies[1].id });
        expect([one.id, outside.status, outside.meta.required]).toEqual([one.id, 403, 'company']);
      },
    );
  });
});

/** Asks with each of the ids as with one never issued, and holds the answers against each other. */
async function doNotExist(
  ids: readonly string[],
  headersOf: (one: Documented) => readonly Headers[],
  some = withIds(),
): Promise<void> {
  await each(some, async (one) => {
    const body = one.method === 'GET' ? undefined : least(one.body);
    for (const headers of headersOf(one)) {
      const suffix = await neededQuery(one, headers);
      const unknown = await ask(one.method, everyPath(one, [randomUUID()])[0] + suffix, headers, body);
      expect([one.id, unknown.status, unknown.code !== 'ROUTE_NOT_FOUND']).toEqual([one.id, 404, true]);
      for (const path of everyPath(one, ids)) {
        const request = `${one.method} ${path}${suffix}`;
        const foreign = await ask(one.method, path + suffix, headers, body);
        expect([request, bare(foreign)]).toEqual([request, bare(unknown)]);
        expectNothingOfTheirs(foreign, request);
      }
    }
  });
}

describe('the id of another', () => {
  const asOurs = (one: Documented): Headers[] =>
    (BY_PERSON.has(one.access ?? '') ? [ours.roles.admin] : [ours.key, ours.roles.admin]).map((headers) => ({
      ...headers,
      'x-company-id': ours.companies[0].id,
    }));

  it('tenant is one never issued, anywhere in a path', async () => {
    await doNotExist(allIds(theirs), asOurs);
  });

  it('tenant is one never issued, also below an id of our own', async () => {
    const two = withIds().filter(
      (one) => parametersOf(one, 'path').filter(({ schema }) => schema.enum === undefined).length > 1,
    );
    expect(two.length).toBeGreaterThan(1);
    await each(two, async (one) => {
      const [first, ...rest] = parametersOf(one, 'path');
      for (const own of ours.companies[0].ids) {
        for (const id of [randomUUID(), ...allIds(theirs)]) {
          const values = Object.fromEntries([[first?.name, own], ...rest.map(({ name }) => [name, id])]);
          const path = filledPath(one, values);
          const headers = { ...ours.key, 'x-company-id': ours.companies[0].id };
          const answer = await ask(one.method, path, headers, one.method === 'GET' ? undefined : least(one.body));
          expect([path, answer.status]).toEqual([path, 404]);
          expectNothingOfTheirs(answer, path);
        }
      }
    });
  });

  it('company is one never issued, for a key of one company and where x-company-id names one', async () => {
    const scoped = withIds().filter(({ access }) => !BY_PERSON.has(access ?? ''));
    const named = { 'x-company-id': ours.companies[0].id };
    await doNotExist(
      ours.companies[1].ids,
      (one) => [
        { ...keys.narrow, ...named },
        { ...ours.key, ...named },
        ...(one.method === 'GET' ? [keys.narrow] : []),
      ],
      scoped,
    );
  });

  it('user, key or tenant is one never issued, for a key limited to a company', async () => {
    const scoped = withIds().filter(({ access, method }) => !BY_PERSON.has(access ?? '') && method === 'GET');
    const named = { 'x-company-id': ours.companies[0].id };
    await doNotExist(ours.ids, () => [keys.narrow, { ...keys.narrow, ...named }], scoped);
    const visible = await ask('GET', `/banks/audit/history/user/${ours.ids[1]}`, ours.key);
    expect(visible.status).toBe(200);
  });

  it('would be found by who owns it', async () => {
    await each(
      withIds().filter(({ method }) => method === 'GET'),
      async (one) => {
        const [company] = theirs.companies;
        const headers = BY_PERSON.has(one.access ?? '')
          ? theirs.roles.admin
          : { ...theirs.key, 'x-company-id': company.id };
        const suffix = await neededQuery(one, headers);
        const paths = everyPath(one, [...theirs.ids, ...company.ids, ...nobodys]).map((path) => path + suffix);
        expect([one.id, await isFound(paths, headers)]).toEqual([one.id, true]);
      },
    );
  });
});

describe('whatever we read', () => {
  /** Every page of every list, with and without a company, and every thing of our own. */
  async function everything(tenant: PlantedTenant, see: (request: string, answer: Wire) => void): Promise<void> {
    await each(
      ofTenants().filter(({ method }) => method === 'GET'),
      async (one) => {
        const credentials = BY_PERSON.has(one.access ?? '') ? [tenant.roles.admin] : [tenant.key, tenant.roles.admin];
        for (const headers of credentials) {
          const needed = await neededQuery(one, headers);
          for (const path of everyPath(one, allIds(tenant))) {
            const hasLimit = parametersOf(one, 'query').some(({ name }) => name === 'limit');
            const suffix = hasLimit ? '?limit=200' : needed;
            for (let cursor: string | null = ''; cursor !== null; ) {
              const answer = await ask(
                'GET',
                `${path}${suffix}${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
                headers,
              );
              see(`${one.id} ${path}`, answer);
              cursor = answer.result.nextCursor ?? null;
            }
          }
        }
      },
    );
  }

  it('contains nothing of theirs, in bodies, headers and CSV, and everything of ours', async () => {
    const holdsOurs = new Set<string>();
    const lists = new Set<string>();
    await everything(ours, (request, answer) => {
      expectNothingOfTheirs(answer, request);
      const [id = ''] = request.split(' ');
      if (answer.result.items !== undefined) lists.add(id);
      if (leaked(answer.text, request, ours).length > 0) holdsOurs.add(id);
    });
    const silent = ofTenants().filter(({ id, path }) => !path.includes('{') && lists.has(id) && !holdsOurs.has(id));
    // What is nobody's own is not empty, and the same to all.
    for (const one of silent) {
      const [mine, other] = await Promise.all([ours, theirs].map(({ key }) => ask('GET', one.path, key)));
      expect([one.id, mine?.result.items?.length ?? 0]).not.toEqual([one.id, 0]);
      expect(mine?.result).toEqual(other?.result);
    }
  });

  it('a cursor of theirs gives access to nothing of ours', async () => {
    await each(
      ofTenants().filter(
        (one) => parametersOf(one, 'query').some(({ name }) => name === 'cursor') && !one.path.includes('{'),
      ),
      async (one) => {
        const as = (tenant: PlantedTenant): Headers =>
          BY_PERSON.has(one.access ?? '') ? tenant.roles.admin : tenant.key;
        const first = await ask('GET', `${one.path}?limit=1`, as(theirs));
        const { nextCursor = null } = first.result;
        if (nextCursor === null) return;
        const answer = await ask('GET', `${one.path}?limit=1&cursor=${encodeURIComponent(nextCursor)}`, as(ours));
        expect([one.id, answer.status, answer.code]).toEqual([one.id, 400, 'CURSOR_INVALID']);
      },
    );
  });

  it('as a key of one company holds nothing of another', async () => {
    const [, other] = ours.companies;
    await everything({ ...ours, key: keys.narrow, roles: { ...ours.roles, admin: keys.narrow } }, (request, answer) => {
      const found = [...other.ids, other.marker, ours.admin.email].filter(
        (text) => answer.text.includes(text) && !request.includes(text),
      );
      expect([request, found]).toEqual([request, []]);
    });
  });
});

/** Paths of the properties of a body in which an id may stand. */
function idSlots(schema: Schema | undefined, at: readonly string[] = []): string[][] {
  if (schema === undefined) return [];
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const here = [...at, name];
    return /(Id|Ids|^companies)$/.test(name) && name !== 'externalId' ? [here] : idSlots(part, here);
  });
  return own;
}

function withValue(
  body: unknown,
  [name = '', ...rest]: readonly string[],
  id: string,
  schema: Schema | undefined,
): unknown {
  const part = schema?.properties?.[name];
  const inside = (body as Record<string, unknown> | undefined)?.[name];
  const value = rest.length > 0 ? withValue(inside ?? {}, rest, id, part) : part?.items === undefined ? id : [id];
  return { ...(body as object), [name]: value };
}

describe('an id of another tenant inside a request', () => {
  it('is one never issued in every property of every body', async () => {
    const slots = ofTenants().flatMap((one) => idSlots(one.body).map((slot) => [one, slot] as const));
    expect(slots.map(([one]) => one.id)).toEqual(
      expect.arrayContaining(['createSchedule', 'backfillRule', 'createApiKey', 'changeMe']),
    );
    await each(slots, async ([one, slot]) => {
      const headers = {
        ...(BY_PERSON.has(one.access ?? '') ? ours.roles.admin : ours.key),
        'x-company-id': ours.companies[0].id,
      };
      for (const path of everyPath(one, [randomUUID(), ...ours.companies[0].ids])) {
        for (const id of allIds(theirs)) {
          const unknownId = randomUUID();
          const given = (value: string) =>
            ask(one.method, path, headers, withValue(least(one.body), slot, value, one.body));
          const [foreign, unknown] = [await given(id), await given(unknownId)];
          expect([one.id, slot, foreign.status, foreign.code]).toEqual([one.id, slot, unknown.status, unknown.code]);
          if (foreign.status >= 400)
            expect(bare(foreign).replaceAll(id, 'id')).toBe(bare(unknown).replaceAll(unknownId, 'id'));
          expectNothingOfTheirs(foreign, `${one.id} ${id}`);
        }
      }
    });
  });

  it('finds in every list what one never issued finds', async () => {
    const headers = { 'x-company-id': ours.companies[0].id };
    await each(
      ofTenants().filter((one) => one.method === 'GET'),
      async (one) => {
        const credentials = BY_PERSON.has(one.access ?? '') ? ours.roles.admin : ours.key;
        const [path = ''] = everyPath(one, [ours.companies[0].ids[1] ?? '']);
        for (const { name, schema } of parametersOf(one, 'query')) {
          if (
            schema.enum !== undefined ||
            schema.type !== 'string' ||
            schema.example !== undefined ||
            name === 'cursor'
          )
            continue;
          for (const value of [
            ...allIds(theirs),
            theirs.marker,
            theirs.admin.email,
            `${theirs.marker}:${theirs.marker}:${theirs.marker}`,
          ]) {
            const request = `${path}?${name}=${encodeURIComponent(value)}`;
            const answer = await ask('GET', request, { ...credentials, ...headers });
            expectNothingOfTheirs(answer, `${request} ${value}`);
            if (answer.result.items !== undefined) {
              expect([request, answer.result.items]).toEqual([request, []]);
            }
          }
        }
      },
    );
  });
});

describe('all that was asked', () => {
  it('left no text of others in the log, and no id of theirs in a line about us', () => {
    const lines = api.logLines.map((line) => JSON.parse(line) as { tenant?: string; path?: string });
    const about = lines.filter(({ tenant }) => tenant === ours.id);
    expect(about.length).toBeGreaterThan(1_000);
    // The path is what we asked for ourselves.
    for (const { path: _, ...line } of about) expect(leaked(JSON.stringify(line), '')).toEqual([]);
    for (const { marker } of [ours, theirs]) expect(api.logLines.filter((line) => line.includes(marker))).toEqual([]);
  });

  it('continues after a new sign-in', async () => {
    expect((await ask('GET', '/auth/me', await signedIn(api, ours.admin))).status).toBe(200);
  });
});
