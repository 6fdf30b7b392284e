export type Logger = {
  readonly info: (fields: Record<string, unknown>, message: string) => void;
  readonly warn: (fields: Record<string, unknown>, message: string) => void;
  readonly error: (fields: Record<string, unknown>, message: string) => void;
};

export type Reactor = {
  readonly name: string;
  /** Looks for work at once; safe at any time. */
  readonly wake: () => void;
  /** It has not begun yet: see `beginsAfter` of {@link startReactor}. */
  readonly isWaiting: () => boolean;
  /** The failure of the last run; null when the last run succeeded. */
  readonly failure: () => { readonly message: string; readonly since: number } | null;
  /** Aborts the work in progress and resolves when it has ended. */
  readonly stop: () => Promise<void>;
};

const LONGEST_PAUSE_MS = 30_000;

/**
 * Runs while there is work, else sleeps until woken or `idleMs` have passed. A run that throws is retried after a
 * growing pause: a reactor's work can always be repeated. @param options.runOnce returns true when there may be more to
 * do
 */
export function startReactor(options: {
  readonly name: string;
  readonly idleMs: number;
  readonly runOnce: () => Promise<boolean>;
  /** What must be over before the first run; unset: it runs at once. */
  readonly beginsAfter?: (signal: AbortSignal) => Promise<void>;
  /** Work started by the runs, which ends with the reactor. */
  readonly pool?: { readonly stop: () => Promise<void> };
  readonly logger: Logger;
  readonly now: () => number;
}): Reactor {
  const stopping = new AbortController();
  let failure: { message: string; since: number } | null = null;
  let isWaiting = options.beginsAfter !== undefined;
  let woken = false;
  let wakeUp: () => void = () => {};

  async function sleep(ms: number): Promise<void> {
    if (woken || stopping.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    wakeUp = resolve;
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      woken = false;
      try {
        if (isWaiting) {
          await options.beginsAfter?.(stopping.signal);
          isWaiting = false;
          continue;
        }
        const more = await options.runOnce();
        failures = 0;
        failure = null;
        if (!more) await sleep(options.idleMs);
      } catch (error) {
        if (stopping.signal.aborted) return;
        failures += 1;
        failure = {
          message: error instanceof Error ? error.message : String(error),
          since: failure?.since ?? options.now(),
        };
        options.logger.warn({ reactor: options.name, err: error, failures }, 'a worker failed and will be retried');
        woken = false;
        await sleep(Math.min(LONGEST_PAUSE_MS, 100 * 2 ** Math.min(failures, 10)));
      }
    }
  }

  const running = run();
  const wake = (): void => {
    woken = true;
    wakeUp();
  };
  return {
    name: options.name,
    wake,
    isWaiting: () => isWaiting,
    failure: () => failure,
    stop: async () => {
      stopping.abort();
      wakeUp();
      await Promise.all([running, options.pool?.stop()]);
    },
  };
}
