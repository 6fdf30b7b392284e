import { z } from 'zod';
import { CHARSETS, isCharset } from './code-pages.ts';

/** A column by its name in the header line, or by its number from 1. */
export type CsvColumn = string | number;
/** One value for all rows. */
export type CsvConstant = { readonly value: string };

/** How the rows of a bank's CSV files are read. */
export type CsvMapping = {
  readonly delimiter: string;
  /** Lines above the rows, blank ones not counted; the last of them names the columns. */
  readonly header: number;
  readonly columns: CsvColumns;
  readonly dateFormat: string;
  readonly decimal: ',' | '.';
  readonly sign: CsvSign;
  /** Null: the encoding of the connection's setting, otherwise the one detected from the bytes. */
  readonly charset: string | null;
};

export type CsvColumns = {
  readonly account: CsvColumn | CsvConstant;
  readonly currency: CsvColumn | CsvConstant;
  readonly date: CsvColumn;
  readonly amount?: CsvColumn;
  readonly debit?: CsvColumn;
  readonly credit?: CsvColumn;
  readonly indicator?: CsvColumn;
  readonly balance?: CsvColumn;
  readonly reference?: CsvColumn;
  readonly description?: CsvColumn | readonly CsvColumn[];
  readonly name?: CsvColumn;
  readonly iban?: CsvColumn;
  readonly idNo?: CsvColumn;
  readonly code?: CsvColumn;
};

/**
 * `signed`: a minus is a debit; `inverted`: a minus is a credit; `columns`: debits and credits have their own columns;
 * or the texts of the column `indicator` for each.
 */
export type CsvSign =
  | 'signed'
  | 'inverted'
  | 'columns'
  | { readonly debit: readonly string[]; readonly credit: readonly string[] };

const MOST_COLUMNS = 500;
const MOST_HEADER_LINES = 100;

const column = z.union([z.string().trim().min(1).max(100), z.int().min(1).max(MOST_COLUMNS)], {
  error: 'must be the name of a column or its number from 1',
});
const columnOr = (value: z.ZodType<string>) =>
  z.union([column, z.strictObject({ value })], {
    error: 'must be the name of a column, its number from 1, or an object with the value of all rows',
  });
const marks = z.array(z.string().trim().min(1).max(40)).min(1).max(20);

