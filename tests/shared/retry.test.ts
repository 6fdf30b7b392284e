import { describe, expect, it } from 'vitest';
import { retry } from '../../src/shared/retry.ts';

class Passing extends Error {}

/** Fails with the given errors, one per call, and then succeeds. */
function failing(...failures: readonly Error[]) {
  const left = [...failures];
  let calls = 0;
  return {
    calls: () => calls,
    task: async () => {
      calls += 1;
      const failure = left.shift();
      if (failure !== undefined) throw failure;
      return 'done';
    },
  };
}

const backoff = { firstMs: 1, mostMs: 1 };
const isPassing = (error: unknown): boolean => error instanceof Passing;

describe('a task that is retried', () => {
  it('succeeds after transient failures, each of them reported', async () => {
    const { task, calls } = failing(new Passing('one'), new Passing('two'));
    const reported: unknown[] = [];
    expect(await retry(task, { isPassing, backoff, onFailure: (error) => reported.push(error) })).toBe('done');
    expect(calls()).toBe(3);
    expect(reported).toHaveLength(2);
  });

  it('fails at once for a failure that does not pass', async () => {
    const { task, calls } = failing(new Error('for good'));
    await expect(retry(task, { isPassing, backoff })).rejects.toThrow('for good');
    expect(calls()).toBe(1);
  });

  it('gives up when the next attempt would be too late', async () => {
    const { task, calls } = failing(new Passing('slow'));
    await expect(retry(task, { isPassing, backoff: { firstMs: 100, mostMs: 100 }, giveUpMs: 10 })).rejects.toThrow(
      'slow',
    );
    expect(calls()).toBe(1);
  });

  it('ends with the last failure when it is aborted', async () => {
    const stopping = new AbortController();
    const { task, calls } = failing(new Passing('away'), new Passing('still away'));
    const onFailure = (): void => stopping.abort();
    await expect(retry(task, { isPassing, backoff, signal: stopping.signal, onFailure })).rejects.toThrow('away');
    expect(calls()).toBe(1);
  });
});
