import { readdirSync, readFileSync } from 'node:fs';
import type { RecordedEvent } from '../../src/events/event.ts';
import { eventCodec } from '../../src/events/registry.ts';
import type { Category } from '../../src/log/streams.ts';
import { recordedEvent } from './recorded-events.ts';

const FOLDER = new URL('../events/golden/', import.meta.url);

const CATEGORIES: Readonly<Record<string, Category>> = {
  Company: 'company',
  User: 'user',
  ApiKey: 'apiKey',
  Connection: 'bankConnection',
  Sync: 'syncRun',
  Transaction: 'bankTransaction',
  Rule: 'transactionRule',
  TenantSealed: 'seal',
  Tenant: 'tenant',
  Run: 'ruleRun',
  ScheduleRun: 'scheduleRun',
  Schedule: 'schedule',
};

const IDS: Readonly<Record<string, string>> = {
  Connection: 'acc-1',
  Sync: 'y-1',
  Transaction: 't-1',
  Rule: 'r-1',
  Run: 'run-1',
};

const FIRST = /Created|Opened|SyncRequested|RunRequested|RunQueued|Recorded|Attached/;

/** Every stored sample as the log would give it back, in an order in which each aggregate's first event comes first. */
export function goldenHistory(): RecordedEvent[] {
  const samples = readdirSync(FOLDER)
    .sort()
    .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
  samples.sort((one, other) => Number(FIRST.test(other.type)) - Number(FIRST.test(one.type)));
  return samples.map((sample) => {
    const kind = Object.keys(CATEGORIES).find((name) => sample.type.startsWith(name)) ?? '';
    const { data } = eventCodec.upcast(sample.type, sample.schemaVersion, sample.data);
    return recordedEvent(CATEGORIES[kind] ?? 'tenant', IDS[kind] ?? 'x', { ...sample, data });
  });
}
