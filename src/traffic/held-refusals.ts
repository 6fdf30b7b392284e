import type { StartTimer } from '../shared/timer.ts';

/**
 * Refusing costs nearly as much as a small answer. A program that repeats a refused request at once, on as many
 * connections as it likes, would take the time that the refusals save for others, so each of them waits.
 */
export type HeldRefusals = {
  /** Resolves when the refusal may be sent. */
  readonly hold: () => Promise<void>;
};

/** Less than any caller that heeds `retry-after` waits anyway. */
export const HELD_MS = 250;
/** Beyond this many at a time they are sent at once: holding has to cost less than refusing. */
export const HELD_AT_ONCE = 1_000;

export function createHeldRefusals(startTimer: StartTimer): HeldRefusals {
  let held = 0;
  return {
    async hold() {
      if (held >= HELD_AT_ONCE) return;
      held += 1;
      await new Promise<void>((resolve) => startTimer(HELD_MS, resolve));
      held -= 1;
    },
  };
}
