import type { ThreadTurn } from '../../shared/thread-turn.ts';
import { ReadStoreUnavailable } from '../read-store.ts';
import { LIGHT } from './shared-writer.ts';
import type { ThreadedWriter } from './threaded-writer.ts';
import { type WriteCommand, type WriteCommands, type WriteKind, type Writer, weightOf } from './write-command.ts';
import { WEIGHT_PER_COMMIT, type WriteQueue } from './write-queue.ts';

type Pending = {
  readonly weight: number;
  readonly run: (writer: Writer) => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * The writer of a file that several threads of this process write: each waits for its turn without blocking, and gives
 * it up after a commit when another thread waits, so that a small write waits for one commit of another thread at most
 * and never for a lock of the file. As with one thread, small writes run here and large ones in a thread of their own.
 */
export class TurnWriter implements Writer {
  readonly #here: WriteQueue;
  readonly #there: ThreadedWriter;
  readonly #turn: ThreadTurn;
  #waiting: Pending[] = [];
  #state: 'idle' | 'entering' | 'holding' = 'idle';
  #inFlight = 0;
  #inFlightWeight = 0;
  #closed = false;
  #onIdle: (() => void)[] = [];

  constructor(here: WriteQueue, there: ThreadedWriter, turn: ThreadTurn) {
    this.#here = here;
    this.#there = there;
    this.#turn = turn;
  }

  write<Kind extends WriteKind>(kind: Kind, of: WriteCommands[Kind]['of']): Promise<WriteCommands[Kind]['gives']> {
    if (this.#closed) return Promise.reject(new ReadStoreUnavailable('the read store is closed'));
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        weight: weightOf({ kind, ...of } as WriteCommand),
        run: (writer) => writer.write(kind, of),
        resolve: (value) => resolve(value as WriteCommands[Kind]['gives']),
        reject,
      });
      if (this.#state === 'idle') this.#enterSoon();
      else if (this.#state === 'holding' && this.#inFlight > 0) this.#sendMore();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    if (this.#state !== 'idle') await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    await this.#here.close();
    await this.#there.close();
  }

  #enterSoon(): void {
    this.#state = 'entering';
    // Later in the same iteration of the event loop, so that all its commands share one commit.
    setImmediate(() => {
      if (this.#turn.tryEnter()) this.#begin();
      else void this.#turn.enter().then(() => this.#begin());
    });
  }

  #begin(): void {
    this.#state = 'holding';
    this.#writeSome();
    this.#sendMore();
    this.#endIfDone();
  }

  /** One commit. */
  #writeSome(): void {
    const batch = this.#take();
    const weight = weightOfAll(batch);
    if (weight <= LIGHT) {
      for (const each of batch) each.run(this.#here).then(each.resolve, each.reject);
      this.#here.drain();
    } else this.#send(batch, weight);
  }

  /** While nobody else waits, the thread gets its next commit before it has answered the last one. */
  #sendMore(): void {
    while (
      this.#inFlight > 0 &&
      this.#waiting.length > 0 &&
      this.#inFlightWeight <= WEIGHT_PER_COMMIT &&
      !this.#turn.isAwaited()
    ) {
      const batch = this.#take();
      this.#send(batch, weightOfAll(batch));
    }
  }

  #send(batch: readonly Pending[], weight: number): void {
    this.#inFlightWeight += weight;
    let open = batch.length;
    const answered = (): void => {
      this.#inFlight -= 1;
      open -= 1;
      if (open === 0) this.#inFlightWeight -= weight;
      this.#sendMore();
      this.#endIfDone();
    };
    for (const each of batch) {
      this.#inFlight += 1;
      each.run(this.#there).then(each.resolve, each.reject).finally(answered);
    }
  }

  #take(): Pending[] {
    let weight = 0;
    let taken = 0;
    for (const each of this.#waiting) {
      weight += each.weight;
      if (taken > 0 && weight > WEIGHT_PER_COMMIT) break;
      taken += 1;
    }
    return this.#waiting.splice(0, taken);
  }

  #endIfDone(): void {
    if (this.#inFlight > 0) return;
    this.#turn.leave();
    if (this.#waiting.length > 0) {
      this.#enterSoon();
      return;
    }
    this.#state = 'idle';
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }
}

function weightOfAll(batch: readonly Pending[]): number {
  return batch.reduce((sum, { weight }) => sum + weight, 0);
}
