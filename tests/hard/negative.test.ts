import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { failureSchema } from '../../src/http/core/envelope.ts';
import { arbitraryOf } from '../support/arbitrary-of.ts';
import {
  type Documented,
  documentedOperations,
  filledPath,
  type Parameter,
  parametersOf,
  type Schema,
} from '../support/documented.ts';
import { seededRandom } from '../support/random.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';

const SEED = 20_261_121;
const INVALID = 300;
const VALID = 100;
/** Where each costs a hash that is slow on purpose. */
const VALID_SLOW = 10;
const AT_ONCE = 16;
const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';

type Sent = {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What was done to it. */
  readonly kind: string;
  /** Not so where the service may overlook what is wrong, such as a header it does not read. */
  readonly refused: boolean;
};

type Got = { readonly status: number; readonly type: string; readonly text: string };

let api: TestService;
let operations: readonly Documented[];
let token: string;
/** Of what is there and changes no more: an archived connection and an archived rule. */
let ids: readonly string[];
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  api = await startTestService({ environment: { OPERATOR_TOKEN } });
  operations = await documentedOperations(api.service.url);
  token = String(bearer((await signIn(api)).accessToken).authorization);
  const opened = await api.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Archived' });
  await api.call('POST', `/banks/accounts/${opened.body.result.id}/archive`);
  const draft = {
    name: 'Archived',
    conditions: { combinator: 'any', children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: '1' } }],
  };
  const rule = await api.call<{ id: string }>('POST', '/banks/transaction-rules', draft);
  await api.call('PATCH', `/banks/transaction-rules/${rule.body.result.id}/archive`, { version: 1 });
  ids = [opened.body.result.id, rule.body.result.id];
});
afterAll(async () => {
  agent.destroy();
  await api?.stop();
});

