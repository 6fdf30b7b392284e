import { queryObjects } from 'node:v8';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSealingKey } from '../../src/audit/seal.ts';
import { sealTenant } from '../../src/audit/seal-tenant.ts';
import { type CommandContext, metadataFor } from '../../src/commands/command.ts';
import { streamName } from '../../src/log/streams.ts';
import { history } from '../../src/projections/history.ts';
import { seals } from '../../src/projections/seals.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';
import { forcedCollections } from '../support/forced-collections.ts';
import { contextOn, type SmallWorld, smallWorld } from '../support/small-reactor-services.ts';

// That of the log in memory.
const clock = systemClock;
let world: SmallWorld;
beforeEach(async () => {
  world = await smallWorld(clock, [history, seals]);
});
afterEach(() => world.stop());

/** Events of one company, until the read models show them. */
async function recordCompanies(context: CommandContext, count: number): Promise<void> {
  const appended = await world.services.log.append({
    stream: streamName('company', context.tenantId, 'company'),
    expected: 'no-stream',
    events: Array.from({ length: count }, () => ({
      id: newId(),
      type: 'CompanyCreated',
      data: { companyId: 'company', name: 'Company', automation: true, createdAt: '2026-03-01T12:00:00.000Z' },
      metadata: metadataFor(context, 'CompanyCreated', null),
    })),
  });
  const position = appended.outcome === 'appended' ? appended.position : '';
  expect(await world.runner.waitFor([history.name, seals.name], position, 100_000)).toBe(true);
}

it('is not sealed once more while the read model does not show its newest seal', async () => {
  const { log, readModels } = world.services;
  const context = contextOn(log, clock, null);
  const appended = await log.append({
    stream: streamName('tenant', context.tenantId, context.tenantId),
    expected: 'no-stream',
    events: [
      {
        id: newId(),
        type: 'TenantCreated',
        data: { name: 'Tenant', createdAt: '2026-03-01T12:00:00.000Z' },
        metadata: metadataFor(context, 'TenantCreated', null),
      },
    ],
  });
  const position = appended.outcome === 'appended' ? appended.position : '';
  expect(await world.runner.waitFor([history.name], position, 100_000)).toBe(true);
  await world.runner.stop();
  const sealing = { log, readModels, key: openSealingKey(Buffer.alloc(32, 1)), sealAfterMs: 0 };
  expect(await sealTenant(sealing, context)).not.toBeNull();
  expect(await sealTenant(sealing, context)).toBeNull();
});

it('holds no object for each of the events that it covers', async () => {
  const EVENTS = 3_000;
  const { log, readModels } = world.services;
  const context = contextOn(log, clock, null);
  await recordCompanies(context, EVENTS);
  const key = openSealingKey(Buffer.alloc(32, 1));
  const before = queryObjects(Uint8Array, { format: 'count' });
  let beside = Number.POSITIVE_INFINITY;
  const sign = (text: string): string => {
    beside = queryObjects(Uint8Array, { format: 'count' }) - before;
    return key.sign(text);
  };
  expect(await sealTenant({ log, readModels, key: { ...key, sign }, sealAfterMs: 0 }, context)).not.toBeNull();
  expect(beside).toBeLessThan(EVENTS / 10);
});

it('does not leave the garbage of many events to grow', async () => {
  const { log, readModels } = world.services;
  const context = contextOn(log, clock, null);
  await recordCompanies(context, 600);
  const key = openSealingKey(Buffer.alloc(32, 1));
  expect(await forcedCollections(() => sealTenant({ log, readModels, key, sealAfterMs: 0 }, context))).toBeGreaterThan(
    0,
  );
});
