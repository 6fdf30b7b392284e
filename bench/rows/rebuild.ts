import { projections } from '../../src/projections/all.ts';
import { rebuildProjections } from '../../src/projections/engine/rebuild.ts';
import { drainLog, filledLog } from '../fixtures/log-folder.ts';
import { emptyStore } from '../fixtures/stores.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

export const rebuild: Row = {
  name: 'rebuild',
  title: 'a rebuild of all read models beside the live ones, from one pass over the log',
  baseline: 'draining the log once',
  aim: { kind: 'speed', atLeast: 0.3 },
  async measure({ quick, rounds }) {
    const history = await filledLog(quick ? 1_000 : 10_000);
    try {
      const times = await interleave(rounds, {
        ours: side({
          prepare: emptyStore,
          run: async ({ readStore }) => {
            await rebuildProjections({ log: history.log, readStore, projections });
          },
          tidy: ({ close }) => close(),
        }),
        drain: side({ run: () => drainLog(history.log) }),
      });
      return {
        values: ratios(times.drain, times.ours),
        details: [`ours ${rate(history.events, times.ours)} events, draining ${rate(history.events, times.drain)}`],
      };
    } finally {
      await history.close();
    }
  },
};
