import { errorRemedies } from './error-remedies.ts';
import { type ErrorCode, errorCodes } from './errors.ts';
import { z } from './zod.ts';

/** `{ status: true, result }`, closed. */
export function success<Result extends z.ZodType>(result: Result) {
  return z.strictObject({ status: z.literal(true), result });
}

/** Exact up to 10,000. */
export const countSchema = z
  .strictObject({ value: z.int().min(0), atLeast: z.boolean() })
  .openapi('ListCount', { description: 'With `count=true`: how many there are; `atLeast`: that many or more.' });

export const EXPANDABLE = ['account', 'rule', 'company', 'actor'] as const;
export type Expandable = (typeof EXPANDABLE)[number];

const named = z.strictObject({ id: z.string(), name: z.string() }).openapi('NamedId');

export const expandedSchema = z
  .strictObject({
    account: z.record(z.string(), named).optional(),
    rule: z.record(z.string(), named).optional(),
    company: z.record(z.string(), named).optional(),
    actor: z
      .record(
        z.string(),
        z
          .strictObject({ id: z.string(), type: z.enum(['user', 'api-key', 'system']), name: z.string() })
          .openapi('NamedActor'),
      )
      .optional(),
  })
  .openapi('ExpandedNames', {
    description:
      'With `expand`: the names of what the items hold the ids of, by id, as far as the caller may see them.',
  });

/** What `expand` adds to a result. */
export const expandedMember = { expanded: expandedSchema.optional() };

/** A list's result. `nextCursor` is null on the last page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    nextCursor: z.string().nullable(),
    count: countSchema.optional(),
    ...expandedMember,
  });
}

const CODES = Object.keys(errorCodes).sort() as [ErrorCode, ...ErrorCode[]];

export function codeTable(): string {
  const rows = CODES.map((code) => `| ${errorCodes[code][0]} | \`${code}\` | ${errorCodes[code][1]} |`);
  return [
    'Stable; branch on this, never on the message.',
    '',
    '| status | code | meaning |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
}

/** For programs that show the codes, such as the reference page: status, sentence, and what to do about each. */
const details = Object.fromEntries(
  CODES.map((code) => {
    const [status, summary] = errorCodes[code];
    return [code, { status, summary, description: errorRemedies[code] }];
  }),
);

export const failureSchema = z
  .strictObject({
    status: z.literal(false),
    code: z.enum(CODES).openapi('ErrorCode', { description: codeTable(), 'x-error-details': details }).optional(),
    message: z.string().optional().openapi({ description: 'One English sentence; it may change.' }),
    meta: z
      .looseObject({ requestId: z.string() })
      .optional()
      .openapi({ description: 'What the code says more about: the request id, and for example the limit exceeded.' }),
    result: z
      .array(
        z.strictObject({
          type: z.string(),
          validatorType: z.string(),
          path: z.union([z.string(), z.number()]),
          label: z.string(),
        }),
      )
      .optional()
      .openapi({ deprecated: true }),
    description: z.string().optional(),
  })
  .openapi('Failure', {
    example: {
      status: false,
      code: 'TRANSACTION_NOT_FOUND',
      message: errorCodes.TRANSACTION_NOT_FOUND[1],
      meta: { requestId: '0199a3c1-8f5e-7c44-9d0b-3a1f6e2b7c90' },
    },
  });
