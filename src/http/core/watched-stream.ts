import type { StartTimer } from '../../shared/timer.ts';

/** How long an answer waits for its client to read on. */
export type Stalling = { readonly afterMs: number; readonly startTimer: StartTimer };

/** The client stopped reading. */
export class Stalled extends Error {
  constructor() {
    super('the client stopped reading the answer');
    this.name = 'Stalled';
  }
}

/**
 * The same body, which ends when it fails, is cancelled, or is not read for too long. Nothing is produced before it is
 * requested. @param options.onEnd called once, however it ends; with the failure, null when it was complete or
 * cancelled
 */
export function watchedStream(
  body: ReadableStream<Uint8Array>,
  options: { readonly stalling: Stalling; readonly onEnd: (failure: unknown) => void },
): ReadableStream<Uint8Array> {
  const { stalling, onEnd } = options;
  const reader = body.getReader();
  let stopTimer = (): void => {};
  let over = false;

  function end(failure: unknown): void {
    if (over) return;
    over = true;
    stopTimer();
    onEnd(failure);
  }

  function waitForReader(controller: ReadableStreamDefaultController<Uint8Array>): void {
    stopTimer = stalling.startTimer(stalling.afterMs, () => {
      const stalled = new Stalled();
      controller.error(stalled);
      end(stalled);
      reader.cancel(stalled).catch(() => undefined);
    });
  }

  return new ReadableStream<Uint8Array>(
    {
      start: waitForReader,
      async pull(controller) {
        stopTimer();
        try {
          const { done, value } = await reader.read();
          if (over) return;
          if (done) {
            controller.close();
            end(null);
            return;
          }
          controller.enqueue(value);
          waitForReader(controller);
        } catch (error) {
          controller.error(error);
          end(error);
        }
      },
      cancel(reason) {
        end(null);
        return reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** `run` produces each part, so that a long body does not delay others. */
export async function* partByPart<T>(
  parts: AsyncIterable<T>,
  run: (next: () => Promise<IteratorResult<T>>) => Promise<IteratorResult<T>>,
): AsyncIterable<T> {
  const iterator = parts[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await run(() => iterator.next());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}
