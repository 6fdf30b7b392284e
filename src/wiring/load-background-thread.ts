import type { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { startThread } from '../shared/start-thread.ts';
import { heapAsHere, limitThreadsByThemselves } from './thread-heaps.ts';

/** Whether projections and reactors run in a thread of their own. */
export function hasBackgroundThread({ role, backgroundThread }: Pick<Config, 'role' | 'backgroundThread'>): boolean {
  return role === 'all' && backgroundThread;
}

/** `fault`: the error that ended the thread, if one did. */
type Ending = { readonly code: number; readonly fault: unknown };

export type LoadingThread = { readonly worker: Worker; readonly ended: Promise<Ending> };

/**
 * Starts the thread of projections and reactors, which loads its code and then waits. That takes as long as loading
 * `service.ts`: import that afterwards, so that both load at once.
 */
export function loadBackgroundThread(): LoadingThread {
  limitThreadsByThemselves();
  const body = new URL('./background-thread-body.ts', import.meta.url);
  const worker = startThread(body, { name: 'background', resourceLimits: heapAsHere() });
  // It may end before anybody else listens.
  let fault: unknown;
  worker.on('error', (error) => {
    fault = error;
  });
  const ended = new Promise<Ending>((resolve) => {
    worker.on('exit', (code) => resolve({ code, fault }));
  });
  return { worker, ended };
}
