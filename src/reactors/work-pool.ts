import { createFairQueue, type Place } from '../shared/fair-queue.ts';
import type { Logger } from './reactor.ts';

/** Work of one tenant: what is under way or waiting under the key is not taken a second time. */
export type OfferedWork = {
  readonly tenantId: string;
  readonly key: string;
  /** Gives true when something was done. Whatever it waits for, it rests meanwhile, so that others have its place. */
  readonly work: (signal: AbortSignal, place: Place) => Promise<boolean>;
};

/**
 * Long work under way beside each other, so that one that takes hours or hangs keeps no other from starting. Tenants
 * take turns, and none has more than half of the places.
 */
export type WorkPool = {
  readonly offer: (offered: OfferedWork) => void;
  /** Aborts everything and resolves when all of it has let go. */
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
      // What the work does can always be done again: the next look finds it open still.
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
