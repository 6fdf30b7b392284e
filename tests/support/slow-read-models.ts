import { setTimeout as pause } from 'node:timers/promises';
import type { TestService } from './test-service.ts';

/** From now on every read model is that far behind what is written. */
export function slowReadModels(api: TestService, ms: number): void {
  const { readStore } = api.service;
  const { commitBatch } = readStore;
  Object.assign(readStore, {
    commitBatch: async (...batch: Parameters<typeof commitBatch>) => {
      await pause(ms);
      return commitBatch.apply(readStore, batch);
    },
  });
}
