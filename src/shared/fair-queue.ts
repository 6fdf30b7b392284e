/** A place in the queue, held by running work. */
export type Place = {
  /** Gives the place up for as long as the pause lasts, and queues for one again. @throws what the pause throws */
  readonly rest: (pause: () => Promise<void>) => Promise<void>;
};

export type FairQueue = {
  /**
   * Runs the work once it is its turn, and returns its result.
   * @throws QueueFull when too many of the key wait already, or the signal's reason when it aborts before the work
   * began
   */
  readonly run: <T>(key: string, work: (place: Place) => Promise<T>, signal?: AbortSignal) => Promise<T>;
  /** How many of the key, or of all keys, wait for a place. */
  readonly waiting: (key?: string) => number;
  /** How many places the key holds. */
  readonly held: (key: string) => number;
};

export type FairQueueOptions = {
  readonly places: number;
  /**
   * What a key may hold while no other waits. `half` for work that may last: whoever comes later finds places free.
   * Either way no key is given more than half of the places, rounded down but at least one, while another waits.
   */
  readonly alone: 'all' | 'half';
  /** How many of one key may wait; unset: any number. */
  readonly mostWaiting?: number;
};

/** So many of one key wait already. */
export class QueueFull extends Error {
  constructor(key: string) {
    super(`too many of ${key} are waiting already`);
    this.name = 'QueueFull';
  }
}

type Turn = { readonly begin: () => void };

/** Places that keys take in turn: the one that was served last comes last, however many of it wait. */
export function createFairQueue({ places, alone, mostWaiting = Infinity }: FairQueueOptions): FairQueue {
  const half = Math.max(1, Math.floor(places / 2));
  const held = new Map<string, number>();
  /** In the order in which the keys are served. No key is there without a turn. */
  const waiting = new Map<string, Set<Turn>>();
  let free = places;

  function mayTake(key: string): boolean {
    const most = alone === 'half' || waiting.size > (waiting.has(key) ? 1 : 0) ? half : places;
    return free > 0 && (held.get(key) ?? 0) < most;
  }

  function serve(): void {
    for (let served = true; served && free > 0; ) {
      served = false;
      for (const [key, turns] of waiting) {
        if (!mayTake(key)) continue;
        const [turn] = turns as Set<Turn> & Iterable<Turn>;
        if (turn === undefined) continue;
        forget(key, turn);
        const left = waiting.get(key);
        waiting.delete(key);
        if (left !== undefined) waiting.set(key, left);
        take(key);
        turn.begin();
        served = true;
        break;
      }
    }
  }

  function take(key: string): void {
    free -= 1;
    held.set(key, (held.get(key) ?? 0) + 1);
  }

  function release(key: string): void {
    free += 1;
    const left = (held.get(key) ?? 1) - 1;
    if (left === 0) held.delete(key);
    else held.set(key, left);
    serve();
  }

  function forget(key: string, turn: Turn): void {
    const turns = waiting.get(key);
    turns?.delete(turn);
    if (turns?.size === 0) waiting.delete(key);
  }

  /** Resolves when the key has been given a place. */
  function queueFor(key: string, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    return new Promise<void>((resolve, reject) => {
      const turn: Turn = {
        begin: () => {
          signal?.removeEventListener('abort', leave);
          resolve();
        },
      };
      const leave = (): void => {
        forget(key, turn);
        reject(signal?.reason);
        // Another key may take more than half of the places now.
        serve();
      };
      signal?.addEventListener('abort', leave, { once: true });
      const turns = waiting.get(key) ?? new Set();
      waiting.set(key, turns.add(turn));
      serve();
    });
  }

  return {
    async run(key, work, signal) {
      if ((waiting.get(key)?.size ?? 0) >= mostWaiting) throw new QueueFull(key);
      await queueFor(key, signal);
      let holds = true;
      const letGo = (): void => {
        if (!holds) return;
        holds = false;
        release(key);
      };
      const rest = async (pause: () => Promise<void>): Promise<void> => {
        letGo();
        await pause();
        await queueFor(key, signal);
        holds = true;
      };
      try {
        return await work({ rest });
      } finally {
        letGo();
      }
    },
    waiting: (key) =>
      key === undefined
        ? [...waiting.values()].reduce((sum, turns) => sum + turns.size, 0)
        : (waiting.get(key)?.size ?? 0),
    held: (key) => held.get(key) ?? 0,
  };
}
