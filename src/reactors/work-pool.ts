import type { Logger } from './reactor.ts';

/** Runs long work concurrently, so that one that takes hours or hangs does not keep others from starting. */
export type WorkPool = {
  /**
   * Starts the work unless its key is already running here or the pool is full. The work returns true when something
   * was done.
   */
  readonly offer: (key: string, work: (signal: AbortSignal) => Promise<boolean>) => void;
  readonly full: () => boolean;
  /** Aborts everything and resolves when all of it has ended. */
  readonly stop: () => Promise<void>;
};

/** @param onDone called after work that did something: there may be more now */
export function createWorkPool(options: { size: number; logger: Logger; onDone: () => void }): WorkPool {
  const { size, logger, onDone } = options;
  const stopping = new AbortController();
  const underWay = new Map<string, Promise<void>>();

  async function run(key: string, work: (signal: AbortSignal) => Promise<boolean>): Promise<void> {
    let done = false;
    try {
      done = await work(stopping.signal);
    } catch (error) {
      // The work can always be repeated: the next search finds it still open.
      if (!stopping.signal.aborted) logger.warn({ work: key, err: error }, 'work failed and will be retried');
    } finally {
      underWay.delete(key);
    }
    if (done) onDone();
  }

  return {
    offer(key, work) {
      if (underWay.has(key) || underWay.size >= size || stopping.signal.aborted) return;
      underWay.set(key, run(key, work));
    },
    full: () => underWay.size >= size,
    async stop() {
      stopping.abort();
      await Promise.all(underWay.values());
    },
  };
}
