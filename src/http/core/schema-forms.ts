import { z } from './zod.ts';

/**
 * Checked like the schema, but of any type in the document: no common generator makes a client that compiles of a value
 * that may be a list or not.
 */
export function ofAnyType<Schema extends z.ZodType>(schema: Schema): z.ZodType<z.output<Schema>, z.input<Schema>> {
  return z.unknown().refine((value) => schema.safeParse(value).success) as never;
}

/** The named schema or null. With `.nullable()` null would become a part of the schema that has the name. */
export function orNull<Schema extends z.ZodType>(schema: Schema) {
  return z.union([schema, z.null()]);
}