function send({ method, path, headers, body }: Sent): Promise<Got> {
  return new Promise((done, fail) => {
    const length: Record<string, string> =
      body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const sending = request(
      `${api.service.url}${path}`,
      { method, agent, headers: { ...headers, ...length } },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', (error) => done({ status: 0, type: '', text: `broken off: ${error.message}` }));
        incoming.on('end', () =>
          done({
            status: incoming.statusCode ?? 0,
            type: incoming.headers['content-type'] ?? '',
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sending.on('error', (error) => fail(new Error(`${method} ${path.slice(0, 200)}`, { cause: error })));
    sending.end(body);
  });
}

/** Everybody's credentials at once: each operation takes those it looks at. */
function credentials({ access }: Documented): Record<string, string> {
  return {
    'x-api-key': api.key,
    'x-api-secret': api.secret,
    authorization: access === 'operator-token' ? `Bearer ${OPERATOR_TOKEN}` : token,
    'x-company-id': COMPANY,
  };
}

/** A list stands in a query as its items with commas between them; it has one at least. */
function queryText(value: unknown, { items }: Parameter['schema']): string {
  if (!Array.isArray(value)) return String(value);
  return [String(items?.enum?.[0] ?? 'a'), ...value.map((item) => String(item).replaceAll(',', ''))].join(',');
}

/** Cursors are made by the service, and a wait of seconds shows nothing more. */
const LEFT_OUT = new Set(['cursor', 'after', 'wait']);

/**
 * Of some parameters exactly one, which is what words alone say: parameters cannot exclude each other in the document.
 * With what the first one is given where neither is there.
 */
const EITHER_OR = [
  ['at', 'position', '2026-01-31'],
  ['cron', 'everyMinutes', '0 6 * * 1-5'],
] as const;

function eitherOr(query: Record<string, string>, parameters: readonly Parameter[]): Record<string, string> {
  const found = EITHER_OR.find((pair) => pair.slice(0, 2).every((one) => parameters.some(({ name }) => name === one)));
  if (found === undefined) return query;
  const [first, second, unless] = found;
  const { [first]: value = unless, ...others } = query;
  return others[second] === undefined ? { ...others, [first]: value } : others;
}

/** Something that fits everywhere. */
function fitting(one: Documented): fc.Arbitrary<Sent> {
  const path = fc.record(
    Object.fromEntries(
      parametersOf(one, 'path').map(({ name, schema }) => [
        name,
        schema.enum === undefined
          ? fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...ids) }, { weight: 1, arbitrary: fc.uuid() })
          : arbitraryOf(schema).map(String),
      ]),
    ),
  );
  const parameters = parametersOf(one, 'query').filter(({ name }) => !LEFT_OUT.has(name));
  const query = fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema }) => [name, arbitraryOf(schema).map((value) => queryText(value, schema))]),
    ),
    { requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) },
  );
  const body = one.body === undefined ? fc.constant(undefined) : arbitraryOf(one.body);
  return fc.record({ path, query, body }).map((parts) => {
    const search = new URLSearchParams(eitherOr(parts.query as Record<string, string>, parameters)).toString();
    return {
      method: one.method,
      path: `${filledPath(one, parts.path)}${search === '' ? '' : `?${search}`}`,
      headers: { ...credentials(one), ...(parts.body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(parts.body === undefined ? {} : { body: JSON.stringify(parts.body) }),
      kind: 'valid',
      refused: false,
    };
  });
}

const ODD_TEXTS = [
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\udc00x',
  '\u202e',
  '\ufeff',
  '\u{10ffff}',
  '‮',
  'a'.repeat(100_000),
  '../../etc/passwd',
  "'; DROP TABLE x; --",
  '{"$gt":""}',
  '$where',
  '__proto__',
  '%00',
  '%',
  '\\',
  '\r\nx: y',
  '🏳️‍🌈',
  'İıſß',
  '٣',
  '1e400',
  'NaN',
  '-0',
];
const ODD_NUMBERS = [-1, 0, 0.5, -0, 1e308, 2 ** 31, 2 ** 53, 2 ** 63, Number.MIN_VALUE];

/** Values that the schema does not allow, each with the name of what is wrong. */
function unfit(schema: Schema, deep = 0): [string, unknown][] {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  const has = (type: string): boolean => types.length === 0 || types.includes(type);
  const wrong: [string, unknown][] = [];
  if (types.length > 0 || schema.enum !== undefined) {
    if (!has('string')) wrong.push(['a text', 'x'], ['an empty text', '']);
    if (!has('number') && !has('integer')) wrong.push(['a number', 7], ['a huge number', 1e308]);
    if (!has('boolean')) wrong.push(['a flag', true]);
    if (!has('null')) wrong.push(['null', null]);
    if (!has('array')) wrong.push(['a list', []], ['a list in lists', [[[[]]]]]);
    if (!has('object')) wrong.push(['an object', {}], ['an operator', { $gt: '' }]);
  }
  const {
    minLength = 0,
    maxLength,
    minimum,
    maximum,
    minItems = 0,
    maxItems,
    items,
    properties = {},
    required = [],
  } = schema;
  if (schema.enum !== undefined)
    return [
      ...wrong,
      ['none of the few', 'none of these'],
      ...schema.enum.map((one): [string, unknown] => ['other case', `${one} `]),
    ];
  if (minLength > 0) wrong.push(['too short', 'a'.repeat(minLength - 1)]);
  if (has('string') && maxLength !== undefined)
    wrong.push(['too long', 'a'.repeat(maxLength + 1)], ['far too long', 'ж'.repeat(100_000)]);
  if (minimum !== undefined) wrong.push(['too small', minimum - 1], ['far too small', -1e300]);
  if (maximum !== undefined) wrong.push(['too large', maximum + 1], ['far too large', 1e300]);
  if (types.includes('integer')) wrong.push(['a fraction', (minimum ?? 0) + 0.5]);
  if (schema.pattern !== undefined)
    wrong.push(
      ...ODD_TEXTS.filter((text) => !new RegExp(schema.pattern ?? '').test(text)).map((text): [string, unknown] => [
        'out of form',
        text,
      ]),
    );
  if (items !== undefined) {
    if (minItems > 0) wrong.push(['too few', []]);
    const [some] = fc.sample(arbitraryOf(items), { numRuns: 1, seed: SEED });
    if (maxItems !== undefined) wrong.push(['too many', Array.from({ length: maxItems + 1 }, () => some)]);
    if (schema.uniqueItems) wrong.push(['one twice', [some, some]]);
    if (deep < 4)
      wrong.push(...unfit(items, deep + 1).map(([kind, value]): [string, unknown] => [`${kind} in a list`, [value]]));
  }
  if (types.includes('object')) {
    const [whole] = fc.sample(arbitraryOf(schema), { numRuns: 1, seed: SEED }) as Record<string, unknown>[];
    if (schema.additionalProperties === false) {
      for (const name of ['extra', '__proto__', 'constructor', '', '$set', 'tenantId', 'a.b']) {
        wrong.push(['one more', Object.fromEntries([...Object.entries(whole ?? {}), [name, 1]])]);
      }
    }
    for (const name of required) {
      const { [name]: _, ...rest } = whole ?? {};
      wrong.push([`no ${name}`, rest]);
    }
    if (deep < 4) {
      for (const [name, part] of Object.entries(properties)) {
        wrong.push(
          ...unfit(part, deep + 1).map(([kind, value]): [string, unknown] => [
            `${name}: ${kind}`,
            { ...whole, [name]: value },
          ]),
        );
      }
    }
  }
  return wrong;
}

const deepList = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** What is wrong with a body before anything of it is looked at. */
const BROKEN_BODIES: readonly (readonly [string, string])[] = [
  ['nothing', ''],
  ['half of it', '{"a":'],
  ['two', '{}{}'],
  ['a comma too many', '{"a":1,}'],
  ['a comment', '{}//'],
  ['no quotes', '{a:1}'],
  ['one quote', "{'a':1}"],
  ['NaN', '{"a":NaN}'],
  ['a name twice', '{"a":1,"a":2}'],
  ['a name twice, escaped', '{"a":1,"\\u0061":2}'],
  ['65 levels', deepList(65)],
  ['many levels', deepList(20_000)],
  ['a line feed in a text', '{"a":"\n"}'],
  ['a text', '"x"'],
  ['a number', '1'],
  ['null', 'null'],
  ['a list', '[]'],
  ['true', 'true'],
  ['blank', ' '],
  ['too long', `{"a":"${'x'.repeat(270_000)}"}`],
];

/** Everything that can be wrong with a request to the operation, each once. */
function mistakes(one: Documented, fit: Sent): Sent[] {
  const [path = '', search = ''] = fit.path.split('?');
  const wrong = (kind: string, changes: Partial<Sent>, refused = true): Sent => ({ ...fit, ...changes, kind, refused });
  const all: Sent[] = [];
  const withHeader = (name: string, value: string): Record<string, string> => ({ ...fit.headers, [name]: value });

  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE']) {
    if (operations.some((other) => other.path === one.path && other.method === method)) continue;
    all.push(wrong(`method ${method}`, { method }));
  }
  for (const name of ['unknown', '__proto__', 'constructor', '$where', 'limit[]', ' limit', '']) {
    all.push(wrong('an unknown parameter', { path: `${path}?${search}&${encodeURIComponent(name)}=1` }, name !== ''));
  }
  for (const { name, schema } of parametersOf(one, 'query')) {
    const others = [...new URLSearchParams(search)].filter(([other]) => other !== name);
    const put = (...values: string[]): string =>
      `${path}?${new URLSearchParams([...others, ...values.map((value): [string, string] => [name, value])])}`;
    all.push(wrong(`${name} twice`, { path: put('1', '2') }));
    all.push(wrong(`${name} that is no UTF-8`, { path: `${put()}&${name}=%ff%zz` }, false));
    for (const [kind, value] of unfit(schema)) {
      // As texts of a query these are right.
      if (typeof value === 'object' || schema.enum?.includes(String(value))) continue;
      const text = String(value);
      if (text.length < 5_000)
        all.push(
          wrong(
            `${name}: ${kind}`,
            { path: put(text) },
            schema.type !== 'string' || schema.enum !== undefined || text === '',
          ),
        );
    }
    for (const text of ODD_TEXTS) if (text.length < 5_000) all.push(wrong(`${name}: odd`, { path: put(text) }, false));
  }
  for (const { name, schema } of parametersOf(one, 'path')) {
    const values = Object.fromEntries(
      parametersOf(one, 'path').map((other) => [other.name, String(other.schema.enum?.[0] ?? randomUUID())]),
    );
    for (const text of ODD_TEXTS.filter((odd) => odd !== '' && odd.isWellFormed() && odd.length < 5_000)) {
      all.push(
        wrong(
          `${name}: odd`,
          { path: `${filledPath(one, { ...values, [name]: text })}?${search}` },
          schema.enum !== undefined,
        ),
      );
    }
    const bytes = filledPath(one, { ...values, [name]: 'bytes' }).replace('/bytes', '/%ff%fe');
    all.push(wrong(`${name}: bytes`, { path: `${bytes}?${search}` }, false));
  }
  for (const [name, value, refused] of [
    ['x-company-id', 'no-such-company', one.access !== null && one.access !== 'operator-token'],
    ['x-company-id', 'x'.repeat(5_000), false],
    ['x-company-id', '__proto__', false],
    ['idempotency-key', 'with blank', false],
    ['idempotency-key', 'x'.repeat(256), false],
    ['x-request-id', '\u00ff{{7*7}}', false],
    ['x-request-id', 'x'.repeat(8_000), false],
    ['x-min-log-position', 'abc', false],
    ['x-min-log-position', '-1', false],
    ['prefer', 'wait=999999999999', false],
    ['prefer', 'wait=-1', false],
    ['authorization', 'Bearer', ['user', 'admin', 'operator-token'].includes(one.access ?? '')],
    ['authorization', `Bearer ${'a.'.repeat(4_000)}`, ['user', 'admin', 'operator-token'].includes(one.access ?? '')],
    ['x-api-secret', 'wrong', one.access !== null && !['user', 'admin', 'operator-token'].includes(one.access)],
    ['x-forwarded-for', '\u00ff, ::1, x', false],
    ['accept', 'text/nothing', false],
    ['accept-encoding', 'x;q=9', false],
    ['cookie', 'a=b; a=c', false],
    ['x-http-method-override', 'DELETE', false],
  ] as const) {
    all.push(wrong(`header ${name}`, { headers: withHeader(name, value) }, refused));
  }
  if (one.body !== undefined) {
    const media = [
      'text/plain',
      'application/xml',
      'multipart/form-data',
      'application/json; charset=latin1',
      'application/json, text/html',
      'json',
      '',
    ];
    const body = fit.body === undefined || fit.body === '' ? '{}' : fit.body;
    for (const type of media)
      all.push(wrong(`media type ${type}`, { headers: withHeader('content-type', type), body }));
    for (const [kind, text] of BROKEN_BODIES) {
      all.push(
        wrong(
          `body: ${kind}`,
          { headers: withHeader('content-type', 'application/json'), body: text },
          text !== '' || one.bodyRequired,
        ),
      );
    }
    for (const [kind, value] of unfit(one.body)) all.push(wrong(`body: ${kind}`, { body: JSON.stringify(value) }));
    for (const odd of [...ODD_TEXTS, ...ODD_NUMBERS]) {
      for (const name of Object.keys(one.body.properties ?? {})) {
        const whole = JSON.parse(body);
        all.push(
          wrong(`${name}: ${String(odd).slice(0, 20)}`, { body: JSON.stringify({ ...whole, [name]: odd }) }, false),
        );
      }
    }
  }
  return all;
}

