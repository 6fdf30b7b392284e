import { setFlagsFromString } from 'node:v8';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** The largest number that the option can have. */
const NEVER = 2 ** 31 - 1;

/**
 * Starts a thread that cannot end the process by a fault of V8, as one of `new Worker` can (ADR 0052).
 *
 * A JavaScript function that WebAssembly has called a thousand times gets a faster wrapper, from a cache that all
 * threads of the process share. Some of these wrappers are freed while they are in use, and the process ends with
 * SIGSEGV or `Check failed: jit_page.has_value()`. Node reads TypeScript and HTTP by WebAssembly, so every thread comes
 * that far. From here on no function gets such a wrapper, in any thread.
 */
export function startThread(body: URL, options: WorkerOptions): Worker {
  setFlagsFromString(`--wasm-wrapper-tiering-budget=${NEVER}`);
  return new Worker(body, options);
}
