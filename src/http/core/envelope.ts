import { type ErrorCode, errorCodes } from './errors.ts';
import { z } from './zod.ts';

/** `{ status: true, result }`, closed. */
export function success<Result extends z.ZodType>(result: Result) {
  return z.strictObject({ status: z.literal(true), result });
}

/** A list's result. `nextCursor` is null on the last page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });
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

export const failureSchema = z
  .strictObject({
    status: z.literal(false),
    code: z.enum(CODES).openapi('ErrorCode', { description: codeTable() }).optional(),
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
