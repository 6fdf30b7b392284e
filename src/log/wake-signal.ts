/**
 * Wakes one waiter. A notification while nobody waits is kept for the next wait, so none is lost between a check and a
 * wait.
 */
export type WakeSignal = {
  readonly notify: () => void;
  /** Resolves with true at the next notification, at once when one was kept, or with false after `timeoutMs`. */
  readonly wait: (timeoutMs?: number) => Promise<boolean>;
};

export function createWakeSignal(): WakeSignal {
  let notified = false;
  let awaken: (() => void) | undefined;
  return {
    notify: () => {
      notified = true;
      awaken?.();
    },
    wait: async (timeoutMs) => {
      if (!notified) {
        const { promise, resolve } = Promise.withResolvers<void>();
        awaken = resolve;
        const timer = timeoutMs === undefined ? undefined : setTimeout(resolve, timeoutMs);
        await promise;
        clearTimeout(timer);
        awaken = undefined;
      }
      const woken = notified;
      notified = false;
      return woken;
    },
  };
}
