import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../src/config.ts';
import { projections } from '../src/projections/all.ts';
import { openRegistry } from '../src/projections/engine/live-versions.ts';
import { openParkings } from '../src/projections/engine/parkings.ts';
import { versionedName } from '../src/projections/engine/runnable.ts';
import type { Projection } from '../src/projections/projection.ts';
import { type ReadStore, ReadStoreUnavailable } from '../src/readstore/read-store.ts';
import { isoTime, systemClock } from '../src/shared/clock.ts';
import { openReadStore } from '../src/wiring/stores.ts';
import { readConfiguration } from './configuration.ts';
import { refuse, say } from './say.ts';

class Refused extends Error {}

/**
 * What the read store contains about each projection. Only the running service knows whether it follows the log:
 * `/health/ready`.
 */
export function showProjections(): Promise<void> {
  return onReadStore(async (readStore) => {
    const live = await (await openRegistry(readStore)).getMany(projections.map(({ name }) => name));
    const parkings = await openParkings(readStore);
    const halts = await parkings.halts(projections);
    const checkpoints = await readStore.checkpoints(projections.map(versionedName));
    say(`${'projection'.padEnd(20)} ${'live'.padEnd(5)} state`);
    for (const projection of projections) {
      const id = versionedName(projection);
      const parked = (await parkings.parkedIds(projection)).size;
      const position = checkpoints.get(id)?.position;
      const states = [position === undefined ? 'not started' : `at ${position}`];
      if (parked > 0) states.push(`${parked} parked`);
      say(`${id.padEnd(20)} ${`v${live.get(projection.name)?.live ?? '-'}`.padEnd(5)} ${states.join(', ')}`);
      const poison = halts.get(id)?.poison;
      if (poison === undefined) continue;
      const { eventType, eventId, stream, message } = poison;
      say(`  halted at ${poison.position}: ${message}`);
      say(`  on event ${eventId} (${eventType}) of ${stream}`);
    }
  });
}

/**
 * Lets a halted projection skip the event at which it halted, which is recorded, or, without `pass`, retry it. A
 * running service notices within a second or two; a stopped one when it starts.
 */
export function letGoOn(name: string, pass: boolean): Promise<void> {
  return onReadStore(async (readStore) => {
    const projection = named(name);
    const parkings = await openParkings(readStore);
    const halt = (await parkings.halts([projection])).get(versionedName(projection));
    if (halt === undefined) throw new Refused(`${name} is not halted at an event`);
    const { poison } = halt;
    if (pass) await parkings.park(projection, poison, isoTime(systemClock.now()));
    await parkings.clearHalt(projection);
    say(pass ? `${name} skips event ${poison.eventId}; the skip stays on record` : `${name} retries the event`);
  });
}

function named(name: string): Projection {
  const projection = projections.find((each) => each.name === name);
  if (projection !== undefined) return projection;
  throw new Refused(`no projection is named ${name}; there are ${projections.map((each) => each.name).join(', ')}`);
}

async function onReadStore(use: (readStore: ReadStore) => Promise<void>): Promise<void> {
  const config = readConfiguration();
  if (config === null) return;
  try {
    const readStore = await openExisting(config);
    try {
      await use(readStore);
    } finally {
      await readStore.close();
    }
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof ReadStoreUnavailable)) throw error;
    refuse(error.message);
  }
}

/** The embedded one may be in use by the service at the same time; unlike the log it is not locked. */
function openExisting(config: Config): Promise<ReadStore> {
  const file = join(config.dataDir, 'read-models.sqlite');
  if (config.mongoDbUrl === null && !existsSync(file)) throw new Refused(`${file} does not exist`);
  return openReadStore(config);
}
