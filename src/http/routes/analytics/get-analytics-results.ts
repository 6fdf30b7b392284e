import { INTERVALS } from '../../../analytics/calendar.ts';
import { analyticsQueries } from '../../../analytics/catalogue.ts';
import { TooManyRows } from '../../../analytics/most-rows.ts';
import { askedOf, MOST_ROWS_OF_A_TOP_LIST } from '../../../analytics/parameters.ts';
import { type AnalyticsQuery, type Column, GROUPINGS, type Row } from '../../../analytics/query.ts';
import { isoTime } from '../../../shared/clock.ts';
import { isTimeZone } from '../../../shared/time-zone.ts';
import { sourceAt } from '../../core/analytics-source.ts';
import { type Cell, type CsvDialect, csvHeader, csvLines } from '../../core/csv.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { operation } from '../../core/operation.ts';
import { asOf, currencyCode, day, expand, identifier, listedIn, wholeNumber } from '../../core/parameters.ts';
import { waitUntilReached } from '../../core/wait-until-reached.ts';
import { z } from '../../core/zod.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { analyticsResultSchema, columnResource, parametersResource, rowResource } from '../../resources/analytics.ts';
import { analyticsQueryOf } from './analytics-query-of.ts';

const MOST_IN_A_LIST = 100;
const ROWS_A_CHUNK = 500;
const DIALECT: CsvDialect = { separator: ',', decimal: '.', bom: false };

const identifiers = listedIn(identifier, MOST_IN_A_LIST);

export const getAnalyticsResultsOperation = operation({
  id: 'getAnalyticsResults',
  method: 'get',
  path: '/banks/analytics/queries/{id}/results',
  tag: 'Analytics',
  summary: 'The results of an analytics query, as of one log position',
  description:
    'All figures are those of the log position in `logPosition` and the header `x-log-position`, even while rows ' +
    'come in. A query accepts the ' +
    'parameters that its catalogue entry names; any other is refused. With `format=csv` the rows are returned as ' +
    'CSV (RFC 4180), amounts exact: the ' +
    'same position and parameters give the same bytes.',
  costly: true,
  access: 'analytics:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'ANALYTICS_QUERY_UNKNOWN',
  query: z.strictObject({
    from: day.optional().openapi({ description: 'First day; by default 30 days before `to`.' }),
    to: day.optional().openapi({ description: 'Day after the last one; by default tomorrow.' }),
    interval: z.enum(INTERVALS).optional().openapi({ default: 'day' }),
    timezone: identifier
      .refine(isTimeZone, 'must be an IANA time zone')
      .optional()
      .openapi({ description: 'The time zone of the days.', default: 'UTC', example: 'Europe/Istanbul' }),
    accountIds: identifiers.optional(),
    bankCodes: identifiers.optional(),
    currency: currencyCode.optional(),
    groupBy: z.enum(GROUPINGS).optional(),
    limit: wholeNumber(1, MOST_ROWS_OF_A_TOP_LIST).optional(),
    asOf,
    ...expand,
    format: z.enum(['json', 'csv']).optional().openapi({ default: 'json' }),
  }),
  result: analyticsResultSchema,
  alsoMedia: 'text/csv',
  errors: ['ANALYTICS_TOO_MANY_ROWS', 'DATE_RANGE_INVALID', 'QUERY_PARAMETER_UNKNOWN', 'READ_MODEL_BEHIND'],
  reads: [...new Set(analyticsQueries.flatMap(({ reads }) => reads))],
  handle: async ({ services, reader, params, query: given, signal }) => {
    const query = analyticsQueryOf(params.id);
    const { format, expand: _, ...parameters } = given;
    refuseOthers(query, parameters);
    const asked = askedOf(query, parameters, services.clock.now());
    if (asked === null) throw new ApiError('DATE_RANGE_INVALID');
    const position = await positionFor(services, reader.tenantId, query, asked.asOf);
    const { rows, totals } = await query.answer(sourceAt(services, reader, position), asked).catch((error: unknown) => {
      if (error instanceof TooManyRows) throw new ApiError('ANALYTICS_TOO_MANY_ROWS');
      throw error;
    });
    const columns = query.columns(asked.groupBy, asked.byPeriod);
    const inPeriods = !query.takes.includes('interval') || columns.some(({ name }) => name === 'period');
    if (format === 'csv') {
      return {
        stream: ReadableStream.from(csvChunks(columns, rows, signal)) as ReadableStream<Uint8Array>,
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': `attachment; filename="${query.id}.csv"`,
          'x-log-position': position,
        },
      };
    }
    return {
      status: 200,
      position,
      result: {
        query: query.id,
        parameters: { ...parametersResource(query.takes, asked), ...(inPeriods ? {} : { interval: null }) },
        columns: columns.map(columnResource),
        rows: rows.map((row) => rowResource(row, columns)),
        totals: totals.map((row) => rowResource(row, columns)),
        logPosition: position,
        generatedAt: isoTime(services.clock.now()),
      },
    };
  },
});

/** @throws ApiError QUERY_PARAMETER_UNKNOWN */
function refuseOthers({ takes, lacks }: AnalyticsQuery, parameters: object): void {
  const taken = new Set<string>(takes);
  const others = Object.entries(parameters).filter(([name, value]) => value !== undefined && !taken.has(name));
  if (others.length === 0) return;
  const names = others.map(([name]) => name);
  const reasons = Object.fromEntries(
    names.map((name) => [
      name,
      lacks[name as keyof typeof lacks] ?? 'Only queries that list the largest entries have a limit.',
    ]),
  );
  throw new ApiError('QUERY_PARAMETER_UNKNOWN', { parameters: names, reasons });
}

/**
 * The position that all the query's read models have reached by now, or had at the moment. @throws ApiError
 * DATE_RANGE_INVALID, READ_MODEL_BEHIND
 */
async function positionFor(
  services: HttpServices,
  tenantId: string,
  { reads }: AnalyticsQuery,
  moment: string | null,
): Promise<string> {
  const names = reads.map(({ name }) => name);
  if (moment === null) {
    const positions = await Promise.all(names.map(services.positionOf));
    return positions.sort()[0] ?? '';
  }
  const position = await positionOfMoment(services, tenantId, moment);
  await waitUntilReached(services, names, position);
  return position;
}

async function* csvChunks(
  columns: readonly Column[],
  rows: readonly Row[],
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(
    csvHeader(
      columns.map(({ name }) => name),
      DIALECT,
    ),
  );
  for (let at = 0; at < rows.length && !signal.aborted; at += ROWS_A_CHUNK) {
    const cells = rows.slice(at, at + ROWS_A_CHUNK).map((row) => columns.map((column) => cellOf(row, column)));
    yield encoder.encode(csvLines(cells, DIALECT));
  }
}

function cellOf(row: Row, { name, type }: Column): Cell {
  const value = row[name] ?? null;
  if (value === null) return null;
  return type === 'money' || type === 'integer' ? { number: String(value) } : String(value);
}
