import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
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

describe('stored events', () => {
  it('have one sample for every type and version there ever was', () => {
    const wanted = (Object.keys(eventTypes) as EventType[]).flatMap((type) =>
      Array.from({ length: currentVersion(type) }, (_, index) => `${type} ${index + 1}`),
    );
    expect(samples.map(({ type, schemaVersion }) => `${type} ${schemaVersion}`).sort()).toEqual(wanted.sort());
  });

  it.each(samples.map((sample) => [sample.type, sample] as const))('%s is read as the newest version', (_, sample) => {
    const lifted = eventCodec.upcast(sample.type, sample.schemaVersion, sample.data);
    expect(lifted.schemaVersion).toBe(currentVersion(sample.type));
    expect(() => eventCodec.check(asNew({ ...sample, ...lifted } as Sample))).not.toThrow();
  });

  it.each(samples.map((sample) => [sample.type, sample] as const))('%s is closed, and misses nothing', (_, sample) => {
    const extra = asNew({ ...sample, data: { ...sample.data, planted: 1 } });
    expect(() => eventCodec.check(extra)).toThrow(EventSchemaError);
    for (const name of Object.keys(sample.data)) {
      const { [name]: _left, ...rest } = sample.data;
      expect(() => eventCodec.check(asNew({ ...sample, data: rest }))).toThrow(EventSchemaError);
    }
  });

  it('of the future are refused, and types of a newer release pass by as they are', () => {
    expect(() => eventCodec.upcast('RulePaused', 99, {})).toThrow(EventSchemaError);
    expect(eventCodec.upcast('NotYetKnown', 3, { a: 1 })).toEqual({ schemaVersion: 3, data: { a: 1 } });
    expect(() => eventCodec.check(asNew({ type: 'NotYetKnown' as EventType, schemaVersion: 1, data: {} }))).toThrow(
      EventSchemaError,
    );
  });
});