const mappingSchema = z.strictObject({
  delimiter: z
    .string()
    .regex(/^[^"\r\n\p{L}\p{N} ]$/u, 'must be one character, such as , ; | or a tab')
    .default(','),
  header: z.int().min(0).max(MOST_HEADER_LINES).default(1),
  columns: z.strictObject({
    account: columnOr(z.string().trim().min(1).max(64)),
    currency: columnOr(z.string().regex(/^[A-Z]{3}$/, 'must be three capital letters')),
    date: column,
    amount: column.exactOptional(),
    debit: column.exactOptional(),
    credit: column.exactOptional(),
    indicator: column.exactOptional(),
    balance: column.exactOptional(),
    reference: column.exactOptional(),
    description: z
      .union([column, z.array(column).min(1).max(20)], { error: 'must be one column, or a list of up to 20' })
      .exactOptional(),
    name: column.exactOptional(),
    iban: column.exactOptional(),
    idNo: column.exactOptional(),
    code: column.exactOptional(),
  }),
  dateFormat: z.string().max(40).refine(isDateFormat, {
    error: 'must hold a year (yyyy or yy), a month (MM or M) and a day (dd or d), each once',
  }),
  decimal: z.enum([',', '.']),
  sign: z
    .union([z.enum(['signed', 'inverted', 'columns']), z.strictObject({ debit: marks, credit: marks })], {
      error: 'must be signed, inverted, columns, or an object with the texts of debit and credit',
    })
    .default('signed'),
  charset: z
    .string()
    .refine(isCharset, { error: `must be one of ${CHARSETS.join(', ')}` })
    .nullable()
    .default(null),
});

/** Parts of a date format: the letters of dates and times; any others are literal. */
export const DATE_PARTS = /yyyy|yy|MM|M|dd|d|HH|H|mm|m|ss|s|[\s\S]/g;

const TOKENS = new Set(['yyyy', 'yy', 'MM', 'M', 'dd', 'd', 'HH', 'H', 'mm', 'm', 'ss', 's']);

function isDateFormat(format: string): boolean {
  const parts: readonly string[] = format.match(DATE_PARTS) ?? [];
  const once = (...names: string[]): boolean => parts.filter((part) => names.includes(part)).length === 1;
  const isPlain = (part: string): boolean => TOKENS.has(part) || /^([^A-Za-z]|T|Z)$/.test(part);
  return once('yyyy', 'yy') && once('MM', 'M') && once('dd', 'd') && parts.every(isPlain);
}

type Issue = { readonly path: string; readonly code: string; readonly message: string };

/** The mapping among a connection's credentials; null when there is none, or `csvIssues` finds faults in it. */
export function csvMappingOf(given: unknown): CsvMapping | null {
  const parsed = mappingSchema.safeParse(given);
  return parsed.success && further(parsed.data).length === 0 ? parsed.data : null;
}

/** All faults of a mapping, each with its path (`csv.columns.date`). */
export function csvIssues(given: unknown): Issue[] {
  const parsed = mappingSchema.safeParse(given);
  if (parsed.success) return further(parsed.data);
  return parsed.error.issues.flatMap((issue): Issue[] => {
    const path = ['csv', ...issue.path.map(String)].join('.');
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => {
        return { path: `${path}.${key.slice(0, 64)}`, code: 'unrecognized_key', message: 'is not part of the mapping' };
      });
    }
    const value = issue.path.reduce<unknown>(
      (at, key) => (at as Record<PropertyKey, unknown> | undefined)?.[key],
      given,
    );
    if (value === undefined) return [{ path, code: 'required', message: 'is required' }];
    return [{ path, code: CODES[issue.code] ?? 'invalid_value', message: issue.message.slice(0, 200) }];
  });
}

const CODES: Readonly<Record<string, string>> = {
  invalid_type: 'invalid_type',
  invalid_union: 'invalid_value',
  invalid_format: 'invalid_format',
  too_small: 'too_small',
  too_big: 'too_big',
};

/** Faults in how the parts of the mapping fit together. */
function further({ columns, sign, header, delimiter, decimal }: CsvMapping): Issue[] {
  const issues: Issue[] = [];
  const wanted = (name: keyof CsvColumns, why: string): void => {
    if (columns[name] === undefined) issues.push({ path: `csv.columns.${name}`, code: 'required', message: why });
  };
  const unwanted = (name: keyof CsvColumns, why: string): void => {
    if (columns[name] !== undefined) issues.push({ path: `csv.columns.${name}`, code: 'invalid_value', message: why });
  };
  if (sign === 'columns') {
    wanted('debit', 'is required where sign is columns');
    wanted('credit', 'is required where sign is columns');
    unwanted('amount', 'does not go with debit and credit in columns of their own');
  } else {
    wanted('amount', 'is required');
    unwanted('debit', 'goes only with sign: columns');
    unwanted('credit', 'goes only with sign: columns');
  }
  if (typeof sign === 'object') wanted('indicator', 'is required where sign lists the texts of debit and credit');
  else unwanted('indicator', 'goes only with the texts of debit and credit in sign');
  const named = Object.entries(columns).flatMap(([name, given]) =>
    [given].flat().some((one) => typeof one === 'string') ? [name] : [],
  );
  if (header === 0 && named.length > 0) {
    const message = 'must be a number where no header line names the columns';
    issues.push(...named.map((name) => ({ path: `csv.columns.${name}`, code: 'invalid_value', message })));
  }
  if (delimiter === '.' && decimal === '.') {
    issues.push({ path: 'csv.delimiter', code: 'invalid_value', message: 'must not be the decimal sign' });
  }
  return issues;
}
