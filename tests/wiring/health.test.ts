import { describe, expect, it } from 'vitest';
import type { EventLog } from '../../src/log/log.ts';
import type { ProjectionRunner } from '../../src/projections/engine/projection-runner.ts';
import type { ProjectionStatus } from '../../src/projections/engine/projection-status.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { healthOf } from '../../src/wiring/health.ts';

const LIVE: ProjectionStatus = {
  name: 'transactions',
  version: 1,
  state: 'live',
  position: '1',
  lagEvents: 0,
  lagMs: 0,
  parkedEvents: 0,
  whole: true,
  error: null,
};

async function isReady(status: Partial<ProjectionStatus>): Promise<boolean> {
  const answers = { ping: async () => {} };
  const parts = await healthOf({
    log: answers as EventLog,
    readStore: answers as ReadStore,
    ahead: async () => [],
    runner: { status: () => [{ ...LIVE, ...status }] } as unknown as ProjectionRunner,
    reactors: [],
  });
  return parts.every(({ ok }) => ok);
}

describe('an instance', () => {
  it('is ready once its read models are whole, also while they are somewhat behind', async () => {
    expect(await isReady({})).toBe(true);
    expect(await isReady({ state: 'catching-up', lagEvents: 900, lagMs: 50_000 })).toBe(true);
  });

  it('is not ready while a read model is not whole, halted or far behind', async () => {
    expect(await isReady({ state: 'catching-up', whole: false })).toBe(false);
    expect(await isReady({ state: 'halted' })).toBe(false);
    expect(await isReady({ lagMs: 60_001 })).toBe(false);
  });
});
