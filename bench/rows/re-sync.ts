import type { LookUpKnown } from '../../src/commands/known-transaction.ts';
import { projections } from '../../src/projections/all.ts';
import { startProjections } from '../../src/projections/engine/projection-runner.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import { systemClock } from '../../src/shared/clock.ts';
import { documentId, transactionId } from '../../src/shared/ids.ts';
import { BENCH, bankPages } from '../fixtures/bank-rows.ts';
import { beginSync, commandContext, recordPages } from '../fixtures/commands.ts';
import { filledLog } from '../fixtures/log-folder.ts';
import { interleave, perSecond, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

export const reSync: Row = {
  name: 're-sync',
  title: 'pages of 500 rows that are all recorded already, through recordSyncPage',
  baseline: 'one getMany of their ids a page',
  aim: { kind: 'speed', atLeast: 0.5 },
  async measure({ quick, rounds }) {
    const count = quick ? 1_000 : 20_000;
    const history = await filledLog(count);
    const readStore = openEmbeddedStores(history.folder.path);
    try {
      await projected(history.log, readStore);
      const collection = readStore.collection<TransactionDocument>(collectionSpec(transactions));
      // As the sync worker does it.
      const lookUpKnown: LookUpKnown = async (ids) => {
        const found = await collection.getMany(ids.map((id) => documentId(BENCH.tenantId, id)));
        return new Map([...found.values()].map((document) => [document.id, document]));
      };
      const pages = await bankPages('history', count);
      const idsOfPages = pages.map(({ rows }) =>
        rows.map((row) => documentId(BENCH.tenantId, transactionId(BENCH.tenantId, BENCH.bankCode, row.providerStamp))),
      );
      const context = commandContext(history.log);
      const times = await interleave(rounds, {
        ours: side({
          prepare: () => beginSync(context, pages[0]?.subAccountKey ?? ''),
          run: (syncId) => recordPages(context, syncId, pages, lookUpKnown),
        }),
        look: side({
          run: async () => {
            for (const ids of idsOfPages) await collection.getMany(ids);
          },
        }),
      });
      return {
        values: ratios(times.look, times.ours),
        perSecond: perSecond(count, times.ours),
        details: [`ours ${rate(count, times.ours)} rows, baseline ${rate(count, times.look)}`],
      };
    } finally {
      await readStore.close();
      await history.close();
    }
  },
};

async function projected(
  log: Parameters<typeof startProjections>[0]['log'],
  readStore: Parameters<typeof startProjections>[0]['readStore'],
): Promise<void> {
  const runner = startProjections({ log, readStore, projections, clock: systemClock, owner: 'bench' });
  if (!(await runner.waitFor([transactions.name], await log.head(), 300_000))) throw new Error('no read model');
  await runner.stop();
}
