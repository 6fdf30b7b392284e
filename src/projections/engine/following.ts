import type { EventLog, LogBatch } from '../../log/log.ts';
import type { Collection, ReadStore } from '../../readstore/read-store.ts';
import { type Backoff, backoffMs } from '../../shared/backoff.ts';
import { sleep } from '../../shared/retry.ts';
import { flipLive, type LiveVersion, liveVersionOrFirst } from './live-versions.ts';
import type { Left, ProjectionWorker } from './projection-worker.ts';
import { MAX_BATCH, readAhead } from './read-ahead.ts';
import { verifyCollection } from './rebuild.ts';
import type { SharedFeed } from './shared-feed.ts';
import { persistently } from './waiting.ts';

export type Following = {
  /** Follows the log from the worker's position, on the shared feed as soon as it can, until it leaves. */
  readonly follow: (worker: ProjectionWorker) => Promise<Left>;
  /** Ends the worker's own subscription, or its part in the shared one. */
  readonly leave: (worker: ProjectionWorker) => void;
};

export function createFollowing(options: {
  readonly log: EventLog;
  readonly readStore: ReadStore;
  readonly feed: SharedFeed;
  readonly registry: () => Promise<Collection<LiveVersion>>;
  readonly backoff: Backoff;
  readonly signal: AbortSignal;
  readonly onFlipped: (worker: ProjectionWorker) => void;
}): Following {
  const { log, readStore, feed, backoff, signal } = options;
  const alone = new Map<ProjectionWorker, AbortController>();

  function retrying<T>(worker: ProjectionWorker, task: () => Promise<T>): Promise<T> {
    return persistently(task, { backoff, signal, onFault: worker.noteFault });
  }

  const readOn = (worker: ProjectionWorker): Promise<LogBatch> =>
    retrying(worker, () => log.readAll({ after: worker.folded(), limit: MAX_BATCH }));

  async function follow(worker: ProjectionWorker): Promise<Left> {
    if (!worker.live) {
      const left = await buildBesideLive(worker);
      if (left !== undefined) return left;
    }
    for (;;) {
      const joined = feed.join(worker);
      if (joined !== undefined) return joined;
      if (feed.isWithinReach(worker.folded()) && (await readOn(worker)).caughtUp) {
        return (await feed.joinOver(worker, (position) => bridge(worker, position))).left;
      }
      const left = await followAlone(worker, (batch) => batch.caughtUp && feed.isWithinReach(worker.folded()));
      if (left !== undefined) return left;
    }
  }

  async function bridge(worker: ProjectionWorker, position: string): Promise<Left | undefined> {
    while (worker.folded() < position) {
      const page = await readOn(worker);
      const left = await worker.apply(page);
      if (left !== undefined) return left;
      if (page.caughtUp) return undefined;
    }
    return undefined;
  }

  /** A subscription of its own, until the condition holds after a batch. A broken one is resumed. */
  async function followAlone(
    worker: ProjectionWorker,
    enough: (batch: LogBatch) => boolean,
  ): Promise<Left | undefined> {
    const own = new AbortController();
    alone.set(worker, own);
    const until = AbortSignal.any([signal, own.signal]);
    try {
      for (let attempt = 0; !until.aborted; attempt += 1) {
        try {
          for await (const batch of readAhead(log, { after: worker.folded(), signal: until })) {
            attempt = 0;
            const left = await worker.apply(batch);
            if (left !== undefined) return left;
            if (enough(batch)) return undefined;
          }
        } catch (error) {
          worker.noteFault(error);
        }
        await sleep(backoffMs(attempt + 1, backoff), until);
      }
      return signal.aborted ? 'stopped' : 'lost';
    } finally {
      alone.delete(worker);
    }
  }

  /** A version newer than the live one is built up to the log's end and verified; only then do readers get it. */
  async function buildBesideLive(worker: ProjectionWorker): Promise<Left | undefined> {
    const { projection } = worker;
    const registry = await retrying(worker, options.registry);
    for (;;) {
      const live = await retrying(worker, () => liveVersionOrFirst(registry, projection));
      worker.live = live >= projection.version;
      if (worker.live) return undefined;
      const head = await retrying(worker, () => log.head());
      while (worker.folded() < head) {
        const left = await followAlone(worker, () => worker.folded() >= head);
        if (left !== undefined) return left;
      }
      const left = await worker.settle();
      if (left !== undefined) return left;
      try {
        await retrying(worker, () => readStore.ensureCollection(worker.spec, { indexes: 'awaited' }));
        const position = worker.applied();
        const verified = await retrying(worker, () =>
          verifyCollection({ log, readStore, projection, position, signal }),
        );
        if (await retrying(worker, () => flipLive(readStore, registry, projection, verified)))
          options.onFlipped(worker);
      } catch (error) {
        if (signal.aborted) return 'stopped';
        worker.halt(`verification failed: ${error instanceof Error ? error.message : String(error)}`);
        return 'halted';
      }
    }
  }

  return {
    follow,
    leave(worker) {
      alone.get(worker)?.abort();
      feed.leave(worker, 'lost');
    },
  };
}
