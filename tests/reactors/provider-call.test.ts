import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { callProvider } from '../../src/reactors/syncs/provider-call.ts';

const LONG_MS = 30 * 60_000;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a call of a bank', () => {
  it('does not keep its answer in memory until its time limit ends', async () => {
    const { signal } = new AbortController();
    const answers: WeakRef<object>[] = [];
    for (let call = 0; call < 20; call += 1) {
      const answer = await callProvider(signal, LONG_MS, async () => ({ rows: new Array(1_000).fill(call) }));
      answers.push(new WeakRef(answer));
    }
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    const kept = answers.filter((answer) => answer.deref() !== undefined);
    expect(kept.length).toBeLessThan(3);
  });

  it('ends at its time limit, whether or not the bank observes the signal', async () => {
    const { signal } = new AbortController();
    const never = callProvider(signal, 1, () => new Promise<never>(() => {}));
    await expect(never).rejects.toMatchObject({ kind: 'transient', code: 'PROVIDER_TIMEOUT' });
  });

  it('ends with the reason of the signal', async () => {
    const stopping = new AbortController();
    const never = callProvider(stopping.signal, LONG_MS, () => new Promise<never>(() => {}));
    stopping.abort(new Error('stopped'));
    await expect(never).rejects.toThrow('stopped');
  });
});
