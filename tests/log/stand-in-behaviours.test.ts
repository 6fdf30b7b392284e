import { randomUUID } from 'node:crypto';
import {
  type AllStreamSubscription,
  EventStoreDBClient,
  jsonEvent,
  type Position,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import { afterEach, describe, expect, it } from 'vitest';
import { type StandIn, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { SERVER_VERSIONS, type ServerVersion } from '../support/eventstore-stand-in/versions.ts';

/**
 * The stand-in against what real servers of these ages said to the same steps (21.10.11 and 24.6.0; 22.6 is 21.10 with
 * the places of stream reads). Places are told as the index of the event that stands there, `MAX` for 2^64 - 1.
 */
const MAX = 0xffff_ffff_ffff_ffffn;

const standIns: StandIn[] = [];
const clients: EventStoreDBClient[] = [];
const subscriptions: AllStreamSubscription[] = [];

afterEach(async () => {
  for (const subscription of subscriptions.splice(0)) await subscription.unsubscribe();
  for (const client of clients.splice(0)) await client.dispose();
  await Promise.all(standIns.splice(0).map((standIn) => standIn.stop()));
});

/** A fresh server, which has written two events of its own before anybody else came. */
async function fresh(version: ServerVersion) {
  const standIn = await startStandIn({ version });
  standIns.push(standIn);
  const client = EventStoreDBClient.connectionString(standIn.connectionString);
  clients.push(client);
  standIn.addForeignEvents(2);
  const { events } = standIn.store;
  const placeOf = ({ commit }: Position): string =>
    commit === MAX ? 'MAX' : String(events.findIndex(({ position }) => position === commit));

  async function write(stream: string, count = 1): Promise<string> {
    const written = Array.from({ length: count }, () => jsonEvent({ id: randomUUID(), type: 'Happened', data: {} }));
    const { position } = await client.appendToStream(stream, written);
    return position === undefined ? 'none' : placeOf(position);
  }

  async function others(count: number): Promise<void> {
    for (let nth = 0; nth < count; nth += 1) await write('other-1');
  }

  function subscribe(options: { from?: number; window?: number; unfiltered?: true } = {}) {
    const said: string[] = [];
    let look = (): void => {};
    const hear = (what: string): void => {
      said.push(what);
      look();
    };
    const { from, window = 32, unfiltered } = options;
    const position = from === undefined ? undefined : events[from]?.position;
    const fromPosition = position === undefined ? START : { commit: position, prepare: position };
    const filter = streamNameFilter({
      prefixes: ['our-'],
      maxSearchWindow: window,
      checkpointInterval: 1,
      checkpointReached: (_, place) => hear(`checkpoint ${placeOf(place)}`),
    });
    const subscription = client.subscribeToAll(unfiltered ? { fromPosition } : { fromPosition, filter });
    subscriptions.push(subscription);
    subscription.on('confirmation', () => hear('confirmation'));
    subscription.on('data', ({ event }) => hear(`event ${event === undefined ? '' : placeOf(event.position)}`));
    subscription.on('caughtUp', () => hear('caughtUp'));
    subscription.on('fellBehind', () => hear('fellBehind'));
    subscription.on('error', () => {});
    const heard = (what: string): Promise<void> =>
      new Promise((resolve) => {
        look = () => {
          if (said.includes(what)) resolve();
        };
        look();
      });
    return { said, heard };
  }

  return { standIn, client, write, others, subscribe, last: () => events.length - 1 };
}

describe.each(SERVER_VERSIONS)('the stand-in as a server of %s', (version) => {
  const isNew = version === '24.6';
  const ifNew = (...said: string[]): string[] => (isNew ? said : []);

  it('sends a subscriber without matching events what that server sends', async () => {
    const server = await fresh(version);
    const { said, heard } = server.subscribe();
    await heard(isNew ? 'caughtUp' : 'confirmation');
    expect(await server.write('other-1')).toBe('2');
    expect(await server.write('our-1')).toBe('3');
    expect(await server.write('our-1', 3)).toBe('6');
    await heard('event 6');
    expect(said).toEqual([
      'confirmation',
      ...ifNew('checkpoint MAX', 'caughtUp'),
      'event 3',
      'event 4',
      'event 5',
      'event 6',
    ]);
  });

  it('nominates what that server does while events of others go by', async () => {
    const server = await fresh(version);
    await server.others(1);
    await server.write('our-1', 4);
    const { said, heard } = server.subscribe();
    const first = ['confirmation', 'event 3', 'event 4', 'event 5', 'event 6', ...ifNew('checkpoint 6', 'caughtUp')];
    await heard(first.at(-1) ?? '');
    await server.others(40);
    await server.write('our-1');
    await heard('event 47');
    // The 25th of the forty: the seven before it count. Newer servers begin to count when they have caught up: the
    // 32nd.
    expect(said).toEqual([...first, `checkpoint ${6 + (isNew ? 32 : 25)}`, 'event 47']);
  });

  it('nominates nothing to who begins at the last event there is', async () => {
    const server = await fresh(version);
    await server.write('our-1', 4);
    await server.others(1);
    const { said, heard } = server.subscribe({ from: server.last() });
    await heard(isNew ? 'caughtUp' : 'confirmation');
    await server.write('our-1');
    await heard('event 7');
    expect(said).toEqual(['confirmation', ...ifNew('caughtUp'), 'event 7']);
  });

  it('nominates the last event of the log to who has caught up within one search window', async () => {
    const server = await fresh(version);
    await server.write('our-1', 4);
    await server.others(38);
    await server.write('our-1');
    await server.others(1);
    const { said, heard } = server.subscribe({ window: 1_000 });
    await heard(isNew ? 'caughtUp' : 'event 44');
    await server.write('our-1');
    await heard('event 46');
    const events = [2, 3, 4, 5, 44].map((place) => `event ${place}`);
    expect(said).toEqual(['confirmation', ...events, ...ifNew('checkpoint 45', 'caughtUp'), 'event 46']);
  });

  it('nominates nothing without a filter', async () => {
    const server = await fresh(version);
    await server.others(40);
    const { said, heard } = server.subscribe({ unfiltered: true });
    await heard(isNew ? 'caughtUp' : 'event 41');
    await server.others(1);
    await heard('event 42');
    const events = Array.from({ length: 42 }, (_, place) => `event ${place}`);
    expect(said).toEqual(['confirmation', ...events, ...ifNew('caughtUp'), 'event 42']);
  });

  it('says that a live subscriber has fallen behind, and that it has caught up again', async () => {
    const server = await fresh(version);
    await server.write('our-1');
    const { said, heard } = server.subscribe();
    await heard(isNew ? 'caughtUp' : 'event 2');
    await server.write('our-1', 100);
    await heard('event 102');
    await server.write('our-1');
    await heard('event 103');
    const words = said.filter((what) => !what.startsWith('event') && !what.startsWith('checkpoint'));
    expect(words).toEqual(['confirmation', ...ifNew('caughtUp', 'fellBehind', 'caughtUp')]);
    expect(said.filter((what) => what.startsWith('event'))).toHaveLength(102);
  });

  it('sends positions with stream reads from 22.6 on', async () => {
    const server = await fresh(version);
    await server.write('our-1', 2);
    const places: string[] = [];
    for await (const { event } of server.client.readStream('our-1')) {
      const place = event?.position?.commit;
      places.push(place === undefined || place === MAX ? 'MAX' : 'stated');
    }
    expect(places).toEqual(version === '21.10' ? ['MAX', 'MAX'] : ['stated', 'stated']);
  });
});
