import { openThreadTurn, type ThreadTurn, TURN_WORDS } from '../../shared/thread-turn.ts';

/** What the threads of a process share that have the same file open: memory that starts with zeros. */
export type StoreMemory = SharedArrayBuffer;

const SCHEMA = TURN_WORDS;
const WORDS = TURN_WORDS + 1;

export function newStoreMemory(): StoreMemory {
  return new SharedArrayBuffer(WORDS * Int32Array.BYTES_PER_ELEMENT);
}

/** One thread's part in a shared file. */
export type StoreSharing = {
  /** Held by whoever writes. */
  readonly turn: ThreadTurn;
  /** A number that differs after every change of the schema by any thread. */
  readonly schema: () => number;
  readonly schemaChanged: () => void;
};

export function openStoreSharing(memory: StoreMemory): StoreSharing {
  const words = new Int32Array(memory);
  return {
    turn: openThreadTurn(words, 0),
    schema: () => Atomics.load(words, SCHEMA),
    schemaChanged: () => void Atomics.add(words, SCHEMA, 1),
  };
}
