import { setTimeout as wait } from 'node:timers/promises';

/** @throws the signal's reason when it aborts meanwhile */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  await wait(ms, undefined, { signal });
}
