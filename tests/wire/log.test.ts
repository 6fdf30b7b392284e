import { describe, expect, it } from 'vitest';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import { describeLogContract } from '../log/log-contract.ts';

/**
 * Against a real server, 21.10 or later. Its streams belong to tenants of its own, but their event types exist in these
 * tests only: a service that reads the same server from the start would not know them.
 */
const connectionString = process.env.EVENTSTORE_TEST_URL;

if (connectionString === undefined) {
  describe('EventStoreDB log, real server', () => {
    it.skip('runs when EVENTSTORE_TEST_URL names one', () => {});
  });
} else {
  describe('EventStoreDB log, real server', () => {
    it('answers', async () => {
      const log = openEventStoreDbLog({ connectionString, codec: { check: () => {}, upcast: unchanged } });
      await expect(log.ping()).resolves.toBeUndefined();
      await log.close();
    });
  });

  describeLogContract('EventStoreDB log, real server', async (codec) =>
    openEventStoreDbLog({ connectionString, codec }),
  );
}

function unchanged(_type: string, schemaVersion: number, data: unknown): { schemaVersion: number; data: unknown } {
  return { schemaVersion, data };
}
