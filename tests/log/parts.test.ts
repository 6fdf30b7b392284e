import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as embedded from '../../src/log/embedded/positions.ts';
import { createGate } from '../../src/log/eventstoredb/gate.ts';
import * as remote from '../../src/log/eventstoredb/positions.ts';
import { LOG_START } from '../../src/log/log.ts';
import { prepareAppends } from '../../src/log/prepared-append.ts';
import { createWakeSignal } from '../../src/log/wake-signal.ts';
import { metadata, newTenant, openCodec, stream } from './fixtures.ts';

describe('positions', () => {
  const place = fc.bigInt({ min: 0n, max: 0xffff_ffff_ffff_ffffn });
  const position = fc.record({ commit: place, prepare: place });

  it('of EventStoreDB compare as text in the order of the log, and are converted back unchanged', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        const before = a.commit < b.commit || (a.commit === b.commit && a.prepare < b.prepare);
        expect(remote.positionText(a) < remote.positionText(b)).toBe(before);
        expect(remote.parsePosition(remote.positionText(a))).toEqual(a);
        expect(remote.positionText(a) > LOG_START).toBe(true);
      }),
    );
  });

  it('of the embedded log do so too', () => {
    const counter = fc.integer({ min: 1, max: 10 ** 15 });
    fc.assert(
      fc.property(counter, counter, (a, b) => {
        expect(embedded.positionText(a) < embedded.positionText(b)).toBe(a < b);
        expect(embedded.parsePosition(embedded.positionText(a))).toBe(a);
        expect(embedded.positionText(a) > LOG_START).toBe(true);
      }),
    );
  });

  it('of the start are known, any other text is refused', () => {
    expect(remote.parsePosition(LOG_START)).toBeUndefined();
    expect(embedded.parsePosition(LOG_START)).toBe(0);
    for (const text of ['0', ' ', '1-1', '0'.repeat(17), `${'0'.repeat(20)}-x`, `${'0'.repeat(16)}\n`]) {
      expect(() => remote.parsePosition(text)).toThrow(RangeError);
      expect(() => embedded.parsePosition(text)).toThrow(RangeError);
    }
  });

  it('that a server before 22.6 does not send are not taken as positions', () => {
    expect(remote.sentPosition({ commit: 0xffff_ffff_ffff_ffffn, prepare: 0xffff_ffff_ffff_ffffn })).toBeUndefined();
    expect(remote.sentPosition(undefined)).toBeUndefined();
    expect(remote.sentPosition({ commit: 1n, prepare: 1n })).toBe('00000000000000000001-00000000000000000001');
  });
});

describe('the gate', () => {
  it('never admits more than allowed, and admits everyone, in order', async () => {
    const visits = fc.array(fc.integer({ min: 0, max: 150 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(visits, fc.integer({ min: 1, max: 5 }), async (sizes, maxCount) => {
        const gate = createGate(maxCount, 100);
        const order: number[] = [];
        const inside: number[] = [];
        await Promise.all(
          sizes.map(async (bytes, index) => {
            const leave = await gate.enter(bytes);
            order.push(index);
            inside.push(bytes);
            expect(inside.length).toBeLessThanOrEqual(maxCount);
            if (inside.length > 1) expect(inside.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100);
            await turn();
            inside.splice(inside.indexOf(bytes), 1);
            leave();
            leave();
          }),
        );
        expect(order).toEqual(sizes.map((_, index) => index));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a wake', () => {
  it('keeps a notification for the next sleep, once', async () => {
    const wake = createWakeSignal();
    wake.notify();
    wake.notify();
    expect(await wake.wait(3_600_000)).toBe(true);
    expect(await wake.wait(1)).toBe(false);
  });

  it('wakes a sleeper', async () => {
    const wake = createWakeSignal();
    const sleeping = wake.wait();
    wake.notify();
    expect(await sleeping).toBe(true);
    expect(await wake.wait(1)).toBe(false);
  });
});

describe('many appends', () => {
  const tenant = newTenant();
  const append = (id: string) => ({
    stream: stream(tenant),
    expected: 'no-stream' as const,
    events: [{ id, type: 'Noted', data: { text: 'a' }, metadata: metadata(tenant) }],
  });
  const id = '01a20234-5ccf-7449-a6d0-28698000a01e';

  it('are prepared in their order while others get their turn', async () => {
    const appends = Array.from({ length: 1_000 }, () => append(id));
    let turns = 0;
    let over = false;
    const others = (async () => {
      for (; !over; turns += 1) await turn();
    })();
    const prepared = await prepareAppends(appends, openCodec);
    over = true;
    await others;
    expect(prepared.map((one) => one.stream)).toEqual(appends.map((one) => one.stream));
    expect(turns).toBeGreaterThanOrEqual(3);
  });

  it('are refused as a whole when one of the last is wrong', async () => {
    const appends = [...Array.from({ length: 300 }, () => append(id)), append('none')];
    await expect(prepareAppends(appends, openCodec)).rejects.toThrow();
  });
});
