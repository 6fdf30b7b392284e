import { parameterSchemas } from '../../analytics/parameters.ts';
import type { AnalyticsQuery, Column, ColumnType, Parameters, Row } from '../../analytics/query.ts';
import { expandedMember } from '../core/envelope.ts';
import { jsonNumber } from '../core/json-number.ts';
import { ofAnyType } from '../core/schema-forms.ts';
import { z } from '../core/zod.ts';

const columnSchema = z
  .strictObject({
    name: z.string(),
    type: z.enum(['string', 'date', 'date-time', 'integer', 'number']),
    unit: z.string().nullable().openapi({
      description: '`currency`: an amount in the currency of its row. Otherwise the unit that is counted.',
    }),
  })
  .openapi('AnalyticsColumn');

export const analyticsQuerySchema = z
  .strictObject({
    id: z.string(),
    title: z.string(),
    description: z.string(),
    parameters: z.looseObject({}).openapi({ description: 'JSON Schema of the parameters of the results.' }),
    columns: z.array(columnSchema),
    chart: z.enum(['bar', 'stacked-bar', 'line', 'table']).openapi({ description: 'The recommended chart type.' }),
  })
  .openapi('AnalyticsQuery');

const row = z.record(z.string(), z.union([z.string(), z.number(), z.null()]));

export const analyticsResultSchema = z
  .strictObject({
    query: z.string(),
    parameters: z.record(z.string(), ofAnyType(z.union([z.string(), z.number(), z.array(z.string()), z.null()]))),
    columns: z.array(columnSchema),
    rows: z.array(row),
    totals: z.array(row).openapi({ description: 'Totals over all rows, per currency; empty where there are none.' }),
    logPosition: z.string().openapi({ description: 'The log position of the figures.' }),
    generatedAt: z.string(),
    ...expandedMember,
  })
  .openapi('AnalyticsResult');

const TYPES: Readonly<Record<ColumnType, z.output<typeof columnSchema>['type']>> = {
  string: 'string',
  date: 'date',
  'date-time': 'date-time',
  integer: 'integer',
  money: 'number',
};

export function columnResource({ name, type, unit }: Column) {
  return { name, type: TYPES[type], unit };
}

export function analyticsQueryResource({ id, title, description, takes, columns, chart }: AnalyticsQuery) {
  const taken = Object.fromEntries(takes.map((name) => [name, parameterSchemas[name]]));
  const properties = { ...taken, format: { type: 'string', enum: ['json', 'csv'], default: 'json' } };
  const parameters = { type: 'object', properties, additionalProperties: false };
  return { id, title, description, parameters, columns: columns(null, false).map(columnResource), chart };
}

/** Money becomes a number only after everything has been summed. */
export function rowResource(row: Row, columns: readonly Column[]): Row {
  const money = new Set(columns.filter(({ type }) => type === 'money').map(({ name }) => name));
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      money.has(name) && value !== null ? jsonNumber(String(value)) : value,
    ]),
  );
}

export function parametersResource(takes: AnalyticsQuery['takes'], asked: Parameters) {
  return Object.fromEntries(
    takes.map((name) => {
      const value = asked[name];
      return [name, typeof value === 'object' && value !== null ? [...value] : value];
    }),
  );
}
