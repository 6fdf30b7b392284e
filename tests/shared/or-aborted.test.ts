import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orAborted } from '../../src/shared/or-aborted.ts';

const never = new Promise<never>(() => {});

describe('a promise that is waited for until a signal aborts', () => {
  it('settles as it does, and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    expect(await orAborted(Promise.resolve(1), signal)).toBe(1);
    await expect(orAborted(Promise.reject(new Error('its own')), signal)).rejects.toThrow('its own');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is given up with the reason of the signal, or another', async () => {
    const controller = new AbortController();
    const waiting = orAborted(never, controller.signal);
    const translated = orAborted(never, controller.signal, () => new Error('given up'));
    controller.abort(new Error('over'));
    await expect(waiting).rejects.toThrow('over');
    await expect(translated).rejects.toThrow('given up');
    await expect(orAborted(never, controller.signal)).rejects.toThrow('over');
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
  });
});
