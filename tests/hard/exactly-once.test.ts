import { exactlyOnce } from '../support/exactly-once.ts';
import { startStandInChild } from '../support/stand-in-child.ts';

for (const version of ['21.10', '24.6'] as const) {
  exactlyOnce(`the EventStoreDB log, server of ${version}`, async () => {
    const { connectionString, stop } = await startStandInChild(version);
    const key = Buffer.alloc(32, 7).toString('base64');
    return {
      environment: { EVENTSTORE_URL: connectionString, ENCRYPTION_KEY: key, TOKEN_KEY: key, DEMO_BANK: 'on' },
      stop,
    };
  });
}
