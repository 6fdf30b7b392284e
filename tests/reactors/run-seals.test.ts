import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openSealingKey } from '../../src/audit/seal.ts';
import { metadataFor } from '../../src/commands/command.ts';
import { streamName } from '../../src/log/streams.ts';
import { history } from '../../src/projections/history.ts';
import { seals } from '../../src/projections/seals.ts';
import { tenants } from '../../src/projections/tenants.ts';
import type { Pace } from '../../src/reactors/reactor-services.ts';
import { runSeals } from '../../src/reactors/run-seals.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';
import { contextOn, type SmallWorld, smallWorld } from '../support/small-reactor-services.ts';

// That of the log in memory.
const clock = systemClock;
/** As in a history with little else. */
const RENAMED = 100;
let world: SmallWorld;
beforeEach(async () => {
  world = await smallWorld(clock, [history, seals, tenants]);
});
afterEach(() => world.stop());

it('seals in pieces of a few events that take turns with the work of other tenants', async () => {
  const { log, readModels } = world.services;
  const context = contextOn(log, clock, null);
  const { tenantId } = context;
  const createdAt = '2026-03-01T12:00:00.000Z';
  const appended = await log.append({
    stream: streamName('tenant', tenantId, tenantId),
    expected: 'no-stream',
    events: Array.from({ length: RENAMED }, (_, nth) => ({
      id: newId(),
      type: 'TenantCreated',
      data: { name: `Tenant ${nth}`, createdAt },
      metadata: metadataFor(context, 'TenantCreated', null),
    })),
  });
  const position = appended.outcome === 'appended' ? appended.position : '';
  expect(await world.runner.waitFor([history.name, tenants.name], position, 100_000)).toBe(true);
  const pieces: string[] = [];
  let isInPiece = false;
  const pace: Pace = async (tenant, part) => {
    pieces.push(tenant);
    isInPiece = true;
    return part().finally(() => {
      isInPiece = false;
    });
  };
  const wasInPiece: boolean[] = [];
  const readAll = log.readAll.bind(log);
  vi.spyOn(log, 'readAll').mockImplementation((options) => {
    wasInPiece.push(isInPiece);
    return readAll(options);
  });
  const sealing = { log, readModels, key: openSealingKey(Buffer.alloc(32, 1)), sealAfterMs: 0 };
  expect(await runSeals({ ...world.services, pace }, sealing, new AbortController().signal)).toBe(true);
  expect(pieces.length).toBeGreaterThanOrEqual(RENAMED / 20);
  expect(new Set(pieces)).toEqual(new Set([tenantId]));
  expect(new Set(wasInPiece)).toEqual(new Set([true]));
});
