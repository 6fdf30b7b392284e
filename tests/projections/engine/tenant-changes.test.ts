import { describe, expect, it } from 'vitest';
import { createTenantChanges, type ListenForChanges } from '../../../src/projections/engine/tenant-changes.ts';

const never = new AbortController().signal;
const LONG_MS = 20_000;

/** Notices that a test gives by hand. */
function byHand() {
  const given = { listening: 0, notice: (() => {}) as Parameters<ListenForChanges>[0], settled: [] as string[] };
  const changes = createTenantChanges({
    listen(onChanged, signal) {
      given.listening += 1;
      given.notice = onChanged;
      signal.addEventListener('abort', () => {
        given.listening -= 1;
      });
    },
    settled: async (position) => void given.settled.push(position),
  });
  return { given, changes };
}

describe('notices of changes', () => {
  it('wake who waits for the tenant, once the read models contain what was noticed, and nobody else', async () => {
    const { given, changes } = byHand();
    const [mine, other] = [changes.watch('mine'), changes.watch('other')];
    const woken: string[] = [];
    const waiting = mine.next(LONG_MS, never).then(() => woken.push('mine'));
    const over = new AbortController();
    const foreign = other.next(LONG_MS, over.signal).then(() => woken.push('other'));
    given.notice(['mine', 'unknown'], '7');
    await waiting;
    expect(given.settled).toEqual(['7']);
    expect(woken).toEqual(['mine']);
    over.abort();
    await foreign;
  });

  it('that come while nobody waits are kept for the next wait', async () => {
    const { given, changes } = byHand();
    const watch = changes.watch('mine');
    given.notice(['mine'], '1');
    await watch.next(LONG_MS, never);
    const all = watch.next(LONG_MS, never);
    given.notice(null, '2');
    await all;
    expect(given.settled).toEqual(['1', '2']);
  });

  it('are listened for only while somebody watches', () => {
    const { given, changes } = byHand();
    expect(given.listening).toBe(0);
    const [one, two] = [changes.watch('mine'), changes.watch('mine')];
    expect(given.listening).toBe(1);
    one.end();
    one.end();
    expect(given.listening).toBe(1);
    two.end();
    expect(given.listening).toBe(0);
    changes.watch('mine').end();
    expect(given.listening).toBe(0);
  });
});
