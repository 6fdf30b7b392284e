import { projections } from '../../src/projections/all.ts';
import { rebuildProjections } from '../../src/projections/engine/rebuild.ts';
import { drainLog, filledLog } from '../fixtures/log-folder.ts';
import { emptyStore, finalDocuments, writeEveryBeside } from '../fixtures/stores.ts';
import { interleave, median, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

export const rebuild: Row = {
  name: 'rebuild',
  title: 'a rebuild of all read models beside the live ones, from one pass over the log',
  baseline: 'the slower of draining the log and writing the final documents beside the live ones',
  aim: { kind: 'speed', atLeast: 0.7 },
  async measure({ quick, rounds }) {
    const history = await filledLog(quick ? 1_000 : 10_000);
    try {
      const final = await finalDocuments(history.log);
      const documents = [...final.values()].reduce((sum, some) => sum + some.length, 0);
      const times = await interleave(rounds, {
        ours: side({
          prepare: emptyStore,
          run: async ({ readStore }) => {
            await rebuildProjections({ log: history.log, readStore, projections });
          },
          tidy: ({ close }) => close(),
        }),
        drain: side({ run: () => drainLog(history.log) }),
        write: side({
          prepare: emptyStore,
          run: ({ readStore }) => writeEveryBeside(readStore, final),
          tidy: ({ close }) => close(),
        }),
      });
      const slower = median(times.write) > median(times.drain) ? times.write : times.drain;
      return {
        values: ratios(slower, times.ours),
        perSecond: perSecond(history.events, times.ours),
        details: [
          `ours ${rate(history.events, times.ours)} events into ${documents} documents; draining ${rate(history.events, times.drain)} events, writing ${rate(documents, times.write)} documents`,
        ],
      };
    } finally {
      await history.close();
    }
  },
};
