import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { eventCodec } from '../../src/events/registry.ts';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import { LOG_START } from '../../src/log/log.ts';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { eventually } from '../support/test-service.ts';
import { withDatabase } from '../support/wire-database.ts';

const { EVENTSTORE_TEST_URL: connectionString, MONGODB_TEST_URL: store } = process.env;
const dataDir = mkdtempSync(join(tmpdir(), 'bank-first-'));
let child: ServiceChild | undefined;

afterAll(async () => {
  await child?.kill('SIGTERM');
  rmSync(dataDir, { recursive: true, force: true });
});

/**
 * Before all others, so that its log has never held an event of this service, unless the configured server already has
 * some.
 */
describe.skipIf(connectionString === undefined || store === undefined)('a first start with external servers', () => {
  it('accepts the printed key at once, and is ready', async () => {
    const log = openEventStoreDbLog({ connectionString: connectionString ?? '', codec: eventCodec });
    const wasEmpty = (await log.head()) === LOG_START;
    await log.close();
    const key = Buffer.alloc(32, 1).toString('base64');
    const started = await startServiceChild({
      DATA_DIR: dataDir,
      EVENTSTORE_URL: connectionString ?? '',
      MONGODB_URL: withDatabase(store ?? '', `bank_${process.env.WIRE}`),
      ENCRYPTION_KEY: key,
      TOKEN_KEY: key,
    });
    child = started;
    const answered = async (): Promise<number> => (await started.call('GET', '/banks/accounts')).status;
    if (wasEmpty) expect(await answered()).toBe(200);
    else await eventually(answered, (status) => status === 200, 100_000);
    await eventually(
      async () => (await fetch(`${started.url}/health/ready`)).status,
      (status) => status === 200,
      100_000,
    );
  });
});
