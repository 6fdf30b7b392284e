import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import { type EventLog, LOG_START } from '../../src/log/log.ts';
import { type StandIn, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { codec, newTenant, notes, stream, subscribeUntil } from './fixtures.ts';

const tenant = newTenant();
let standIn: StandIn;
let log: EventLog;

beforeEach(async () => {
  standIn = await startStandIn();
  log = openEventStoreDbLog({ connectionString: standIn.connectionString, codec });
});
afterEach(async () => {
  await log.close();
  await standIn.stop();
});

async function append(count: number): Promise<void> {
  await log.append({ stream: stream(tenant), expected: 'no-stream', events: notes(tenant, count) });
}

/** Ours and others' events in turn, in the shares of the numbers. */
async function mix(rounds: number, ours: number, others: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await append(ours);
    standIn.addForeignEvents(others);
  }
}

describe('what comes after a position on EventStoreDB', () => {
  it('is counted where it is little, events of others left out', async () => {
    standIn.addForeignEvents(20);
    await append(30);
    standIn.addForeignEvents(20);
    expect(await log.remainder(LOG_START)).toMatchObject({ events: 30, isEstimate: false });
    expect(await log.remainder(await log.head())).toEqual({ events: 0, isEstimate: false, oldestAt: null });
  });

  it('is estimated where it is much, and says so', async () => {
    await mix(100, 40, 10);
    const remainder = await log.remainder(LOG_START);
    expect(remainder.isEstimate).toBe(true);
    expect(remainder.events).toBeGreaterThan(3_200);
    expect(remainder.events).toBeLessThan(4_800);
    expect(remainder.oldestAt).not.toBeNull();
  });

  it('is estimated by what subscriptions have passed where the next events are unlike the others', async () => {
    await mix(100, 40, 10);
    const position = await log.head();
    await subscribeUntil(log, { after: LOG_START }, (batches) => batches.at(-1)?.caughtUp === true);
    standIn.addForeignEvents(200);
    await mix(50, 40, 10);
    const remainder = await log.remainder(position);
    expect(remainder.isEstimate).toBe(true);
    expect(remainder.events).toBeGreaterThan(1_600);
    expect(remainder.events).toBeLessThan(2_400);
  });

  it('costs a small read, however much it is', async () => {
    await append(5_000);
    await log.remainder(LOG_START);
    const before = standIn.reads();
    await log.remainder(LOG_START);
    expect(standIn.reads() - before).toBe(2);
  });
});
