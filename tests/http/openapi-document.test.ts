import { describe, expect, it } from 'vitest';
import { failureSchema, success } from '../../src/http/core/envelope.ts';
import { errorRemedies } from '../../src/http/core/error-remedies.ts';
import { type ErrorCode, errorCodes } from '../../src/http/core/errors.ts';
import examples from '../../src/http/reference/examples.json' with { type: 'json' };
import { codesOf, openApiDocument } from '../../src/http/reference/openapi.ts';
import { operations } from '../../src/http/routes/all.ts';

type Media = { schema?: { $ref?: string }; example?: unknown };
type DocumentedOperation = {
  operationId: string;
  tags: string[];
  parameters?: { in: string; name: string; description?: string }[];
  requestBody?: { content: Record<string, Media> };
  responses: Record<string, { headers?: Record<string, unknown>; content?: Record<string, Media> }>;
  'x-error-codes': string[];
};

const document = JSON.parse(JSON.stringify(openApiDocument()));
const documented: DocumentedOperation[] = Object.values<Record<string, DocumentedOperation>>(document.paths).flatMap(
  (item) => Object.values(item),
);
const recorded: Record<string, { request?: unknown; status: number; response: unknown } | undefined> = examples;

describe('the OpenAPI document', () => {
  it.each(operations.map((one) => [one.id, one] as const))(
    'has an example of %s that its schemas accept (recorded with PIN=examples by the test of every operation)',
    (id, one) => {
      const example = recorded[id];
      expect(example).toBeDefined();
      expect(one.successes).toContain(example?.status);
      if (one.media === null) {
        expect(success(one.result).safeParse(example?.response).error?.issues ?? []).toEqual([]);
      } else expect(example?.response).toEqual(expect.stringContaining('\n'));
      if (one.body === undefined || (one.bodyOptional && example?.request === undefined)) return;
      expect(one.body.safeParse(example?.request).error?.issues ?? []).toEqual([]);
    },
  );

  it('has no example of an operation that does not exist', () => {
    expect(Object.keys(examples).filter((id) => !operations.some((one) => one.id === id))).toEqual([]);
  });

  it('shows the examples', () => {
    const withoutRequest = documented.filter(({ operationId, requestBody }) => {
      const shown = Object.values(requestBody?.content ?? {}).every(({ example }) => example !== undefined);
      return !shown && recorded[operationId]?.request !== undefined;
    });
    expect(withoutRequest).toEqual([]);
    const withoutAnswer = documented.filter(({ operationId, responses }) => {
      const { content = {} } = responses[String(recorded[operationId]?.status)] ?? {};
      return Object.values(content)[0]?.example === undefined;
    });
    expect(withoutAnswer.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('describes every parameter', () => {
    const silent = documented.flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap(({ in: place, name, description = '' }) =>
        description === '' ? [`${operationId}: ${place} ${name}`] : [],
      ),
    );
    expect(silent).toEqual([]);
  });

  it('names every body and every JSON answer', () => {
    const nameless = documented.flatMap(({ operationId, requestBody, responses }) =>
      [requestBody, ...Object.values(responses)].flatMap((one) => {
        const json = one?.content?.['application/json'];
        return json !== undefined && json.schema?.$ref === undefined ? [operationId] : [];
      }),
    );
    expect(nameless).toEqual([]);
  });

  it('has no named schema that is null itself, which generators of clients cannot deal with', () => {
    const schemas: Record<string, { type?: unknown }> = document.components.schemas;
    const nullable = Object.entries(schemas).filter(([, { type }]) => Array.isArray(type));
    expect(nullable).toEqual([]);
  });

  it('lists the error codes: all of them in one enumeration, those of an operation with it', () => {
    expect(document.components.schemas.ErrorCode.enum).toEqual(Object.keys(errorCodes).sort());
    const details = document.components.schemas.ErrorCode['x-error-details'];
    for (const code of Object.keys(errorCodes) as ErrorCode[]) {
      const [status, summary] = errorCodes[code];
      expect(details[code]).toEqual({ status, summary, description: errorRemedies[code] });
    }
    for (const one of operations) {
      const shown = documented.find(({ operationId }) => operationId === one.id);
      expect(shown?.['x-error-codes']).toEqual(codesOf(one));
    }
    expect(failureSchema.safeParse(document.components.schemas.Failure.example).success).toBe(true);
  });

  it('declares the headers of every answer', () => {
    for (const { operationId, responses } of documented) {
      for (const [status, { headers = {} }] of Object.entries(responses)) {
        expect([operationId, status, Object.keys(headers)]).toEqual([
          operationId,
          status,
          expect.arrayContaining(['x-request-id', ...(status === '429' ? ['retry-after'] : [])]),
        ]);
      }
    }
  });

  it('has its tags described, in the order of a first day', () => {
    const tags: { name: string; description: string }[] = document.tags;
    expect([...new Set(documented.flatMap((one) => one.tags))].sort()).toEqual(tags.map(({ name }) => name).sort());
    expect(tags[0]?.name).toBe('Health');
  });
});