/**
 * As many as asked for: every mistake once, or in a random order as many as there may be, then again on other requests.
 */
function invalid(one: Documented, count: number): Sent[] {
  const random = seededRandom(SEED);
  const chosen: Sent[] = [];
  for (let seed = SEED; chosen.length < count; seed += 1) {
    const [fit] = fc.sample(fitting(one), { numRuns: 1, seed });
    if (fit === undefined) break;
    const all = mistakes(one, fit).map((mistake) => ({ mistake, order: random() }));
    all.sort((a, b) => a.order - b.order);
    chosen.push(...all.slice(0, count - chosen.length).map(({ mistake }) => mistake));
  }
  return chosen;
}

function hashes(schema: Schema | undefined): boolean {
  const parts = Object.values(schema?.properties ?? {});
  return parts.some(({ format }) => format === 'password' || format === 'email');
}

/** Null when all is well, else what is not. */
function fault(one: Documented, sent: Sent, { status, type, text }: Got): string | null {
  const shown = `${one.id}, ${sent.kind}: ${sent.method} ${sent.path.slice(0, 200)} ${sent.body?.slice(0, 300) ?? ''} -> ${status} ${text.slice(0, 300)}`;
  const parsed = type.startsWith('application/json') ? failureSchema.safeParse(JSON.parse(text)) : null;
  const code = parsed?.success ? parsed.data.code : undefined;
  if (status === 0) return shown;
  if (status >= 500 && code !== 'READ_MODEL_BEHIND') return `5xx: ${shown}`;
  if (status >= 400 && !parsed?.success) return `no envelope: ${shown}`;
  const otherMethod = sent.method !== one.method || status === 405;
  if (!otherMethod && !one.statuses.has(status)) return `undocumented status: ${shown}`;
  if (!otherMethod && status >= 400 && !one.codes.get(status)?.includes(code ?? ''))
    return `undocumented code: ${shown}`;
  if (sent.refused && status < 400) return `taken: ${shown}`;
  if (
    sent.kind === 'valid' &&
    ['VALIDATION_FAILED', 'BODY_MALFORMED', 'QUERY_PARAMETER_UNKNOWN'].includes(code ?? '')
  ) {
    return `refused: ${shown}`;
  }
  return null;
}

async function faultsOf(one: Documented, requests: readonly Sent[]): Promise<string[]> {
  const left = [...requests];
  const faults: string[] = [];
  const worker = async (): Promise<void> => {
    for (let sent = left.pop(); sent !== undefined; sent = left.pop()) {
      const found = fault(one, sent, await send(sent));
      if (found !== null) faults.push(found);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return faults;
}

describe('every operation of the document', () => {
  it(`refuses ${INVALID} invalid requests as the document says`, async () => {
    const faults: string[] = [];
    for (const one of operations) faults.push(...(await faultsOf(one, invalid(one, INVALID))).slice(0, 5));
    expect(faults).toEqual([]);
  });

  it(`understands ${VALID} valid ones`, async () => {
    const faults: string[] = [];
    for (const one of operations) {
      const numRuns = hashes(one.body) ? VALID_SLOW : VALID;
      faults.push(...(await faultsOf(one, fc.sample(fitting(one), { numRuns, seed: SEED }))).slice(0, 5));
    }
    expect(faults).toEqual([]);
  });
});
