import { setTimeout as pause } from 'node:timers/promises';
import type { Service } from '../../src/wiring/service.ts';

/** From now on every read model lags behind the log by that time. */
export function slowReadModels({ readStore }: Service, ms: number): void {
  const { commitBatch } = readStore;
  Object.assign(readStore, {
    commitBatch: async (...batch: Parameters<typeof commitBatch>) => {
      await pause(ms);
      return commitBatch.apply(readStore, batch);
    },
  });
}
