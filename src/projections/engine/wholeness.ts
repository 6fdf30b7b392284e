import type { ReadStore } from '../../readstore/read-store.ts';
import { openFills } from './fills.ts';
import { openRegistry } from './live-versions.ts';
import { readableVersion } from './read-models.ts';
import { type RunnableProjection, type Versioned, versionedName } from './runnable.ts';

export type Wholeness = {
  /**
   * Those of the named read models whose live version never was whole, so that rows may be missing from what it
   * answers. A read model that is whole stays so.
   * @throws ReadStoreUnavailable
   */
  readonly partial: (names: readonly string[]) => Promise<string[]>;
};

/**
 * Judges by what the projections have stored, so that every instance comes to the same result, at once after a restart
 * as well. Without a stored target, a version with a checkpoint was filled by a release that stored none, and counts as
 * whole; one without has not been filled by anybody yet.
 * @param options.isWholeHere of projections of this process, which know it somewhat earlier than it is stored
 */
export async function openWholeness(options: {
  readonly readStore: ReadStore;
  readonly projections: readonly RunnableProjection[];
  readonly isWholeHere?: (name: string) => boolean;
}): Promise<Wholeness> {
  const { readStore, isWholeHere = () => false } = options;
  const [registry, fills] = [await openRegistry(readStore), await openFills(readStore)];
  const versions = new Map(options.projections.map(({ name, version }) => [name, version]));
  const whole = new Set<string>();

  async function areStoredWhole(names: readonly string[]): Promise<readonly string[]> {
    const entries = await registry.getMany(names);
    const live = names.map((name): Versioned => {
      const own = versions.get(name) ?? 0;
      return { name, version: readableVersion(entries.get(name), own) };
    });
    const checkpoints = await readStore.checkpoints(live.map(versionedName));
    const targets = await fills.targets(live);
    return live
      .filter((version) => {
        const id = versionedName(version);
        const position = checkpoints.get(id)?.position ?? '';
        const target = targets.get(id);
        return target === undefined ? position !== '' : position >= target;
      })
      .map(({ name }) => name);
  }

  return {
    async partial(names) {
      const unknown = names.filter((name) => !whole.has(name) && versions.has(name));
      const asked = unknown.filter((name) => !isWholeHere(name));
      for (const name of unknown) if (!asked.includes(name)) whole.add(name);
      if (asked.length === 0) return [];
      for (const name of await areStoredWhole(asked)) whole.add(name);
      return asked.filter((name) => !whole.has(name));
    },
  };
}
