import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/http/core/errors.ts';
import { takesIdempotencyKey } from '../../src/http/core/operation.ts';
import { codesOf } from '../../src/http/reference/openapi.ts';
import { operations } from '../../src/http/routes/all.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

type Schema = {
  description?: string;
  additionalProperties?: unknown;
  properties?: Record<string, Schema>;
  required?: string[];
  type?: unknown;
};
type Document = {
  openapi: string;
  info: { version: string; description: string };
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters?: { name: string; in: string; required?: boolean }[];
        responses: Record<string, { description: string }>;
      }
    >
  >;
  components: { schemas: Record<string, Schema> };
};

let api: TestService;
let document: Document;
beforeAll(async () => {
  api = await startTestService();
  document = (await (await fetch(`${api.service.url}/openapi.json`)).json()) as Document;
});
afterAll(() => api.stop());

describe('the OpenAPI document', () => {
  it('is 3.1, of contract 1.0.0, and has exactly the operations of the router', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.info.version).toBe('1.0.0');
    const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(documented.sort()).toEqual(operations.map(({ method, path }) => `${method} ${path}`).sort());
  });

  it('shows the whole table of codes, and each code with an operation that can answer it', () => {
    const raised = new Set(operations.flatMap(codesOf));
    const elsewhere = ['METHOD_NOT_ALLOWED', 'TRANSACTION_IMMUTABLE'];
    expect(
      Object.keys(errorCodes)
        .filter((code) => !raised.has(code as never))
        .sort(),
    ).toEqual(elsewhere.sort());
    const description = document.components.schemas.ErrorCode?.description;
    for (const code of Object.keys(errorCodes)) expect(description).toContain(`\`${code}\``);
  });

  // From the interface as the product owner gave it.
  it.each([
    [
      'BankTransaction',
      [
        'id',
        'companies',
        'status',
        'version',
        'providerStamp',
        'idNo',
        'findAI',
        'incoming',
        'amount',
        'balance',
        'bankCode',
      ],
      [
        'accountId',
        'subAccountKey',
        'stamp',
        'transactionDate',
        'fetchedAt',
        'code',
        'nameSurname',
        'iban',
        'description',
        'currency',
        'assignmentSummary',
        'automation',
        'assignments',
        'createdAt',
        'updatedAt',
      ],
    ],
    ['TransactionAssignmentSummary', ['referenceKeys', 'tags', 'count'], ['updatedAt']],
    [
      'TransactionAutomation',
      ['status', 'attempts'],
      ['nextAttemptAt', 'lastAttemptAt', 'lastEvaluatedAt', 'lastError', 'lockOwner', 'lockUntil'],
    ],
    [
      'TransactionAssignment',
      ['id', 'companies', 'transactionId', 'origin', 'originId', 'reference', 'tags', 'status'],
      [
        'ruleId',
        'ruleVersion',
        'referenceKey',
        'matchedAt',
        'revokedAt',
        'revokedReason',
        'createdAt',
        'updatedAt',
        'ruleSnapshotHash',
        'createdBy',
        'updatedBy',
      ],
    ],
    ['ExternalReference', ['source', 'entityType', 'externalId'], ['label']],
  ])('%s is closed and has the fields of the interface, no more and no fewer', (name, required, optional) => {
    const schema = document.components.schemas[name];
    expect(schema?.additionalProperties).toBe(false);
    expect(Object.keys(schema?.properties ?? {}).sort()).toEqual([...required, ...optional].sort());
    expect(required.filter((field) => !schema?.required?.includes(field))).toEqual([]);
  });

  it('says where null is accepted and returned, also for texts with a format', () => {
    const text = JSON.stringify(document);
    for (const name of ['expiresAt', 'nextAllowedAt', 'locale']) {
      const types = text.matchAll(new RegExp(`"${name}":\\{"type":(\\[[^\\]]*\\]|"[^"]*")`, 'g'));
      expect([name, Array.from(types, ([, type]) => type)]).toEqual([
        name,
        expect.arrayContaining(['["string","null"]']),
      ]);
    }
  });

  it('puts no closed object together with another, which nothing would fit', () => {
    const combined = Object.entries(document.components.schemas).filter(([, schema]) => 'allOf' in schema);
    expect(combined.map(([name]) => name)).toEqual([]);
  });

  it('offers an idempotency key where one has an effect', () => {
    for (const one of operations) {
      const header = document.paths[one.path]?.[one.method]?.parameters?.find(({ name }) => name === 'idempotency-key');
      expect([one.id, header !== undefined]).toEqual([one.id, takesIdempotencyKey(one)]);
    }
    expect(operations.filter(takesIdempotencyKey).length).toBeGreaterThan(10);
  });

  it('asks for the company on every write under /banks, and leaves it open on reads', () => {
    for (const one of operations.filter((operation) => operation.path.startsWith('/banks'))) {
      const header = document.paths[one.path]?.[one.method]?.parameters?.find(
        (parameter) => parameter.name === 'x-company-id',
      );
      expect([one.id, header?.required ?? false]).toEqual([one.id, one.method !== 'get']);
    }
  });
});
