import { exactlyOnce } from '../support/exactly-once.ts';
import { startStandInChild } from '../support/stand-in-child.ts';

exactlyOnce('the EventStoreDB log', async () => {
  const { connectionString, stop } = await startStandInChild();
  const key = Buffer.alloc(32, 7).toString('base64');
  return { environment: { EVENTSTORE_URL: connectionString, ENCRYPTION_KEY: key, TOKEN_KEY: key }, stop };
});
