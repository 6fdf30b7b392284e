import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { openNewestChanges } from '../../src/log/embedded/newest-changes.ts';
import { type Append, type EventLog, LOG_START } from '../../src/log/log.ts';
import { watchLog } from '../../src/log/log-link.ts';
import { meteredLog } from '../../src/log/metered-log.ts';
import type { Category } from '../../src/log/streams.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { newLogDisk, openSimulatedLog } from '../simulation/simulated-log.ts';
import { openLogInTwoThreads } from '../support/threads/log-in-two-threads.ts';
import { codec, newTenant, noted, stream } from './fixtures.ts';

const folder = mkdtempSync(join(tmpdir(), 'append-unless-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newAppend = (tenant: string, category: Category = 'bankTransaction'): Append => ({
  stream: stream(tenant, undefined, category),
  expected: 'no-stream',
  events: [noted(tenant, 'first'), noted(tenant, 'second')],
});

const LOGS: readonly (readonly [string, () => EventLog])[] = [
  ['the embedded log', () => openEmbeddedLog({ file: ':memory:', codec })],
  ['the embedded log in two threads', () => openLogInTwoThreads(join(folder, 'threads'), codec)],
  ['the simulated log', () => openSimulatedLog({ disk: newLogDisk(), codec, clock: systemClock })],
  ['a metered log', () => meteredLog(openEmbeddedLog({ file: ':memory:', codec }), { appended: () => {} })],
];

describe.each(LOGS)('%s that appends unless rules have changed', (_, open) => {
  const log = open();
  afterAll(() => log.close());
  const unless = async (appends: readonly Append[], tenantId: string, after: string) => {
    const results = await log.appendManyUnless?.(appends, { category: 'transactionRule', tenantId, after });
    if (results === undefined) throw new Error('the log takes no conditions');
    return results.map(({ outcome }) => outcome);
  };

  it('appends while they have not, whatever happens to other tenants and categories', async () => {
    const tenant = newTenant();
    await log.append(newAppend(tenant, 'transactionRule'));
    const after = await log.head();
    for (const other of [newAppend(newTenant(), 'transactionRule'), newAppend(tenant, 'ruleRun'), newAppend(tenant)]) {
      await log.append(other);
    }
    const appends = [newAppend(tenant), newAppend(tenant)];
    expect(await unless(appends, tenant, after)).toEqual(['appended', 'appended']);
    for (const { stream: name } of appends) expect(await log.readStream(name)).toHaveLength(2);
  });

  it('writes nothing once one of the tenant has, and recognises what it has appended before', async () => {
    for (let round = 0; round < 6; round += 1) {
      const tenant = newTenant();
      // Of two threads, the one that appended the rule and the one that has to know of it change places.
      if (round % 3 === 2) await log.append(newAppend(tenant));
      const after = await log.head();
      const before = newAppend(tenant);
      expect(await unless([before], tenant, after)).toEqual(['appended']);
      await log.append(newAppend(tenant, 'transactionRule'));
      const late = newAppend(tenant);
      expect(await unless([late, before], tenant, after)).toEqual(['conflict', 'appended']);
      expect(await log.readStream(late.stream)).toEqual([]);
      expect(await unless([late], tenant, await log.head())).toEqual(['appended']);
    }
  });

  it('has a condition that holds for all of a call although the call is several commits', async () => {
    const tenant = newTenant();
    await log.append(newAppend(tenant));
    const after = await log.head();
    const appends = Array.from({ length: 1_200 }, () => newAppend(tenant));
    const [outcomes] = await Promise.all([
      unless(appends, tenant, after),
      log.append(newAppend(tenant, 'transactionRule')),
    ]);
    const events = (await log.readAll({ after, limit: 10_000 })).events;
    const changedAt = events.findIndex(({ stream: name }) => name.startsWith('transactionRule'));
    const late = new Set(events.slice(changedAt).map(({ stream: name }) => name));
    expect(appends.filter((append) => late.has(append.stream))).toEqual([]);
    const appended = outcomes.filter((outcome) => outcome === 'appended').length;
    expect(new Set(events.slice(0, changedAt).map(({ stream: name }) => name)).size).toBe(appended);
  });
});

describe('an embedded log that appends unless rules have changed', () => {
  it('does not know what changed before it was opened, and so appends nothing on top of it', async () => {
    const file = join(folder, 'reopened');
    const tenant = newTenant();
    const first = openEmbeddedLog({ file, codec });
    await first.append(newAppend(tenant, 'transactionRule'));
    await first.close();
    const log = openEmbeddedLog({ file, codec });
    const changed = { category: 'transactionRule', tenantId: tenant } as const;
    const append = newAppend(tenant);
    expect(await log.appendManyUnless([append], { ...changed, after: LOG_START })).toEqual([{ outcome: 'conflict' }]);
    const results = await log.appendManyUnless([append], { ...changed, after: await log.head() });
    expect(results).toMatchObject([{ outcome: 'appended' }]);
    await log.close();
  });

  it('is the same behind the watch of its link', async () => {
    const link = watchLog(openEmbeddedLog({ file: ':memory:', codec }));
    const heard: string[] = [];
    link.onAppended((name) => heard.push(name));
    const append = newAppend('tenant');
    const changed = { category: 'transactionRule', tenantId: 'tenant', after: LOG_START } as const;
    expect(await link.log.appendManyUnless?.([append], changed)).toMatchObject([{ outcome: 'appended' }]);
    expect(heard).toEqual([append.stream]);
    await link.stop();
    await link.log.close();
  });
});

describe('what is known of the newest changes', () => {
  it('never calls changed streams unchanged, and reads each event of another thread once', () => {
    const step = fc.record({
      by: fc.constantFrom('us', 'us rolled back', 'others', 'others at length', 'question'),
      owner: fc.constantFrom('rule-a', 'rule-b', 'row-a'),
      back: fc.nat({ max: 6_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const events = ['rule-a', 'rule-b', 'row-a'];
        let read = 0;
        const changes = openNewestChanges(events.length, (from, to) => {
          read += to - from;
          return events.slice(from, to).map((owner, index) => ({ owner, position: from + index + 1 }));
        });
        let foreign = 0;
        for (const { by, owner, back } of steps) {
          const end = events.length;
          if (by === 'us' || by === 'us rolled back') {
            changes.note(`${owner}_1`, end + 1);
            if (by === 'us') {
              events.push(owner);
              changes.committed(end, end + 1);
            }
          } else if (by === 'others' || by === 'others at length') {
            const many = Array(by === 'others' ? 3 : 4_000).fill('row-b');
            events.push(owner, ...many);
            foreign += 1 + many.length;
          } else {
            const after = Math.max(0, end - back);
            const isUnchanged = changes.isUnchanged(owner, after, end);
            if (isUnchanged) expect(events.slice(after)).not.toContain(owner);
          }
        }
        expect(read).toBeLessThanOrEqual(foreign === 0 ? 0 : foreign + steps.length);
      }),
    );
  });

  it('calls streams unchanged that are, once it has read what others appended', () => {
    const events = Array<string>(10).fill('row-a');
    const changes = openNewestChanges(10, (from, to) =>
      events.slice(from, to).map((owner, index) => ({ owner, position: from + index + 1 })),
    );
    events.push('row-a', 'rule-a', 'row-a');
    expect(changes.isUnchanged('rule-a', 10, 13)).toBe(false);
    expect(changes.isUnchanged('rule-a', 12, 13)).toBe(true);
    expect(changes.isUnchanged('rule-b', 10, 13)).toBe(true);
    expect(changes.isUnchanged('rule-b', 9, 13)).toBe(false);
  });
});
