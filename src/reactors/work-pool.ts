import { createFairQueue, type Place } from '../shared/fair-queue.ts';
import type { Logger } from './reactor.ts';

/** Work of one tenant. While work of the same key runs or waits, it is not taken a second time. */
export type OfferedWork = {
  readonly tenantId: string;
  readonly key: string;
  /** Returns true when something was done. It releases its place while it waits for anything but the bank. */
  readonly work: (signal: AbortSignal, place: Place) => Promise<boolean>;
};

/**
 * Runs long work concurrently, so that one that takes hours or hangs does not keep others from starting. Tenants take
 * turns, and none has more than half of the places.
 */
export type WorkPool = {
  readonly offer: (offered: OfferedWork) => void;
  /** Aborts everything and resolves when all of it has ended. */
  readonly stop: () => Promise<void>;
};

/** @param onDone called after work that did something: there may be more now */
export function createWorkPool(options: { size: number; logger: Logger; onDone: () => void }): WorkPool {
  const { size, logger, onDone } = options;
  const queue = createFairQueue({ places: size, alone: 'half' });
  const stopping = new AbortController();
  const taken = new Map<string, Promise<void>>();

  async function run({ tenantId, key, work }: OfferedWork): Promise<void> {
    let done = false;
    try {
      done = await queue.run(tenantId, (place) => work(stopping.signal, place), stopping.signal);
    } catch (error) {
      // The work can always be repeated: the next search finds it still open.
      if (!stopping.signal.aborted) logger.warn({ work: key, err: error }, 'work failed and will be retried');
    } finally {
      taken.delete(key);
    }
    if (done) onDone();
  }

  return {
    offer(offered) {
      if (taken.has(offered.key) || stopping.signal.aborted) return;
      taken.set(offered.key, run(offered));
    },
    async stop() {
      stopping.abort();
      await Promise.all(taken.values());
    },
  };
}
