import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { eventCodec } from '../src/events/registry.ts';
import { openEmbeddedLog } from '../src/log/embedded/embedded-log.ts';
import { LogCorrupted, LogUnavailable } from '../src/log/log.ts';
import { readConfiguration } from './configuration.ts';
import { count, refuse, say } from './say.ts';

/** Exit code 0: intact; 1: not intact, or not available; 78: the configuration is wrong. */
export async function runVerify(): Promise<void> {
  const config = readConfiguration();
  if (config === null) return;
  const file = join(config.dataDir, 'log.sqlite');
  if (config.eventStoreUrl !== null) return refuse('EVENTSTORE_URL is set; only the embedded log has a digest chain');
  // Opening would create an empty log, which is always intact.
  if (!existsSync(file)) return refuse(`${file} does not exist`);
  try {
    const log = openEmbeddedLog({ file, codec: eventCodec });
    try {
      const { events } = await log.verify();
      say(`${file}: ${count(events)} events, the digest chain is unbroken from the first to the last`);
    } finally {
      await log.close();
    }
  } catch (error) {
    if (error instanceof LogCorrupted) return refuse(`${file} is damaged: ${error.message}`);
    if (error instanceof LogUnavailable) return refuse(`${file} cannot be opened: ${error.message}`);
    throw error;
  }
}
