import { openThreadTurn, type ThreadTurn, TURN_WORDS } from '../../shared/thread-turn.ts';

/** What two threads of a process share that have the same log open: memory that starts with zeros. */
export type LogMemory = SharedArrayBuffer;

const WORD = Int32Array.BYTES_PER_ELEMENT;
const CHANGES = TURN_WORDS;
const END_AT_BYTE = 2 * BigInt64Array.BYTES_PER_ELEMENT;
const BYTES = END_AT_BYTE + BigInt64Array.BYTES_PER_ELEMENT;

export function newLogMemory(): LogMemory {
  return new SharedArrayBuffer(BYTES);
}

/** One thread's part in a shared log. */
export type LogSharing = {
  /** Held by whoever appends. */
  readonly turn: ThreadTurn;
  /** The number of the last event that any of the threads has committed. */
  readonly end: () => number;
  /** Says that the events up to this one are committed, and wakes the other threads. */
  readonly moveEnd: (position: number) => void;
  /**
   * Calls the listener after every change of the end, until the returned function is called. What it returns resolves
   * once this thread no longer waits on the memory: a thread must not end before that.
   */
  readonly onMoved: (listener: () => void) => () => Promise<void>;
};

export function openLogSharing(memory: LogMemory): LogSharing {
  const words = new Int32Array(memory, 0, END_AT_BYTE / WORD);
  const ends = new BigInt64Array(memory, END_AT_BYTE, 1);

  async function watch(listener: () => void, until: AbortSignal): Promise<void> {
    let seen = Atomics.load(words, CHANGES);
    while (!until.aborted) {
      const changed = Atomics.waitAsync(words, CHANGES, seen);
      if (changed.async) await changed.value;
      seen = Atomics.load(words, CHANGES);
      if (!until.aborted) listener();
    }
  }

  function wakeAll(): void {
    Atomics.add(words, CHANGES, 1);
    Atomics.notify(words, CHANGES);
  }

  return {
    turn: openThreadTurn(words, 0),
    end: () => Number(Atomics.load(ends, 0)),
    moveEnd(position) {
      Atomics.store(ends, 0, BigInt(position));
      wakeAll();
    },
    onMoved(listener) {
      const ending = new AbortController();
      const watching = watch(listener, ending.signal);
      return () => {
        ending.abort();
        // Also wakes the watch that has just ended, which would otherwise wait for ever.
        wakeAll();
        return watching;
      };
    },
  };
}
