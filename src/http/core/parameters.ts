import { EXPANDABLE } from './envelope.ts';
import { z } from './zod.ts';

const DATE_TIME = z.iso.datetime({ offset: true });
const DAY = /^\d{4}-\d{2}-\d{2}$/;

/**
 * ISO 8601 UTC with milliseconds of a date-time with any offset, or of the start of a plain day; null for anything
 * else.
 */
function momentOf(text: string): string | null {
  const whole = DAY.test(text) ? `${text}T00:00:00.000Z` : text;
  if (!DATE_TIME.safeParse(whole).success) return null;
  const epochMs = Date.parse(whole);
  return Number.isNaN(epochMs) ? null : new Date(epochMs).toISOString();
}

/** A date-time, or a plain day meaning its start in UTC; becomes ISO 8601 UTC with milliseconds. */
export const moment = z
  .string()
  .max(40)
  .transform((text, context) => {
    const found = momentOf(text);
    if (found !== null) return found;
    context.addIssue({ code: 'custom', message: 'must be an ISO 8601 date-time or a day YYYY-MM-DD' });
    return z.NEVER;
  })
  .openapi({
    pattern: '^\\d{4}-\\d{2}-\\d{2}(T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,9})?)?(Z|[+-]\\d{2}:\\d{2}))?$',
    description: 'An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC.',
    example: '2026-01-31',
  });

/** A moment in the past, for lists and figures as they were known then. */
export const asOf = moment.optional().openapi({
  type: 'string',
  description: 'Answer as of this moment. The header `x-log-position` holds the corresponding log position.',
  example: '2026-01-31T12:00:00Z',
});

const LOG_POSITION = /^(\d{16}|\d{20}-\d{20})$/;

/** The format of a position in either log. */
export function isLogPosition(text: string): boolean {
  return LOG_POSITION.test(text);
}

/** A log position from an answer's `x-log-position` or `position`. */
export const logPosition = z
  .string()
  .regex(LOG_POSITION)
  .openapi({ description: 'A log position, as returned in answers.' });

/** The transactions that a draft or a run considers. */
export const scopeFields = {
  from: moment.optional(),
  to: moment.optional(),
  accountIds: z.array(z.string().min(1).max(256)).min(1).max(100).optional(),
  bankCodes: z.array(z.string().min(1).max(256)).min(1).max(100).optional(),
};

export const day = z.iso.date().openapi({ type: 'string', format: 'date', example: '2026-01-31' });

export const flag = z
  .enum(['true', 'false'])
  .transform((text) => text === 'true')
  .openapi({ type: 'string', enum: ['true', 'false'] });

/** A magnitude of money in a query: exact, never through a floating point number. */
export const magnitude = z
  .string()
  .regex(/^\d{1,18}(\.\d{1,5})?$/)
  .openapi({ type: 'string', pattern: '^\\d{1,18}(\\.\\d{1,5})?$', example: '1250.75' });

export function wholeNumber(minimum: number, maximum: number) {
  const digits = String(maximum).length;
  return z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`))
    .transform(Number)
    .pipe(z.int().min(minimum).max(maximum))
    .openapi({ type: 'integer', minimum, maximum });
}

const DEFAULT_LIMIT = 50;

/** The pages of a list, without what most lists offer besides. */
export const pages = {
  limit: wholeNumber(1, 200).optional().openapi({ type: 'integer', minimum: 1, maximum: 200, default: DEFAULT_LIMIT }),
  cursor: z.string().min(1).max(4096).optional().openapi({ description: '`nextCursor` of the previous page.' }),
};

export const expand = {
  expand: listedIn(z.enum(EXPANDABLE), EXPANDABLE.length, EXPANDABLE)
    .optional()
    .openapi({ description: 'Adds `expanded`: the names of these kinds of things, by the ids in the items.' }),
};

export const counting = { count: flag.optional() };

export const paging = { ...pages, ...counting, ...expand };

export function limitOf(query: { limit?: number }): number {
  return query.limit ?? DEFAULT_LIMIT;
}

/** Repeated, or one value with commas; what is named twice counts once. */
export function listedIn<Value extends string>(
  item: z.ZodType<Value, string>,
  most: number,
  values?: readonly Value[],
) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given) => [
      ...new Set((typeof given === 'string' ? [given] : given).flatMap((text) => text.split(','))),
    ])
    .pipe(z.array(item).min(1).max(most))
    .openapi({
      type: 'array',
      items: { type: 'string', ...(values === undefined ? {} : { enum: [...values] }) },
      description: 'Repeated, or one value with commas.',
    });
}

/** An id from outside: any short text; an id that was never issued is not found, whatever its format. */
export const identifier = z.string().min(1).max(256);
/** A currency's code, in any case. */
export const currencyCode = identifier
  .transform((code) => code.toUpperCase())
  .openapi({ type: 'string', example: 'EUR' });
export const searchText = z.string().min(1).max(256);

export const referencePart = z
  .string()
  .max(64)
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/);

export const externalReference = z
  .strictObject({
    source: referencePart,
    entityType: referencePart,
    externalId: z.string().min(1).max(256),
    label: z.string().max(200).nullable().optional(),
  })
  .openapi('ExternalReference');

export const tagList = z.array(z.string().min(1).max(64)).max(20);
