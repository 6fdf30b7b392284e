import { z } from './zod.ts';

/** `{ status: true, result }`, closed. */
export function success<Result extends z.ZodType>(result: Result) {
  return z.strictObject({ status: z.literal(true), result });
}

/** A list's result. `nextCursor` is null on the last page. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({ items: z.array(item), nextCursor: z.string().nullable() });
}

export const failureSchema = z
  .strictObject({
    status: z.literal(false),
    code: z.string().optional().openapi({ description: 'Stable; branch on this, never on the message.' }),
    message: z.string().optional(),
    meta: z.looseObject({ requestId: z.string() }).optional(),
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
  .openapi('Failure');
