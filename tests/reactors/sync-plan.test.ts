import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addDays, planSync } from '../../src/reactors/syncs/sync-plan.ts';

const TODAY = '2026-03-31';
const base = { subAccountKeys: ['a'], covered: {}, from: null, to: null, windowDays: 30, today: TODAY };

describe('the plan of a sync', () => {
  it('is the last 90 days the first time, today included', () => {
    const { windows, coverage } = planSync(base);
    expect(windows[0]?.fromDay).toBe('2026-01-01');
    expect(windows.at(-1)?.toDay).toBe('2026-04-01');
    expect(windows).toHaveLength(3);
    expect(coverage).toEqual([{ subAccountKey: 'a', fromDay: '2026-01-01', toDay: '2026-04-01', toNow: true }]);
  });

  it('continues 7 full days before the last day covered, however long ago that is, each account from its own', () => {
    const { coverage } = planSync({ ...base, subAccountKeys: ['a', 'b'], covered: { a: '2025-01-10' } });
    expect(coverage.map((one) => one.fromDay)).toEqual(['2025-01-02', '2026-01-01']);
  });

  it('is what the request says, and then covers only that', () => {
    const { windows, coverage } = planSync({ ...base, from: '2026-01-01', to: '2026-01-05' });
    expect(windows).toEqual([{ subAccountKey: 'a', fromDay: '2026-01-01', toDay: '2026-01-05' }]);
    expect(coverage[0]?.toNow).toBe(false);
  });

  it('requests nothing after today', () => {
    const { windows } = planSync({ ...base, from: '2026-03-30', to: '9999-12-31' });
    expect(windows).toEqual([{ subAccountKey: 'a', fromDay: '2026-03-30', toDay: '2026-04-01' }]);
  });

  it('requests everything from a bank without windows', () => {
    expect(planSync({ ...base, windowDays: null }).windows).toEqual([
      { subAccountKey: 'a', fromDay: '1970-01-01', toDay: '2026-04-01' },
    ]);
  });

  it('leaves no day out, requests none twice, and respects the window of the bank', () => {
    const days = fc.integer({ min: 0, max: 400 });
    fc.assert(
      fc.property(days, days, fc.integer({ min: 1, max: 90 }), (start, length, windowDays) => {
        const from = addDays('2025-01-01', start);
        const to = addDays(from, length);
        const { windows } = planSync({ ...base, from, to, windowDays, today: '2030-01-01' });
        const asked = windows.flatMap((window) => {
          const span = (Date.parse(window.toDay) - Date.parse(window.fromDay)) / 86_400_000;
          expect(span).toBeGreaterThan(0);
          expect(span).toBeLessThanOrEqual(windowDays);
          return Array.from({ length: span }, (_, index) => addDays(window.fromDay, index));
        });
        expect(asked).toEqual(Array.from({ length }, (_, index) => addDays(from, index)));
      }),
    );
  });
});
