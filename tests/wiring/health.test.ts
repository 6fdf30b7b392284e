import { describe, expect, it } from 'vitest';
import type { PartHealth } from '../../src/http/core/part-health.ts';
import type { EventLog } from '../../src/log/log.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { healthOf, type ProjectionHealth } from '../../src/wiring/health.ts';
import { watchPreparation } from '../../src/wiring/preparation.ts';

const LIVE: ProjectionHealth = {
  name: 'transactions',
  state: 'live',
  lagEvents: 0,
  lagIsEstimate: false,
  lagMs: 0,
  error: null,
};

async function partsOf(
  status: Partial<ProjectionHealth>,
  partial: readonly string[] = [],
  isPrepared = async () => true,
): Promise<PartHealth[]> {
  const answers = { ping: async () => {} };
  return healthOf({
    log: answers as EventLog,
    readStore: answers as ReadStore,
    ahead: async () => [],
    background: async () => ({ projections: [{ ...LIVE, ...status }], workers: [] }),
    partial: async (names) => names.filter((name) => partial.includes(name)),
    isPrepared,
  });
}

async function isReady(status: Partial<ProjectionHealth>, partial: readonly string[] = []): Promise<boolean> {
  return (await partsOf(status, partial)).every(({ ok }) => ok);
}

describe('an instance', () => {
  it('is ready once its read models are whole, also while they are somewhat behind', async () => {
    expect(await isReady({})).toBe(true);
    expect(await isReady({ state: 'catching-up', lagEvents: 900, lagMs: 50_000 })).toBe(true);
  });

  it('is not ready while a read model is not whole, halted or far behind', async () => {
    expect(await isReady({ state: 'catching-up' }, ['transactions'])).toBe(false);
    expect(await isReady({ state: 'halted' })).toBe(false);
    expect(await isReady({ lagMs: 60_001 })).toBe(false);
  });

  it('is not ready either while another instance fills a read model for the first time', async () => {
    expect(await isReady({ state: 'standby' })).toBe(true);
    const parts = await partsOf({ state: 'standby' }, ['transactions']);
    expect(parts.find(({ name }) => name === 'projection transactions')).toMatchObject({
      state: 'catching-up',
      ok: false,
    });
  });

  it('is not ready in a first start until requests find its tenant', async () => {
    const positions = { companies: '', 'api-keys': '' };
    const { made, isPrepared } = watchPreparation({
      positionOf: async (name) => positions[name as keyof typeof positions],
    });
    const isFirstStartOpen = async () => {
      const part = (await partsOf({}, [], isPrepared)).find(({ name }) => name === 'first start');
      return part?.ok === false;
    };
    expect(await isFirstStartOpen()).toBe(true);
    made('0000000000000005');
    expect(await isFirstStartOpen()).toBe(true);
    positions.companies = '0000000000000005';
    expect(await isFirstStartOpen()).toBe(true);
    positions['api-keys'] = '0000000000000006';
    expect(await isFirstStartOpen()).toBe(false);
  });

  it('is prepared at once in every later start', async () => {
    const { made, isPrepared } = watchPreparation({ positionOf: async () => '' });
    made(null);
    expect(await isPrepared()).toBe(true);
  });

  it('says where the distance is an estimate', async () => {
    const [one] = (await partsOf({ lagEvents: 5_000, lagIsEstimate: true })).slice(2);
    expect(one).toMatchObject({ lagEvents: 5_000, lagEstimated: true });
  });
});
