/** A bell for one sleeper. A ring while nobody sleeps is kept for the next sleep, so no news is lost between a look and a sleep. */
export type Wake = {
  readonly ring: () => void;
  /** Resolves with true at the next ring, at once when one was kept, or with false after `timeoutMs`. */
  readonly sleep: (timeoutMs?: number) => Promise<boolean>;
};

export function createWake(): Wake {
  let rung = false;
  let awaken: (() => void) | undefined;
  return {
    ring: () => {
      rung = true;
      awaken?.();
    },
    sleep: async (timeoutMs) => {
      if (!rung) {
        const { promise, resolve } = Promise.withResolvers<void>();
        awaken = resolve;
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        await promise;
        clearTimeout(timer);
        awaken = undefined;
      }
      const woken = rung;
      rung = false;
      return woken;
    },
  };
}
