import { z } from 'zod';

/** The JSON Schema of a single credential; the contents of a structure are explained in its description only. */
const fieldSchema = z.object({
  type: z.enum(['string', 'integer', 'object']),
  description: z.string(),
  minimum: z.number().exactOptional(),
  maximum: z.number().exactOptional(),
  maxLength: z.int().exactOptional(),
  /** True for a secret; false for a text that may be shown, in messages for one. */
  writeOnly: z.boolean().exactOptional(),
});

const jsonSchemaSchema = z.object({
  type: z.literal('object'),
  additionalProperties: z.literal(false),
  required: z.array(z.string()).default([]),
  properties: z.record(z.string(), fieldSchema),
});

/** JSON Schema of the credentials that a bank takes in one environment. */
export type CredentialsJsonSchema = z.infer<typeof jsonSchemaSchema>;

/**
 * The credentials that a bank takes in one environment: the schema they are checked by, and its JSON Schema for
 * clients.
 */
export type CredentialsDeclaration<Credentials extends object = object> = {
  readonly schema: z.ZodType<Credentials>;
  readonly jsonSchema: CredentialsJsonSchema;
};

/**
 * @param fields made with `text`, `requiredText`, `wholeNumber` or a schema of an object; each has a description, and a
 * secret has `writeOnly: true` in its `meta`
 * @throws ZodError for a field of another kind or without a description
 */
export function declareCredentials<Fields extends z.core.$ZodLooseShape>(
  fields: Fields,
): CredentialsDeclaration<z.infer<z.ZodObject<Fields, z.core.$strict>>> {
  const schema = z.strictObject(fields, { error: NOT_AN_OBJECT });
  return { schema, jsonSchema: jsonSchemaSchema.parse(z.toJSONSchema(schema)) };
}

/** The message for a value that is not an object; other issues of an object have their own messages. */
export const NOT_AN_OBJECT = ({ code }: { readonly code: string }): string | undefined =>
  code === 'invalid_type' ? 'must be an object' : undefined;

/** Parameters of a refinement whose issue has this code instead of `custom`. */
export function refusedAs(code: string, error: string) {
  return { error, params: { code } };
}

/** A text; a whole number is taken as its digits. */
export function text(longest: number) {
  return z.preprocess(digitsOf, boundedText(longest));
}

/** A text that is not blank; a whole number is taken as its digits. */
export function requiredText(longest: number) {
  const filled = z.string(NO_TEXT).refine(isFilled, refusedAs('too_small', 'must not be blank'));
  return z.preprocess(digitsOf, filled.pipe(boundedText(longest)));
}

export function wholeNumber(least: number, most: number) {
  const bounded = z.int().min(least, `must be at least ${least}`).max(most, `must be at most ${most}`);
  const wanted = refusedAs('invalid_type', 'must be a whole number');
  return z.number(wanted.error).refine(Number.isSafeInteger, wanted).pipe(bounded);
}

const NO_TEXT = 'must be a text';

function boundedText(longest: number): z.ZodString {
  return z.string(NO_TEXT).max(longest, { error: `must have at most ${longest} characters`, abort: true });
}

function isFilled(value: string): boolean {
  return value.trim() !== '';
}

function digitsOf(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

/** `path` is the field's name, dotted below it; empty for the whole. The message never holds the value. */
export type CredentialIssue = { readonly path: string; readonly code: string; readonly message: string };

export type CredentialCheck =
  | { readonly ok: true; readonly credentials: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly issues: readonly CredentialIssue[] };

/** Credentials as a caller gave them against what the bank takes: closed, every issue at once. */
export function checkDeclared({ schema }: CredentialsDeclaration, input: unknown): CredentialCheck {
  const parsed = schema.safeParse(input);
  if (parsed.success) return { ok: true, credentials: { ...parsed.data } };
  const { issues } = parsed.error;
  const unknown = issues.filter(isOfUnknownFields);
  const others = issues.filter((issue) => !isOfUnknownFields(issue));
  return { ok: false, issues: [...unknown, ...others].flatMap((issue) => issuesOf(issue, input)) };
}

function isOfUnknownFields({ code, path }: z.core.$ZodIssue): boolean {
  return code === 'unrecognized_keys' && path.length === 0;
}

function issuesOf(issue: z.core.$ZodIssue, input: unknown): CredentialIssue[] {
  const path = issue.path.map(String).join('.');
  if (issue.code === 'unrecognized_keys' && path === '') {
    const message = 'is not a credential of this bank';
    return issue.keys.map((key) => ({ path: key.slice(0, 64), code: 'unrecognized_key', message }));
  }
  if (issue.path.length === 1 && !Object.hasOwn(Object(input), path)) {
    return [{ path, code: 'required', message: 'is required' }];
  }
  const code = issue.code === 'custom' ? String(issue.params?.code) : issue.code;
  return [{ path, code, message: issue.message }];
}
