import { afterAll, beforeAll } from 'vitest';
import { openEventStoreDbLog } from '../../src/log/eventstoredb/eventstoredb-log.ts';
import { type StandIn, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { describeLogContract } from './log-contract.ts';

let newer: StandIn;
let older: StandIn;

beforeAll(async () => {
  newer = await startStandIn();
  older = await startStandIn({ manner: { tellsStreamPositions: false, tellsCaughtUp: false } });
  for (const standIn of [newer, older]) standIn.addForeignEvents(40);
});

afterAll(async () => {
  await Promise.all([newer.stop(), older.stop()]);
});

async function open(standIn: StandIn, codec: Parameters<Parameters<typeof describeLogContract>[1]>[0]) {
  standIn.addForeignEvents(7);
  return openEventStoreDbLog({ connectionString: standIn.connectionString, codec });
}

describeLogContract('EventStoreDB log, server of 23.10', (codec) => open(newer, codec));
describeLogContract('EventStoreDB log, server of 21.10', (codec) => open(older, codec));
