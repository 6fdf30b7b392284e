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
  SubAccount: 'subAccount',
  Sync: 'syncRun',
  Transaction: 'bankTransaction',
  Rule: 'transactionRule',
  TenantSealed: 'seal',
  Tenant: 'tenant',
  Run: 'ruleRun',
  ScheduleRun: 'scheduleRun',
  Schedule: 'schedule',
  Webhook: 'webhook',
};

const IDS: Readonly<Record<string, string>> = {
  Connection: 'acc-1',
  Sync: 'y-1',
  Transaction: 't-1',
  Rule: 'r-1',
  Run: 'run-1',
};

/** The samples in the order in which they were added, each aggregate's first event first. */
export const ORDER = new URL('../fixtures/golden-order.json', import.meta.url);

/** The names of the samples in their order; those not in the stored order yet are last. */
export function orderedSamples(): string[] {
  const known: string[] = JSON.parse(readFileSync(ORDER, 'utf8'));
  const added = readdirSync(FOLDER).filter((name) => !known.includes(name));
  return [...known, ...added.sort()];
}

/** Every stored sample as the log would return it. New ones are added at the end, so that no other sample moves. */
export function goldenHistory(): RecordedEvent[] {
  const samples = orderedSamples().map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')));
  return samples.map((sample) => {
    const kind = Object.keys(CATEGORIES).find((name) => sample.type.startsWith(name)) ?? '';
    const { data } = eventCodec.upcast(sample.type, sample.schemaVersion, sample.data);
    const id = sample.data.transactionId ?? IDS[kind] ?? 'x';
    return recordedEvent(CATEGORIES[kind] ?? 'tenant', id, { ...sample, data });
  });
}
