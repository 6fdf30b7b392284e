import pLimit from 'p-limit';
import type { EventLog, LogBatch } from '../../log/log.ts';
import { type Backoff, backoffMs } from '../../shared/backoff.ts';
import { sleep } from '../../shared/retry.ts';
import type { Left } from './projection-worker.ts';
import { readAhead } from './read-ahead.ts';

/** A follower of the log. Positions only grow. */
export type Follower = {
  readonly folded: () => string;
  readonly apply: (batch: LogBatch) => Promise<Left | undefined>;
  readonly noteFault: (error: unknown) => void;
};

/** The one subscription that all projections at about the same position share. It runs while it has members. */
export type SharedFeed = {
  /**
   * Adds the follower when it needs nothing that the feed has already delivered, and is not far ahead of it. Returns
   * the promise of its leaving, undefined when it does not fit.
   */
  readonly join: (follower: Follower) => Promise<Left> | undefined;
  /** Pauses the feed while `bridge` brings the follower up to the feed's position, then adds it. */
  readonly joinOver: (
    follower: Follower,
    bridge: (position: string) => Promise<Left | undefined>,
  ) => Promise<{ readonly left: Promise<Left> }>;
  readonly leave: (follower: Follower, left: Left) => void;
  /** Whether a follower at this position fits at once, or after a short bridge. */
  readonly isWithinReach: (position: string) => boolean;
};

export function createSharedFeed(options: {
  readonly log: EventLog;
  readonly signal: AbortSignal;
  readonly backoff: Backoff;
}): SharedFeed {
  const { log, signal, backoff } = options;
  const members = new Map<Follower, (left: Left) => void>();
  const exclusively = pLimit(1);
  let position = '';
  let caughtUp = false;
  let running: AbortController | undefined;

  function enter(follower: Follower): Promise<Left> {
    const { promise, resolve } = Promise.withResolvers<Left>();
    members.set(follower, resolve);
    if (running === undefined) {
      running = new AbortController();
      void run(running);
    }
    return promise;
  }

  function leave(follower: Follower, left: Left): void {
    members.get(follower)?.(left);
    members.delete(follower);
    if (members.size > 0) return;
    running?.abort();
    running = undefined;
  }

  async function run(own: AbortController): Promise<void> {
    const until = AbortSignal.any([signal, own.signal]);
    for (let attempt = 0; !until.aborted; attempt += 1) {
      try {
        for await (const batch of readAhead(log, { after: position, signal: until })) {
          attempt = 0;
          await exclusively(() => dispatch(batch, until));
        }
      } catch (error) {
        for (const follower of members.keys()) follower.noteFault(error);
      }
      if (!until.aborted) await sleep(backoffMs(attempt + 1, backoff), until);
    }
    if (signal.aborted) for (const follower of [...members.keys()]) leave(follower, 'stopped');
  }

  async function dispatch(batch: LogBatch, until: AbortSignal): Promise<void> {
    if (until.aborted) return;
    // Set before the batch is processed: a follower that joins meanwhile must already have it.
    if (batch.position > position) position = batch.position;
    caughtUp = batch.caughtUp;
    const present = [...members.keys()];
    const outcomes = await Promise.all(present.map((follower) => follower.apply(batch)));
    for (const [at, follower] of present.entries()) {
      const left = outcomes[at];
      if (left !== undefined) leave(follower, left);
    }
  }

  function startAt(follower: Follower): void {
    if (members.size > 0) return;
    position = follower.folded();
    caughtUp = false;
  }

  return {
    join(follower) {
      startAt(follower);
      const at = follower.folded();
      return at === position || (at > position && caughtUp) ? enter(follower) : undefined;
    },
    joinOver: (follower, bridge) =>
      exclusively(async () => {
        const left = members.size > 0 ? await bridge(position) : undefined;
        if (left !== undefined) return { left: Promise.resolve(left) };
        startAt(follower);
        return { left: enter(follower) };
      }),
    leave,
    isWithinReach: (at) => members.size === 0 || at <= position || caughtUp,
  };
}
