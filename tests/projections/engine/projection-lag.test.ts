import { describe, expect, it } from 'vitest';
import { createLagGauge } from '../../../src/projections/engine/projection-lag.ts';
import { scriptedLog } from './scripted-log.ts';

describe('the lag of a projection', () => {
  it('is not the age of the log for one that had not started when it was measured', async () => {
    const log = scriptedLog();
    log.record({ key: 'old' }, { key: 'newer' }, { key: 'newest' });
    const gauge = createLagGauge(log, { now: () => 1_800_000_000_000 });
    const [first, second] = log.events;
    await gauge.measure(['']);
    expect(gauge.at('')).toMatchObject({ lagEvents: 3 });
    // Started since, from a checkpoint near the end: events before the checkpoint are not part of its lag.
    expect(gauge.at(second?.position ?? '')).toMatchObject({ lagEvents: 0, lagMs: 0 });
    await gauge.measure(['', second?.position ?? '']);
    expect(gauge.at('')).toMatchObject({ lagEvents: 3 });
    expect(gauge.at(second?.position ?? '')).toMatchObject({ lagEvents: 1 });
    expect(gauge.at(first?.position ?? '')).toMatchObject({ lagEvents: 1 });
  });
});
