import { join } from 'node:path';
import type { RecordedEvent } from '../../src/events/event.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import type { Append } from '../../src/log/log.ts';
import { projections } from '../../src/projections/all.ts';
import { startProjections } from '../../src/projections/engine/projection-runner.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { documentAfter } from '../../src/queries/after-write.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { bankPages } from '../fixtures/bank-rows.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { recordedAppends } from '../fixtures/recorded-events.ts';
import { emptyStore } from '../fixtures/stores.ts';
import { interleave, median, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

export const ownWrites: Row = {
  name: 'own-writes',
  title: 'read your writes: the time from an append until it is in the read model, one after the other, median',
  baseline: 'the append, then a write of the document by hand',
  aim: { kind: 'cost', atMost: 2 },
  async measure({ quick, rounds }) {
    const aRound = quick ? 20 : 300;
    const ours = await openHouse();
    const plain = await openHouse();
    const runner = startProjections({ ...ours, projections, clock: systemClock, owner: 'bench' });
    const collection = plain.readStore.collection(collectionSpec(transactions));
    try {
      const appends = (await bankPages('own writes', aRound * (rounds + 1))).flatMap(recordedAppends);
      const ofRound = (round: number) => appends.slice(round * aRound, (round + 1) * aRound);
      const times = await interleave(rounds, {
        ours: side({
          prepare: ofRound,
          run: (some) =>
            medianMs(some, async (append) => {
              const position = await appended(ours, append);
              if (!(await runner.waitFor([transactions.name], position, 5_000)))
                throw new Error('the read model does not contain the write');
            }),
        }),
        plain: side({
          prepare: (round) => ofRound(round).map((append) => ({ append, document: documentOf(append) })),
          run: (some) =>
            medianMs(some, async ({ append, document }) => {
              const _position = await appended(plain, append);
              await collection.putMany([{ ...document, _position }]);
            }),
        }),
      });
      return {
        values: ratios(times.ours, times.plain),
        details: [`ours ${median(times.ours).toFixed(2)} ms, baseline ${median(times.plain).toFixed(2)} ms`],
      };
    } finally {
      await runner.stop();
      await ours.close();
      await plain.close();
    }
  },
};

async function openHouse() {
  const folder = makeFolder();
  const log = openEmbeddedLog({ file: join(folder.path, 'log.sqlite'), codec: eventCodec });
  const { readStore, close } = await emptyStore();
  return {
    log,
    readStore,
    async close() {
      await close();
      await log.close();
      folder.remove();
    },
  };
}

async function appended({ log }: Awaited<ReturnType<typeof openHouse>>, append: Append): Promise<string> {
  const result = await log.append(append);
  if (result.outcome !== 'appended') throw new Error('the append was not taken');
  return result.position;
}

function documentOf({ stream, events }: Append) {
  const recorded = events.map(
    (event, revision): RecordedEvent => ({ ...event, stream, revision, position: '0', recordedAt: '' }),
  );
  return documentAfter(transactions, recorded);
}

async function medianMs<Item>(items: readonly Item[], write: (item: Item) => Promise<void>): Promise<number> {
  const took: number[] = [];
  for (const item of items) {
    const startedMs = performance.now();
    await write(item);
    took.push(performance.now() - startedMs);
  }
  return median(took);
}
