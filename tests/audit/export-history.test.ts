import { afterEach, beforeEach, expect, it } from 'vitest';
import { exportHistory } from '../../src/audit/export-history.ts';
import { openSealingKey } from '../../src/audit/seal.ts';
import { streamName } from '../../src/log/streams.ts';
import { history } from '../../src/projections/history.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';
import { recorded } from '../support/facts.ts';
import { type SmallWorld, smallWorld } from '../support/small-reactor-services.ts';

let world: SmallWorld;
beforeEach(async () => {
  world = await smallWorld(systemClock, [history]);
});
afterEach(() => world.stop());

const LONG = 60_000;
const EVENTS = 40;

it('is made in parts that do not grow with the events in a row that are large', async () => {
  const { log, readModels } = world.services;
  const appends = Array.from({ length: EVENTS }, () => {
    const transactionId = newId();
    const metadata = {
      schemaVersion: 1,
      tenantId: 'a',
      companyId: 'company',
      actor: { type: 'system' as const, id: 'x'.repeat(LONG) },
      correlationId: 'test',
      causationId: null,
    };
    const stream = streamName('bankTransaction', 'a', transactionId);
    return {
      stream,
      expected: 'no-stream' as const,
      events: [{ id: newId(), ...recorded({ transactionId }), metadata }],
    };
  });
  await log.appendMany(appends);
  const position = await log.head();
  await world.runner.waitFor([history.name], position, 100_000);
  const lengths: number[] = [];
  const parts: string[] = [];
  for await (const part of exportHistory({ log, readModels }, openSealingKey(Buffer.alloc(32, 1)), 'a', position)) {
    lengths.push(part.length);
    parts.push(part);
  }
  expect(parts.join('').trimEnd().split('\n')).toHaveLength(EVENTS + 2);
  expect(Math.max(...lengths)).toBeLessThan(3 * LONG);
});
