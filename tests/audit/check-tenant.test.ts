import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkTenant } from '../../src/audit/check-tenant.ts';
import { leafOf, sealedForm } from '../../src/audit/leaf.ts';
import { makeSeal, openSealingKey, type Seal, sealHash } from '../../src/audit/seal.ts';
import { sealStream } from '../../src/audit/tenant-events.ts';
import type { CommandContext } from '../../src/commands/command.ts';
import { metadataFor } from '../../src/commands/command.ts';
import { streamName } from '../../src/log/streams.ts';
import { history } from '../../src/projections/history.ts';
import { seals } from '../../src/projections/seals.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';
import { contextOn, type SmallWorld, smallWorld } from '../support/small-reactor-services.ts';

const KEY = openSealingKey(Buffer.alloc(32, 1));
const EVENTS = 8;
const EVENTS_A_SEAL = 2;

// That of the log in memory.
const clock = systemClock;
let world: SmallWorld;
let context: CommandContext;
beforeEach(async () => {
  world = await smallWorld(clock, [history, seals]);
  context = contextOn(world.services.log, clock, null);
});
afterEach(() => world.stop());

async function append(stream: string, type: 'CompanyCreated' | 'TenantSealed', data: object): Promise<string> {
  const { log } = world.services;
  const end = await log.readStream(stream);
  const event = { id: newId(), type, data, metadata: metadataFor(context, type, null) };
  const expected = end.length === 0 ? ('no-stream' as const) : end.length - 1;
  const appended = await log.append({ stream, expected, events: [event as never] });
  if (appended.outcome !== 'appended') throw new Error(appended.outcome);
  return appended.position;
}

/** Eight events, and only then the four seals over two each: as after an import that sealing did not keep up with. */
async function sealLate(changed: (seal: Seal) => Seal = (seal) => seal): Promise<void> {
  const { log } = world.services;
  const { tenantId } = context;
  const leaves: { readonly leaf: Buffer; readonly position: string }[] = [];
  for (let nth = 0; nth < EVENTS; nth += 1) {
    const stream = streamName('company', tenantId, `company-${nth}`);
    const data = {
      companyId: `company-${nth}`,
      name: 'Company',
      automation: true,
      createdAt: new Date(0).toISOString(),
    };
    const position = await append(stream, 'CompanyCreated', data);
    const [event] = await log.readStreamPositions(stream);
    if (event !== undefined) leaves.push({ leaf: leafOf(sealedForm(event)), position });
  }
  let previous: Parameters<typeof makeSeal>[1] = null;
  let position = '';
  for (let at = 0; at < EVENTS; at += EVENTS_A_SEAL) {
    const covered = leaves.slice(at, at + EVENTS_A_SEAL);
    const toPosition = covered.at(-1)?.position ?? '';
    const sealedAt = new Date(0).toISOString();
    const sealed = { eventCount: covered.length, leaves: () => covered.map(({ leaf }) => leaf), toPosition, sealedAt };
    const seal = changed(makeSeal(KEY, previous, sealed));
    position = await append(sealStream(tenantId), 'TenantSealed', seal);
    previous = { ordinal: seal.ordinal, totalCount: seal.totalCount, hash: sealHash(seal) };
  }
  expect(await world.runner.waitFor([history.name, seals.name], position, 100_000)).toBe(true);
}

function checkedFrom(seal: number) {
  const { log, readModels } = world.services;
  return checkTenant({ log, readModels }, context.tenantId, seal, KEY.publicKey);
}

describe('a check that begins at a later seal', () => {
  it.each([1, 2, 3, 4])('finds nothing wrong where sealing lagged behind: from seal %i', async (seal) => {
    await sealLate();
    const { fault, checkedTo } = await checkedFrom(seal);
    expect([fault, checkedTo]).toEqual([null, 4]);
  });

  it.each([1, 3, 4])('finds an earlier seal that is none of the chain: from seal %i', async (seal) => {
    await sealLate((one) => (one.ordinal === 2 ? { ...one, previousHash: '0'.repeat(64) } : one));
    expect((await checkedFrom(seal)).fault?.kind).toBe('seal');
  });
});
