import { AskedThread } from './asked-thread.ts';
import type { TableLayout } from './table-layout.ts';
import type { WriteCommands, WriteKind, Writer } from './write-command.ts';

export type ToThread =
  | { readonly type: 'layout'; readonly number: number; readonly layout: TableLayout }
  | {
      readonly type: 'write';
      readonly id: number;
      readonly kind: WriteKind;
      readonly of: object;
      readonly layout?: number;
    }
  | { readonly type: 'close' };

/**
 * It holds a few batches at a time; unbounded, its heap would grow to the machine's memory before garbage collection.
 */
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 512 } as const;

/** Sends commands to a dedicated thread that has the file open. */
export class ThreadedWriter implements Writer {
  readonly #thread: AskedThread;
  /** The layouts sent to each thread, with their numbers. */
  readonly #sent = new WeakMap<object, WeakMap<TableLayout, number>>();
  #lastNumber = 0;

  constructor(file: string) {
    this.#thread = new AskedThread(new URL('./writer-thread.ts', import.meta.url), file, THREAD_MEMORY);
  }

  /** Every request is answered: the thread is in no transaction. */
  get isIdle(): boolean {
    return this.#thread.waiting === 0;
  }

  async write<Kind extends WriteKind>(
    kind: Kind,
    of: WriteCommands[Kind]['of'],
  ): Promise<WriteCommands[Kind]['gives']> {
    if (!('layout' in of)) return this.#thread.ask({ type: 'write', kind, of });
    const { layout, ...rest } = of as { layout: TableLayout };
    return this.#thread.ask({ type: 'write', kind, of: rest, layout: this.#numberOf(layout) });
  }

  close(): Promise<void> {
    return this.#thread.close();
  }

  /** A layout is sent once and identified by its number from then on. */
  #numberOf(layout: TableLayout): number {
    const thread = this.#thread.current;
    const sent = this.#sent.get(thread) ?? new WeakMap<TableLayout, number>();
    this.#sent.set(thread, sent);
    let number = sent.get(layout);
    if (number === undefined) {
      this.#lastNumber += 1;
      number = this.#lastNumber;
      sent.set(layout, number);
      this.#thread.post({ type: 'layout', number, layout } satisfies ToThread);
    }
    return number;
  }
}
