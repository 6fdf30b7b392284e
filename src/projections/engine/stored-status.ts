import type { EventLog } from '../../log/log.ts';
import type { ReadStore } from '../../readstore/read-store.ts';
import type { Clock } from '../../shared/clock.ts';
import { openRegistry } from './live-versions.ts';
import { openParkings } from './parkings.ts';
import { createLagGauge, type Lag } from './projection-lag.ts';
import { readableVersion } from './read-models.ts';
import { type RunnableProjection, versionedName } from './runnable.ts';

/** A projection that other instances run, as far as they have stored it. */
export type StoredStatus = Lag & {
  readonly name: string;
  readonly state: 'standby' | 'halted';
  /** Why it is halted; null where it is not. */
  readonly error: string | null;
};

const MEASURED_FOR_MS = 1_000;

/**
 * The projections by their stored checkpoints and halts. The distance from the log's end is measured at most once a
 * second, however often it is asked for, and stays the last known one while the log is away.
 */
export async function openStoredStatus(options: {
  readonly log: Pick<EventLog, 'head' | 'remainder'>;
  readonly readStore: ReadStore;
  readonly projections: readonly RunnableProjection[];
  readonly clock: Clock;
}): Promise<() => Promise<StoredStatus[]>> {
  const { log, readStore, projections, clock } = options;
  const [registry, parkings] = [await openRegistry(readStore), await openParkings(readStore)];
  const gauge = createLagGauge(log, clock);
  let measuredAtMs = Number.NEGATIVE_INFINITY;
  let measuring: Promise<unknown> | undefined;

  async function measure(positions: readonly string[]): Promise<void> {
    if (performance.now() - measuredAtMs < MEASURED_FOR_MS) return;
    measuring ??= gauge
      .measure(positions)
      .catch(() => {})
      .finally(() => {
        measuredAtMs = performance.now();
        measuring = undefined;
      });
    await measuring;
  }

  return async () => {
    const entries = await registry.getMany(projections.map(({ name }) => name));
    const live = projections.map(({ name, version }) => ({
      name,
      version: readableVersion(entries.get(name), version),
    }));
    const checkpoints = await readStore.checkpoints(live.map(versionedName));
    const halts = await parkings.halts(live);
    const positions = live.map((version) => checkpoints.get(versionedName(version))?.position ?? '');
    await measure(positions);
    return live.map((version, at) => {
      const halt = halts.get(versionedName(version));
      const state = halt === undefined ? ('standby' as const) : ('halted' as const);
      return { name: version.name, state, ...gauge.at(positions[at] ?? ''), error: halt?.poison.message ?? null };
    });
  };
}
