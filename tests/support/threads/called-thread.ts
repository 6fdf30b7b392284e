import { startThread } from '../../../src/shared/start-thread.ts';

export type Call = { readonly target: readonly unknown[]; readonly method: string; readonly args: readonly unknown[] };
export type ToCalled = Call & { readonly id: number };
export type FromCalled =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } };

/** A class of errors that a thread may throw, by its name. */
type ErrorClass = { readonly prototype: Error; readonly name: string };

/** Calls methods of an object in another thread, whose errors are thrown here as instances of the same classes. */
export type CalledThread = {
  readonly call: <Value>(call: Call) => Promise<Value>;
  /** Once every call is answered. */
  readonly end: () => Promise<void>;
};

export function startCalledThread(body: URL, workerData: unknown, errors: readonly ErrorClass[]): CalledThread {
  const worker = startThread(body, { workerData });
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  let lastId = 0;
  worker.on('message', (answer: FromCalled) => {
    const waited = waiting.get(answer.id);
    waiting.delete(answer.id);
    if ('value' in answer) waited?.resolve(answer.value as never);
    else waited?.reject(errorOf(answer.error, errors));
  });
  worker.on('error', (error) => {
    for (const { reject } of waiting.values()) reject(error);
  });
  return {
    call({ target, method, args }) {
      lastId += 1;
      const waited = Promise.withResolvers<never>();
      waiting.set(lastId, waited);
      worker.postMessage({ id: lastId, target, method, args } satisfies ToCalled);
      return waited.promise;
    },
    async end() {
      await Promise.allSettled([...waiting.values()].map(({ promise }) => promise));
      await worker.terminate();
    },
  };
}

function errorOf({ name, message }: { name: string; message: string }, errors: readonly ErrorClass[]): Error {
  const found = errors.find((each) => each.name === name);
  const error = found === undefined ? new Error(message) : (Object.create(found.prototype) as Error);
  return Object.assign(error, { name, message });
}

export function answerOf(id: number, task: Promise<unknown>): Promise<FromCalled> {
  return task.then(
    (value) => ({ id, value }),
    (error: unknown) => ({ id, error: described(error) }),
  );
}

function described(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.constructor.name, message: error.message }
    : { name: 'Error', message: String(error) };
}
