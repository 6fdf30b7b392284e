import type { EventLog } from '../../log/log.ts';
import type { ReadStore } from '../../readstore/read-store.ts';
import { sleep } from '../../shared/retry.ts';
import { openLogEnd } from './log-end.ts';
import { type RunnableProjection, versionedName } from './runnable.ts';
import { lookAgainMs } from './waiting.ts';

/** The progress of the read models, for callers that wait for it. */
export type Progress = {
  /** True once the documents of all the named read models include the position; false if the time is up first. */
  readonly waitFor: (names: readonly string[], position: string, timeoutMs: number) => Promise<boolean>;
  /** The documents include everything up to this position; "" before the first batch. */
  readonly positionOf: (name: string) => Promise<string>;
  /** Resolves when a read model may have changed, or when the time is up. */
  readonly nextChange: (timeoutMs: number) => Promise<void>;
};

const LOOK_AGAIN_MS = 50;

/** For an instance that runs no projection itself: reads the stored checkpoints. */
export function openProgress(options: {
  readonly log: Pick<EventLog, 'end'>;
  readonly readStore: ReadStore;
  readonly projections: readonly RunnableProjection[];
}): Progress {
  const { readStore } = options;
  const logEnd = openLogEnd(options.log);
  const ids = new Map(options.projections.map((projection) => [projection.name, versionedName(projection)]));
  const never = new AbortController().signal;

  async function positions(names: readonly string[]): Promise<string[]> {
    const wanted = names.map((name) => ids.get(name) ?? name);
    const checkpoints = await readStore.checkpoints(wanted);
    return Promise.all(wanted.map((id) => logEnd.within(checkpoints.get(id)?.position ?? '')));
  }

  return {
    async waitFor(names, position, timeoutMs) {
      const startedMs = performance.now();
      for (;;) {
        if ((await positions(names)).every((at) => at >= position)) return true;
        const waitedMs = performance.now() - startedMs;
        if (waitedMs >= timeoutMs) return false;
        await sleep(Math.min(lookAgainMs(waitedMs, LOOK_AGAIN_MS), timeoutMs - waitedMs), never);
      }
    },
    positionOf: async (name) => (await positions([name]))[0] ?? '',
    nextChange: (timeoutMs) => sleep(Math.min(LOOK_AGAIN_MS, timeoutMs), never),
  };
}
