import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../src/wiring/service.ts';

/** From now on every read model is that far behind what is written. */
export function slowReadModels({ readStore }: Service, ms: number): void {
  const { commitBatch } = readStore;
  Object.assign(readStore, {
    commitBatch: async (...batch: Parameters<typeof commitBatch>) => {
      await pause(ms);
      return commitBatch.apply(readStore, batch);
    },
  });
}
