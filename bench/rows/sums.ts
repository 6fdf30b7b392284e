import { askedOf } from '../../src/analytics/parameters.ts';
import { assignmentCoverage } from '../../src/analytics/queries/assignment-coverage.ts';
import { balanceHistory } from '../../src/analytics/queries/balance-history.ts';
import { cashFlow } from '../../src/analytics/queries/cash-flow.ts';
import { lateArrivals } from '../../src/analytics/queries/late-arrivals.ts';
import { referenceTotals } from '../../src/analytics/queries/reference-totals.ts';
import { topCounterparties } from '../../src/analytics/queries/top-counterparties.ts';
import type { AnalyticsQuery } from '../../src/analytics/query.ts';
import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { openReader } from '../../src/queries/reader.ts';
import { sha256 } from '../../src/shared/hash.ts';
import { BENCH } from '../fixtures/bank-rows.ts';
import { storeSums } from '../fixtures/stored-sums.ts';
import { emptyStore } from '../fixtures/stores.ts';
import { interleave, median, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const QUERIES = [cashFlow, balanceHistory, topCounterparties, assignmentCoverage, referenceTotals, lateArrivals];
const INTERVALS = ['day', 'month'] as const;
const SIZES = { full: { rows: 1_000_000, days: 365 }, quick: { rows: 5_000, days: 20 } } as const;
const LIMIT_MS = 150;

/** Without a log and a service around it, so that a year is stored within minutes. */
export const sums: Row = {
  name: 'sums',
  title: 'each question about a year of 1,000,000 transactions in Europe/Istanbul, by day, the dearest of them',
  baseline: 'none: milliseconds of the dearest',
  aim: { kind: 'below', limit: LIMIT_MS, unit: 'ms' },
  async measure({ quick, rounds, say }) {
    const { rows, days } = SIZES[quick ? 'quick' : 'full'];
    const store = await emptyStore();
    try {
      const stored = await storeSums(store.readStore, rows, days);
      const kb = (characters: number): string => `${(characters / 1000).toFixed(0)} kB`;
      const sizes = stored.sizes.map(({ name, documents, characters }) => `${name} ${documents} of ${kb(characters)}`);
      const took = `folded in ${stored.foldMs.toFixed(0)} ms, written in ${stored.writeMs.toFixed(0)} ms`;
      say(`${rows} rows ${took}; documents as text: ${sizes.join(', ')}`);
      const of = (model: never): never => store.readStore.collection(collectionSpec(model)) as never;
      const reader = openReader({ of }, BENCH.tenantId, null);
      const answers = new Map<string, string>();
      const sides = INTERVALS.flatMap((interval) =>
        QUERIES.map((query) => {
          const name = `${query.id} by ${interval}`;
          const run = async (): Promise<void> => {
            const asked = { from: '2025-01-01', to: '2026-01-01', timezone: 'Europe/Istanbul' };
            const answer = await answered(
              query,
              reader,
              query.takes.includes('interval') ? { ...asked, interval } : asked,
            );
            answers.set(name, `${answer.rows.length} rows, ${sha256(JSON.stringify(answer)).slice(0, 8)}`);
          };
          return [name, side({ run })] as const;
        }),
      );
      const times = await interleave(rounds, Object.fromEntries(sides));
      const names = sides.map(([name]) => name);
      const ms = (name: string): number => median(times[name] ?? []);
      return {
        values: [Math.max(...names.map(ms))],
        details: names.map((name) => `${name}: ${ms(name).toFixed(1)} ms, ${answers.get(name)}`),
      };
    } finally {
      await store.close();
    }
  },
};

/** As of the newest position, after which no event comes. */
async function answered(
  query: AnalyticsQuery,
  reader: ReturnType<typeof openReader>,
  asked: Parameters<typeof askedOf>[1],
) {
  const complete = askedOf(query, asked, 0);
  if (complete === null) throw new Error('no such question');
  const source = { log: undefined as never, reader, tenant: reader, position: '9'.repeat(16) };
  return await query.answer({ ...source, pace: (read) => read() }, complete);
}
