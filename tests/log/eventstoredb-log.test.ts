import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll } from 'vitest';
import type { EventCodec } from '../../src/events/event.ts';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import type { EventLog } from '../../src/log/log.ts';
import { type StandIn, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { SERVER_VERSIONS } from '../support/eventstore-stand-in/versions.ts';
import { describeLogContract } from './log-contract.ts';

for (const version of SERVER_VERSIONS) {
  const standIns: StandIn[] = [];

  beforeAll(async () => {
    const standIn = await startStandIn({ version });
    standIn.addForeignEvents(40);
    standIns.push(standIn);
  });

  afterAll(async () => {
    await Promise.all(standIns.splice(0).map((standIn) => standIn.stop()));
  });

  const open = (standIn: StandIn | undefined, codec: EventCodec): EventLog =>
    openEventStoreDbLog({ connectionString: standIn?.connectionString ?? '', codec });

  describeLogContract(
    `EventStoreDB log, server of ${version}`,
    async (codec) => {
      standIns[0]?.addForeignEvents(7);
      return open(standIns[0], codec);
    },
    async (codec) => {
      const empty = await startStandIn({ version });
      standIns.push(empty);
      const log = open(empty, codec);
      const subscribed = async (): Promise<void> => {
        while (empty.live() === 0) await turn();
        // Everything sent before the answer has arrived by then.
        await log.ping();
      };
      return { log, subscribed };
    },
  );
}
