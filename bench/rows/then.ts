import { foldStream } from '../../src/audit/fold-stream.ts';
import { transactionsThen } from '../../src/audit/lists-then.ts';
import { pageAsOf } from '../../src/audit/page-as-of.ts';
import { attachAssignment } from '../../src/commands/change-transaction.ts';
import { streamName } from '../../src/log/streams.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openReader } from '../../src/queries/reader.ts';
import { BENCH } from '../fixtures/bank-rows.ts';
import { openRunServices, type RunServices } from '../fixtures/run-services.ts';
import { interleave, rate, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const NEWEST_FIRST = { filter: [], sort: [{ field: 'transactionDate', direction: 'desc' }] } as const;
const PAGE = 50;

function readerOf({ readModels }: RunServices) {
  return openReader(readModels, BENCH.tenantId, [BENCH.companyId]);
}

/** Attaches a reference by hand to some transactions. @returns their ids */
async function changeSome(services: RunServices, count: number): Promise<string[]> {
  const { items } = await readerOf(services).page(transactions, { ...NEWEST_FIRST, limit: count });
  const reference = { source: 'bench', entityType: 'note', externalId: 'then', label: null };
  for (const { id } of items) await attachAssignment(services.context, id, { reference, tags: [] });
  await services.caughtUp();
  return items.map(({ id }) => id);
}

export const asOfList: Row = {
  name: 'as-of',
  title: 'a list of 50 transactions as of a position, after which 200 were changed and 36,000 recorded',
  baseline: 'the live list',
  aim: { kind: 'cost', atMost: 3 },
  async measure({ quick, rounds, say }) {
    const services = await openRunServices(quick ? 2_000 : 50_000, say);
    try {
      const position = await services.log.head();
      const changed = await changeSome(services, quick ? 20 : 200);
      await services.record('came since', quick ? 1_000 : 36_000);
      const reader = readerOf(services);
      const asked = { list: transactionsThen, ...NEWEST_FIRST };
      const count = quick ? 5 : 50;
      const times = await interleave(rounds, {
        past: side({
          run: async () => {
            for (let nth = 0; nth < count; nth += 1) {
              const { items } = await pageAsOf(services.log, reader, { ...asked, limit: PAGE, position });
              if (items.length !== PAGE || items.some(({ recordedPosition }) => recordedPosition > position)) {
                throw new Error('the transaction is not as it was');
              }
            }
          },
        }),
        live: side({
          run: async () => {
            for (let nth = 0; nth < count; nth += 1) {
              await reader.page(transactions, { ...NEWEST_FIRST, limit: PAGE });
            }
          },
        }),
      });
      return {
        values: ratios(times.past, times.live),
        details: [
          `as of ${rate(count, times.past)} pages, live ${rate(count, times.live)}; ${changed.length} transactions changed and ${quick ? 1_000 : 36_000} came since`,
        ],
      };
    } finally {
      await services.close();
    }
  },
};

export const entityThen: Row = {
  name: 'entity-then',
  title: 'one transaction as of a position, folded from its stream',
  baseline: 'the raw read of the stream',
  aim: { kind: 'cost', atMost: 2 },
  async measure({ quick, rounds, say }) {
    const services = await openRunServices(quick ? 500 : 5_000, say);
    try {
      const ids = await changeSome(services, quick ? 50 : 500);
      const streams = ids.map((id) => streamName('bankTransaction', BENCH.tenantId, id));
      const position = await services.log.head();
      const times = await interleave(rounds, {
        past: side({
          run: async () => {
            for (const stream of streams)
              foldStream(transactions, await services.log.readStreamPositions(stream), position);
          },
        }),
        raw: side({
          run: async () => {
            for (const stream of streams) await services.log.readStreamPositions(stream);
          },
        }),
      });
      return {
        values: ratios(times.past, times.raw),
        details: [`folded ${rate(streams.length, times.past)}, raw ${rate(streams.length, times.raw)}`],
      };
    } finally {
      await services.close();
    }
  },
};
