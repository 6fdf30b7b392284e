/**
 * A place that one thread of this process has at a time, and that the threads get in the order in which they asked.
 * Waiting for it does not block a thread. It is no protection against a thread that ends while it has or awaits the
 * place: the process must then end.
 */
export type ThreadTurn = {
  /** Takes the place where it is free. */
  readonly tryEnter: () => boolean;
  /** Resolves once the place is this caller's. */
  readonly enter: () => Promise<void>;
  readonly leave: () => void;
  /** Whether anybody waits. Meaningful for the caller that has the place only. */
  readonly isAwaited: () => boolean;
};

/** The integers of the shared memory that a turn uses, from its offset on. */
export const TURN_WORDS = 2;

/** @param words over a SharedArrayBuffer, all zero at first */
export function openThreadTurn(words: Int32Array<SharedArrayBuffer>, offset: number): ThreadTurn {
  /** The number of the next caller, and of the one whose turn it is; both overflow alike. */
  const [next, present] = [offset, offset + 1];

  return {
    tryEnter() {
      const number = Atomics.load(words, present);
      return Atomics.compareExchange(words, next, number, (number + 1) | 0) === number;
    },
    async enter() {
      const number = Atomics.add(words, next, 1);
      for (;;) {
        const now = Atomics.load(words, present);
        if (now === number) return;
        const changed = Atomics.waitAsync(words, present, now);
        if (changed.async) await changed.value;
      }
    },
    leave() {
      Atomics.add(words, present, 1);
      Atomics.notify(words, present);
    },
    isAwaited: () => Atomics.load(words, next) !== ((Atomics.load(words, present) + 1) | 0),
  };
}
