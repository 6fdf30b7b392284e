import type { ThreadedWriter } from './threaded-writer.ts';
import { type WriteCommand, type WriteCommands, type WriteKind, type Writer, weightOf } from './write-command.ts';
import type { WriteQueue } from './write-queue.ts';

/** A write of up to this many rows is faster here than in the thread. */
export const LIGHT = 64;

/**
 * Small writes run in this thread, which is faster, large ones in another, which keeps this one free. Never both at
 * once: while the other thread is busy everything goes there, so commands keep their order and no transaction waits for
 * another's lock.
 */
export class SharedWriter implements Writer {
  readonly #here: WriteQueue;
  readonly #there: ThreadedWriter;

  constructor(here: WriteQueue, there: ThreadedWriter) {
    this.#here = here;
    this.#there = there;
  }

  write<Kind extends WriteKind>(kind: Kind, of: WriteCommands[Kind]['of']): Promise<WriteCommands[Kind]['gives']> {
    const isLight = weightOf({ kind, ...of } as WriteCommand) <= LIGHT;
    if (isLight && this.#there.isIdle) return this.#here.write(kind, of);
    this.#here.drain();
    return this.#there.write(kind, of);
  }

  async close(): Promise<void> {
    await this.#here.close();
    await this.#there.close();
  }
}
