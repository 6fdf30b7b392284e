import { yieldToOthers } from './yield-to-others.ts';

/**
 * The time for which all holders of a budget together keep the event loop at a stretch. A stretch begins with the first
 * work after the event loop has run others.
 */
export type LoopBudget = {
  /** To be asked before each small piece of work: whether the stretch is over. */
  readonly isSpent: () => boolean;
  /** Lets others have the event loop, and begins the next stretch. */
  readonly rest: () => Promise<void>;
};

export type LoopTimes = {
  /** A monotonic clock in milliseconds. */
  readonly now: () => number;
  /** Calls back once the event loop has run others. */
  readonly afterOthers: (callback: () => void) => void;
};

const SYSTEM_TIMES: LoopTimes = {
  now: () => performance.now(),
  afterOthers: (callback) => void setImmediate(callback),
};

/** @param stretchMs exceeded by the last piece of work of a stretch at most */
export function createLoopBudget(stretchMs: number, times: LoopTimes = SYSTEM_TIMES): LoopBudget {
  /** Undefined before the first work of a stretch. */
  let endsAt: number | undefined;

  function begin(): void {
    const end = times.now() + stretchMs;
    endsAt = end;
    times.afterOthers(() => {
      // A later stretch has begun already, where work went on after a rest.
      if (endsAt === end) endsAt = undefined;
    });
  }

  return {
    isSpent() {
      if (endsAt !== undefined) return times.now() >= endsAt;
      begin();
      return false;
    },
    async rest() {
      await yieldToOthers();
      begin();
    },
  };
}
