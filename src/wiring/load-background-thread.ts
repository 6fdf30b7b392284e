import type { Worker } from 'node:worker_threads';
import type { Config } from '../config.ts';
import { startThread } from '../shared/start-thread.ts';
import { heapAsHere, limitThreadsByThemselves } from './thread-heaps.ts';

/** Whether projections and reactors run in a thread of their own. */
export function hasBackgroundThread({ role, backgroundThread }: Pick<Config, 'role' | 'backgroundThread'>): boolean {
  return role === 'all' && backgroundThread;
}

/** `ended`: with the error that ended it, if one did. */
export type LoadingThread = {
  readonly worker: Worker;
  readonly ended: Promise<{ readonly code: number; readonly fault: unknown }>;
};

/**
 * Starts the thread of projections and reactors, which loads its code and then waits. Loading takes as long as that of
 * the thread that answers, so that both should load at once: import neither `service.ts` nor what it needs before.
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
  const ended = new Promise<{ code: number; fault: unknown }>((resolve) => {
    worker.on('exit', (code) => resolve({ code, fault }));
  });
  return { worker, ended };
}
