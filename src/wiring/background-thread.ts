import type { Logger } from 'pino';
import type { LogMeter } from '../log/metered-log.ts';
import type { Standing } from '../projections/engine/projection-runner.ts';
import type { RunnableProjection } from '../projections/engine/runnable.ts';
import type { Background, ReadModelChange } from './background.ts';
import type { BackgroundHealth } from './health.ts';
import type { LoadingThread } from './load-background-thread.ts';
import { passOnLine } from './passed-line.ts';
import type { FromBackground, Questions, ThreadStart, ToBackground } from './thread-messages.ts';

/** After which the last known health is answered: the thread may be busy, or waiting for a store. */
const HEALTH_WITHIN_MS = 1_000;

export type BackgroundThread = Background & {
  /**
   * Lets the thread open the stores and begin; before that it only loads its code. Every collection that both threads
   * use must be there.
   * @throws Error when it cannot begin
   */
  readonly begin: () => Promise<void>;
};

type Waiting = { readonly resolve: (value: never) => void; readonly reject: (error: Error) => void };

/**
 * Projections and reactors in a thread of this process, with stores of their own (ADR 0043).
 * @param options.onLost called when the thread ends before it was stopped, after which nothing may be relied on: the
 * process must end. A start that fails does not call it
 */
export function openBackgroundThread(options: {
  readonly loading: LoadingThread;
  readonly start: ThreadStart;
  readonly projections: readonly RunnableProjection[];
  readonly logger: Logger;
  readonly meter: LogMeter | null;
  readonly onLost: (error: Error) => void;
}): BackgroundThread {
  const { projections, logger, meter } = options;
  const { worker } = options.loading;
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(change: ReadModelChange) => void>();
  const standings = new Map<string, Standing>(
    projections.map(({ name, version }) => [
      name,
      { name, version, position: '', foldedHere: false, liveHere: false, whole: false },
    ]),
  );
  const begun = Promise.withResolvers<void>();
  // A failure before anybody waits for it is thrown by `begin`.
  begun.promise.catch(() => {});
  const ended = Promise.withResolvers<void>();
  let state: 'starting' | 'running' | 'stopping' | 'ended' = 'starting';
  let lastId = 0;
  let lastHealth: BackgroundHealth = { projections: [], workers: [] };

  worker.on('message', (message: FromBackground) => {
    switch (message.type) {
      case 'begun':
        state = 'running';
        begun.resolve();
        return;
      case 'line':
        passOnLine(logger, message.line);
        return;
      case 'appended':
        meter?.appended(message.types, message.durationMs);
        return;
      case 'moved':
        for (const standing of message.standings) standings.set(standing.name, standing);
        return;
      case 'changed':
        for (const listener of listeners) listener(message.change);
        return;
      case 'answer':
        settle(message.id)?.resolve(message.value as never);
        return;
      default:
        settle(message.id)?.reject(new Error(message.message));
    }
  });
  void options.loading.ended.then(({ code, fault }) => {
    const before = state;
    state = 'ended';
    const message = fault instanceof Error ? fault.message : `it ended with ${code}`;
    const error = new Error(`the background thread ended: ${message}`, { cause: fault });
    if (before === 'starting') begun.reject(fault instanceof Error ? fault : error);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
    ended.resolve();
    if (before === 'running') options.onLost(error);
  });

  function settle(id: number): Waiting | undefined {
    const waited = waiting.get(id);
    waiting.delete(id);
    return waited;
  }

  async function ask<Name extends keyof Questions>(
    type: Name,
    asks: Questions[Name]['asks'],
  ): Promise<Questions[Name]['gives']> {
    // Before that, nobody there would answer.
    await begun.promise;
    if (state === 'ended') throw new Error('the background thread has ended');
    lastId += 1;
    const id = lastId;
    worker.postMessage({ type, id, ...asks } as ToBackground);
    return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  }

  function standingOf(name: string): Standing {
    const standing = standings.get(name);
    if (standing === undefined) throw new RangeError(`no projection is named ${name}`);
    return standing;
  }

  async function health(): Promise<BackgroundHealth> {
    const asked = ask('health', {}).then((present) => {
      lastHealth = present;
      return present;
    });
    const late = Promise.withResolvers<BackgroundHealth>();
    const timer = setTimeout(() => late.resolve(lastHealth), HEALTH_WITHIN_MS);
    return Promise.race([asked.catch(() => lastHealth), late.promise]).finally(() => clearTimeout(timer));
  }

  return {
    async begin() {
      worker.postMessage({ type: 'begin', start: options.start } satisfies ToBackground);
      await begun.promise;
      await health();
    },
    progress: {
      async waitFor(names, position, timeoutMs) {
        const isHere = (name: string): boolean => {
          const { liveHere, position: at } = standingOf(name);
          return liveHere && at >= position;
        };
        if (names.every(isHere)) return true;
        return ask('waitFor', { names, position, timeoutMs }).catch((error: unknown) => {
          if (state === 'running') throw error;
          return false;
        });
      },
      positionOf: async (name) => standings.get(name)?.position ?? '',
      nextChange: (timeoutMs) =>
        new Promise((done) => {
          const timer = setTimeout(finish, timeoutMs);
          listeners.add(finish);
          function finish(): void {
            clearTimeout(timer);
            listeners.delete(finish);
            done();
          }
        }),
    },
    isWholeHere(name) {
      const { liveHere, whole } = standingOf(name);
      return liveHere && whole;
    },
    appliedHere(name, version) {
      const standing = standings.get(name);
      return standing?.version === version && standing.foldedHere ? standing.position : undefined;
    },
    onChanged(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    // Before it has begun nobody listens, and no worker has looked yet.
    wake: (name) => worker.postMessage({ type: 'wake', worker: name } satisfies ToBackground),
    health,
    async stopReactors() {
      if (state === 'running') await ask('stopReactors', {}).catch(ifEnded);
    },
    async stop() {
      if (state === 'running') {
        state = 'stopping';
        await ask('stop', {}).catch(ifEnded);
      } else if (state === 'starting') {
        state = 'stopping';
        await worker.terminate();
      }
      await ended.promise;
    },
  };

  function ifEnded(error: unknown): null {
    if (state === 'ended') return null;
    throw error;
  }
}
