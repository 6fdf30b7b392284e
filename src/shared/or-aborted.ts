/**
 * The promise, or a rejection as soon as the signal aborts, with its reason unless another one is given. Leaves no
 * listener on the signal. The promise itself goes on.
 */
export async function orAborted<Value>(
  promise: Promise<Value>,
  signal: AbortSignal,
  reason: () => unknown = () => signal.reason,
): Promise<Value> {
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(reason());
  if (signal.aborted) abort();
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
