import { systemClock } from '../../src/shared/clock.ts';
import { describeLogContract } from '../log/log-contract.ts';
import { readStoreDifferential } from '../readstore/random-differential.ts';
import { readStoreContract } from '../readstore/read-store-contract.ts';
import { newLogDisk, openSimulatedLog } from './simulated-log.ts';
import { newStoreDisk, openSimulatedReadStore } from './simulated-read-store.ts';

const shared = newLogDisk();

describeLogContract(
  'simulated log',
  async (codec) => openSimulatedLog({ disk: shared, codec, clock: systemClock }),
  async (codec) => {
    const log = openSimulatedLog({ disk: newLogDisk(), codec, clock: systemClock });
    return { log, subscribed: async () => {} };
  },
);

async function inMemory() {
  const disk = newStoreDisk();
  return { open: async () => openSimulatedReadStore({ disk }), dispose: async () => {} };
}

readStoreContract('the simulated store', inMemory);
readStoreDifferential('the simulated store', { numRuns: 100, pastSurrogates: true }, inMemory);
