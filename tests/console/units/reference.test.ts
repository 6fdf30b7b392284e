import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Entry, type OpenApi, readReference, type Schema } from '../../../console/src/reference/document.ts';
import { found } from '../../../console/src/reference/find.ts';
import { pretty } from '../../../console/src/reference/pretty.ts';
import { curlOf, exampleRequest, NOTHING, prepare } from '../../../console/src/reference/request.ts';
import { shapeOf } from '../../../console/src/reference/schema.ts';
import { errorCodes } from '../../../src/http/core/errors.ts';
import { codesOf, openApiDocument } from '../../../src/http/reference/openapi.ts';
import { webhookMessageSchemas } from '../../../src/http/resources/webhook-message.ts';
import { operations } from '../../../src/http/routes/all.ts';

const document = JSON.parse(JSON.stringify(openApiDocument())) as OpenApi;
const reference = readReference(document);
const NOBODY = { key: '', secret: '', token: '' };
const ADA = { key: 'key-1', secret: 'secret-1', token: '' };

function entry(id: string): Entry {
  const one = reference.entries.get(id);
  if (one === undefined) throw new Error(id);
  return one;
}

/** Every text of the document that a person reads, and every schema. */
function walk(node: unknown, onText: (text: string) => void, onSchema: (schema: Schema) => void): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if (name === 'example') continue;
    if ((name === 'description' || name === 'summary') && typeof value === 'string') onText(value);
    if (name === 'schema') onSchema(value as Schema);
    walk(value, onText, onSchema);
  }
}

describe('what the reference shows of the document', () => {
  it('is every operation and every message, in the order of the tags', () => {
    expect([...reference.entries.keys()].sort()).toEqual(
      [...operations.map(({ id }) => id), ...Object.keys(webhookMessageSchemas)].sort(),
    );
    expect(reference.groups.map(({ name }) => name)).toEqual([
      ...(document.tags ?? []).map(({ name }) => name),
      'Webhook messages',
    ]);
    const listed = reference.groups.flatMap(({ entries }) => entries);
    expect(listed).toHaveLength(reference.entries.size);
  });

  it('is every error code with the operations that answer it', () => {
    expect([...reference.codes.keys()].sort()).toEqual(Object.keys(errorCodes).sort());
    const one = reference.codes.get('RULE_VERSION_CONFLICT');
    expect(one?.status).toBe(409);
    expect(one?.entries.map(({ operationId }) => operationId).sort()).toEqual(
      operations
        .filter((operation) => codesOf(operation).includes('RULE_VERSION_CONFLICT'))
        .map(({ id }) => id)
        .sort(),
    );
  });

  it('has no text in a Markdown that the page does not draw', () => {
    const others: string[] = [];
    walk(
      document,
      (text) => {
        const prose = text.replaceAll(/`[^`]*`/g, '').replaceAll(/^\|.*$/gm, '');
        if (/\*\*|\]\(|^#|^\s*[-*] |^\d+\. |<\w|`/m.test(prose)) others.push(text);
      },
      () => undefined,
    );
    expect(others).toEqual([]);
  });

  it('has a type for every schema, at every depth', () => {
    const named = Object.entries(reference.schemas);
    expect(named.length).toBeGreaterThan(100);
    const untyped: string[] = [];
    const look = (schema: Schema, path: string, depth: number): void => {
      const { type, members } = shapeOf(schema, reference.schemas);
      if (type === '' || type.includes('undefined')) untyped.push(path);
      if (depth === 5) return;
      for (const member of members) look(member.schema, `${path}.${member.name}`, depth + 1);
    };
    for (const [name, schema] of named) look(schema, name, 0);
    walk(
      document.paths,
      () => undefined,
      (schema) => look(schema, 'schema', 4),
    );
    expect(untyped).toEqual([]);
  });

  it('describes a schema in words', () => {
    const shape = (schema: Schema) => shapeOf(schema, { Named: { type: 'object', properties: { a: {} } } });
    expect(shape({ type: ['string', 'null'], format: 'date-time' }).type).toBe('string (date-time) or null');
    expect(shape({ type: 'array', items: { $ref: '#/components/schemas/Named' } })).toMatchObject({
      type: 'array of Named',
      members: [{ name: 'a', required: false }],
    });
    expect(shape({ anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] })).toMatchObject({
      type: 'Named or null',
      members: [{ name: 'a' }],
    });
    expect(shape({ type: 'integer', minimum: 1, maximum: 200, default: 50 }).facts).toEqual(['1 to 200', 'default 50']);
    expect(shape({ type: 'object', additionalProperties: { type: 'number' } }).type).toBe('map of number');
  });
});

