import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventsSince } from '../../src/analytics/source.ts';
import type { EventLog } from '../../src/log/log.ts';
import { LOG_START, type LogBatch } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { newId } from '../../src/shared/ids.ts';
import { recorded } from '../support/facts.ts';
import { memoryLog } from '../support/small-reactor-services.ts';

let log: EventLog;
beforeEach(() => {
  log = memoryLog();
});
afterEach(() => log.close());

/** One event for each tenant named, in that order. @returns their positions */
async function append(tenants: readonly string[]): Promise<string[]> {
  const appends = tenants.map((tenantId) => {
    const transactionId = newId();
    const metadata = {
      schemaVersion: 1,
      tenantId,
      companyId: 'company',
      actor: { type: 'system' as const, id: 'test' },
      correlationId: 'test',
      causationId: null,
    };
    return {
      stream: streamName('bankTransaction', tenantId, transactionId),
      expected: 'no-stream' as const,
      events: [{ id: newId(), ...recorded({ transactionId }), metadata }],
    };
  });
  const results = await log.appendMany(appends);
  return results.map((result) => (result.outcome === 'appended' ? result.position : ''));
}

/** The log, and the tenants of all events that it has given. */
function watched(): { log: EventLog; given: string[] } {
  const given: string[] = [];
  const note = (batch: LogBatch): LogBatch => {
    given.push(...batch.events.map(({ metadata }) => metadata.tenantId));
    return batch;
  };
  const watching: Partial<EventLog> = {
    readAll: async (options) => note(await log.readAll(options)),
    async *subscribe(options) {
      for await (const batch of log.subscribe(options)) yield note(batch);
    },
  };
  return { log: { ...watching, head: () => log.head() } as EventLog, given };
}

async function positionsSince(from: string, upTo: string, watching: EventLog, onPart = (): void => {}) {
  const pace = <T>(read: () => Promise<T>): Promise<T> => {
    onPart();
    return read();
  };
  const source = { log: watching, reader: { tenantId: 'own' }, tenant: { tenantId: 'own' }, position: from, pace };
  const found: string[] = [];
  for await (const event of eventsSince(source as never, upTo, ['bankTransaction'])) {
    expect(event.metadata.tenantId).toBe('own');
    found.push(event.position);
  }
  return found;
}

const tenants = Array.from({ length: 3_000 }, (_, nth) => (nth % 10 === 0 ? 'own' : 'other'));

it('gives the events of the tenant between two positions, and reads hardly any of another one', async () => {
  const positions = await append(tenants);
  const own = positions.filter((_, nth) => tenants[nth] === 'own');
  for (const [from, upTo] of [
    [LOG_START, own.at(-1)],
    [LOG_START, positions.at(-1)],
    [own[3], own[290]],
    [positions[1], positions[4]],
    [own[7], own[7]],
    [own[7], own[8]],
  ] as const) {
    const { log: watching, given } = watched();
    const wanted = own.filter((position) => position > (from ?? '') && position <= (upTo ?? ''));
    expect(await positionsSince(from ?? '', upTo ?? '', watching)).toEqual(wanted);
    expect(given.filter((tenantId) => tenantId === 'other').length).toBeLessThanOrEqual(250);
  }
});

it('reads in parts, each when it is the turn of the tenant', async () => {
  const positions = await append(Array.from({ length: 1_100 }, () => 'own'));
  let parts = 0;
  const found = await positionsSince(LOG_START, positions.at(-1) ?? '', log, () => {
    parts += 1;
  });
  expect(found).toEqual(positions);
  expect(parts).toBe(5);
});

it('ends its subscription when nobody reads on', async () => {
  const positions = await append(Array.from({ length: 600 }, () => 'own'));
  let ended = false;
  const watching = {
    readAll: (options: Parameters<EventLog['readAll']>[0]) => log.readAll(options),
    async *subscribe(options: Parameters<EventLog['subscribe']>[0]) {
      try {
        yield* log.subscribe(options);
      } finally {
        ended = options.signal.aborted;
      }
    },
  } as unknown as EventLog;
  const pace = <T>(read: () => Promise<T>): Promise<T> => read();
  const source = { log: watching, reader: { tenantId: 'own' }, position: LOG_START, pace };
  let count = 0;
  for await (const _ of eventsSince(source as never, positions.at(-1) ?? '', ['bankTransaction'])) {
    count += 1;
    if (count === 300) break;
  }
  expect(ended).toBe(true);
});
