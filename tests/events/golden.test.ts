import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { EventSchemaError, type NewEvent } from '../../src/events/event.ts';
import { currentVersion, type EventType, eventCodec, eventTypes } from '../../src/events/registry.ts';

type Sample = { readonly type: EventType; readonly schemaVersion: number; readonly data: Record<string, unknown> };

const FOLDER = new URL('./golden/', import.meta.url);
const samples = readdirSync(FOLDER).map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Sample);

function asNew({ type, data, schemaVersion }: Sample): NewEvent {
  const actor = { type: 'system', id: 'test' } as const;
  const metadata = { schemaVersion, tenantId: 't', companyId: 'c', actor, correlationId: 'x', causationId: null };
  return { id: '11111111-1111-4111-8111-111111111111', type, data, metadata };
}

type JsonSchema = {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, JsonSchema>>;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
};

function schemaOf(type: EventType): JsonSchema {
  return z.toJSONSchema(eventTypes[type].schema, { unrepresentable: 'any' }) as JsonSchema;
}

/** The paths of the fields that may be absent, lists passed over: `balances.balanceStated`. A tree is entered once. */
function optionalFields(schema: JsonSchema, defs = schema.$defs ?? {}, entered: readonly string[] = []): string[] {
  const { $ref, properties = {}, required = [], items, anyOf = [] } = schema;
  const target = $ref === undefined || entered.includes($ref) ? undefined : defs[$ref.split('/').at(-1) ?? ''];
  const inside = [...anyOf, ...(items === undefined ? [] : [items]), ...(target === undefined ? [] : [target])];
  const within = $ref === undefined ? entered : [...entered, $ref];
  const fields = Object.entries(properties).flatMap(([name, property]) => [
    ...(required.includes(name) ? [] : [name]),
    ...optionalFields(property, defs, within).map((path) => `${name}.${path}`),
  ]);
  return [...new Set([...fields, ...inside.flatMap((one) => optionalFields(one, defs, within))])];
}

/** The objects of some data in which the last name of a path may stand. */
function parentsOf(data: unknown, path: readonly string[]): object[] {
  if (Array.isArray(data)) return data.flatMap((one) => parentsOf(one, path));
  if (typeof data !== 'object' || data === null) return [];
  const [name = '', ...rest] = path;
  return rest.length === 0 ? [data] : parentsOf((data as Record<string, unknown>)[name], rest);
}

describe('stored events', () => {
  it('have a sample for every type and version there ever was', () => {
    const wanted = (Object.keys(eventTypes) as EventType[]).flatMap((type) =>
      Array.from({ length: currentVersion(type) }, (_, index) => `${type} ${index + 1}`),
    );
    const stored = new Set(samples.map(({ type, schemaVersion }) => `${type} ${schemaVersion}`));
    expect([...stored].sort()).toEqual(wanted.sort());
  });

  it.each(samples.map((sample) => [sample.type, sample] as const))('%s is read as the newest version', (_, sample) => {
    const lifted = eventCodec.upcast(sample.type, sample.schemaVersion, sample.data);
    expect(lifted.schemaVersion).toBe(currentVersion(sample.type));
    expect(() => eventCodec.check(asNew({ ...sample, ...lifted } as Sample))).not.toThrow();
  });

  it.each(samples.map((sample) => [sample.type, sample] as const))(
    '%s has a closed schema that requires every field that is not optional',
    (_, sample) => {
      const extra = asNew({ ...sample, data: { ...sample.data, planted: 1 } });
      expect(() => eventCodec.check(extra)).toThrow(EventSchemaError);
      const optional = new Set(optionalFields(schemaOf(sample.type)));
      for (const name of Object.keys(sample.data).filter((one) => !optional.has(one))) {
        const { [name]: _left, ...rest } = sample.data;
        expect(() => eventCodec.check(asNew({ ...sample, data: rest }))).toThrow(EventSchemaError);
      }
    },
  );

  const fields = (Object.keys(eventTypes) as EventType[]).flatMap((type) =>
    optionalFields(schemaOf(type)).map((path) => [type, path] as const),
  );

  it('have optional fields', () => {
    expect(fields).toContainEqual(['SyncCompleted', 'balances.balanceStated']);
  });

  it.each(fields)('%s has its optional field %s in one sample, and lacks it in another', (type, path) => {
    const current = samples.filter((one) => one.type === type && one.schemaVersion === currentVersion(type));
    const parents = current.flatMap(({ data }) => parentsOf(data, path.split('.')));
    const name = path.split('.').at(-1) ?? '';
    expect(new Set(parents.map((parent) => Object.hasOwn(parent, name)))).toEqual(new Set([true, false]));
  });

  it('of a newer version are refused, and types of a newer release are left as they are', () => {
    expect(() => eventCodec.upcast('RulePaused', 99, {})).toThrow(EventSchemaError);
    expect(eventCodec.upcast('NotYetKnown', 3, { a: 1 })).toEqual({ schemaVersion: 3, data: { a: 1 } });
    expect(() => eventCodec.check(asNew({ type: 'NotYetKnown' as EventType, schemaVersion: 1, data: {} }))).toThrow(
      EventSchemaError,
    );
  });
});