describe('the filter', () => {
  it('keeps what has every word, in id, path, summary, method or group', () => {
    const ids = (text: string) =>
      found(reference.groups, text).flatMap(({ entries }) => entries.map(({ operationId }) => operationId));
    expect(ids('')).toHaveLength(reference.entries.size);
    expect(ids('  List TRANSACTIONS ')).toContain('listTransactions');
    expect(ids('patch /banks/transaction-rules/{id}/pause')).toEqual(['pauseRule']);
    expect(ids('nothing-like-it')).toEqual([]);
  });
});

describe('a request', () => {
  it('has exactly what was filled in', () => {
    const values = { 'query limit': '5', 'query q': 'Otto & Söhne', 'query cursor': '', 'header x-company-id': 'c-1' };
    expect(prepare(entry('listTransactions'), { values, body: '', accept: '' }, ADA)).toEqual({
      method: 'GET',
      path: '/banks/transactions?q=Otto%20%26%20S%C3%B6hne&limit=5',
      headers: [['x-company-id', 'c-1']],
      authorization: [
        ['x-api-key', 'key-1'],
        ['x-api-secret', 'secret-1'],
      ],
      body: null,
      missing: [],
    });
  });

  it('has its ids in the path, encoded, and says which are missing', () => {
    const values = { 'path id': 'a/../b' };
    expect(prepare(entry('revokeAssignment'), { ...NOTHING, values }, NOBODY)).toMatchObject({
      path: '/banks/transactions/a%2F..%2Fb/assignments/<assignmentId>/revoke',
      missing: ['assignmentId'],
      authorization: [],
    });
  });

  it('has the credentials that the operation takes, and no others', () => {
    const all = { ...ADA, token: 'token-1' };
    const names = (id: string, given = all) => prepare(entry(id), NOTHING, given).authorization.map(([name]) => name);
    expect(names('listRules')).toEqual(['x-api-key', 'x-api-secret']);
    expect(names('listRules', { ...all, secret: '' })).toEqual(['authorization']);
    expect(names('listUsers')).toEqual(['authorization']);
    expect(names('listUsers', ADA)).toEqual([]);
    expect(names('logIn')).toEqual([]);
  });

  it('is a command that a shell reads as it was meant, with credentials as variables', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'\'"\\$`!{}\n aé') }), (text) => {
        const body = `{"name":${JSON.stringify(text)}}`;
        const values = { 'header idempotency-key': text.replaceAll('\n', ' ') };
        const prepared = prepare(entry('createRule'), { values, body, accept: '' }, ADA);
        const command = curlOf(prepared, 'http://127.0.0.1:3000');
        expect(command).not.toContain('secret-1');
        const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; }\n${command}`;
        const given = execFileSync('sh', ['-c', script], { env: { BANK_API_KEY: 'k', BANK_API_SECRET: 's' } });
        expect(given.toString().split('\0').slice(0, -1)).toEqual([
          '-X',
          'POST',
          'http://127.0.0.1:3000/banks/transaction-rules',
          ...['-H', 'x-api-key: k', '-H', 'x-api-secret: s'],
          ...prepared.headers.flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
          '--data-raw',
          body,
        ]);
      }),
      { numRuns: 20 },
    );
  });

  it('has an example with all that is required', () => {
    const { headers, body } = exampleRequest(entry('createRule'));
    expect(headers).toEqual([
      ['x-company-id', '<x-company-id>'],
      ['content-type', 'application/json'],
    ]);
    expect(JSON.parse(body ?? '')).toHaveProperty('conditions');
  });
});

describe('an answer', () => {
  it('is indented like JSON of this shape', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (value) => {
        const text = JSON.stringify(value);
        expect(pretty(text)).toBe(JSON.stringify(value, null, 2));
      }),
    );
  });

  it('keeps every digit, and text that is no JSON as it is', () => {
    expect(pretty('{"amount":12345678901234567.89}')).toBe('{\n  "amount": 12345678901234567.89\n}');
    expect(pretty('id,amount\r\n1,2')).toBe('id,amount\r\n1,2');
    expect(pretty('')).toBe('');
  });
});
