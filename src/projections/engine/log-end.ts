import type { EventLog } from '../../log/log.ts';
import type { ReadStore } from '../../readstore/read-store.ts';
import { openRegistry } from './live-versions.ts';
import { type RunnableProjection, versionedName } from './runnable.ts';
import { isPassing } from './waiting.ts';

/** Distinguishes stored positions that are possible from those that are not (ADR 0022). */
export type LogEnd = {
  /** False for a position at and after which the log holds nothing. @throws LogUnavailable */
  readonly reaches: (position: string) => Promise<boolean>;
  /** The position, or "" where the log does not reach it; the position also where the log is unavailable. */
  readonly within: (position: string) => Promise<string>;
};

/** Caches the log's last known end, since it only grows: most positions cost no read. */
export function openLogEnd(log: Pick<EventLog, 'end'>): LogEnd {
  let known = '';
  let asking: Promise<void> | undefined;

  function ask(): Promise<void> {
    asking ??= log
      .end()
      .then((end) => {
        if (end > known) known = end;
      })
      .finally(() => {
        asking = undefined;
      });
    return asking;
  }

  async function reaches(position: string): Promise<boolean> {
    if (position <= known) return true;
    // The read in progress may be older than the position.
    if (asking !== undefined) await asking;
    if (position > known) await ask();
    return position <= known;
  }

  return {
    reaches,
    async within(position) {
      try {
        return (await reaches(position)) ? position : '';
      } catch (error) {
        if (isPassing(error)) return position;
        throw error;
      }
    },
  };
}

/**
 * Names of the projections with a checkpoint ahead of the log, in this code's version or in the live one; none while a
 * store is unavailable.
 */
export async function checkpointsAhead(options: {
  readonly logEnd: LogEnd;
  readonly readStore: ReadStore;
  readonly projections: readonly RunnableProjection[];
}): Promise<string[]> {
  const { logEnd, readStore, projections } = options;
  try {
    const live = await (await openRegistry(readStore)).getMany(projections.map(({ name }) => name));
    const idsOf = (projection: RunnableProjection): string[] => {
      const version = live.get(projection.name)?.live ?? projection.version;
      return [versionedName(projection), versionedName({ name: projection.name, version })];
    };
    const checkpoints = await readStore.checkpoints(projections.flatMap(idsOf));
    const ahead: string[] = [];
    for (const projection of projections) {
      const positions = idsOf(projection).map((id) => checkpoints.get(id)?.position ?? '');
      const within = await Promise.all(positions.map(logEnd.reaches));
      if (within.includes(false)) ahead.push(projection.name);
    }
    return ahead;
  } catch (error) {
    if (isPassing(error)) return [];
    throw error;
  }
}
