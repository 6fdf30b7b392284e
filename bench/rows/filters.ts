import { collectionSpec } from '../../src/projections/engine/runnable.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { openReader, type Reader } from '../../src/queries/reader.ts';
import {
  type TransactionFilter,
  transactionConditions,
  transactionSort,
} from '../../src/queries/transaction-filter.ts';
import { BENCH } from '../fixtures/bank-rows.ts';
import { storeTransactions } from '../fixtures/stored-transactions.ts';
import { emptyStore } from '../fixtures/stores.ts';
import { interleave, median, ratios, side } from '../interleave.ts';
import type { Row } from '../row.ts';

const ROWS = { full: 1_000_000, quick: 20_000 } as const;
const REPEATS = { full: 5, quick: 2 } as const;

const FILTERS: Readonly<Record<string, TransactionFilter>> = {
  'no filter': {},
  'a word of all': { q: 'payment' },
  'a word of 30 %': { q: 'invoice' },
  'a word of 2 %': { q: 'insurance' },
  'a word of 0.2 %': { q: 'notary' },
  'a word of none': { q: 'nothing' },
  'two frequent words': { q: 'invoice even' },
  'two words never together': { q: 'even odd' },
  'the beginning of many words': { q: 'w1' },
  'a frequent code': { code: 'FAST' },
  'a rare code': { code: 'RARE' },
  'a code of none': { code: 'NONE' },
  'a rare currency': { currency: 'USD' },
  'a rare currency, incoming': { currency: 'USD', incoming: true },
  'a rare currency of one account': { currency: 'USD', accountId: 'account-1' },
  'a rare currency, unassigned': { currency: 'USD', assigned: false },
  'a rare currency and a rare code': { currency: 'USD', code: 'RARE' },
  'a frequent word and a rare currency': { q: 'invoice', currency: 'USD' },
  'a tag of 90 %': { tag: 'tag' },
  'large amounts': { minAmount: '9990' },
};

export const filters: Row = {
  name: 'filters',
  title: 'the first 50 of 1,000,000 transactions by each filter, the dearest of them',
  baseline: 'the list without a filter',
  aim: { kind: 'cost', atMost: 3 },
  async measure({ quick, rounds, say }) {
    const size = quick ? 'quick' : 'full';
    const store = await emptyStore();
    try {
      await storeTransactions(store.readStore, ROWS[size]);
      say(`${ROWS[size]} transactions stored`);
      const collection = store.readStore.collection(collectionSpec(transactions));
      const reader = openReader({ of: () => collection as never }, BENCH.tenantId, [BENCH.companyId]);
      const names = Object.keys(FILTERS);
      const sides = Object.fromEntries(
        names.map((name) => [name, side({ run: () => listed(reader, FILTERS[name] ?? {}, REPEATS[size]) })]),
      );
      const times = await interleave(rounds, sides);
      const ms = (name: string): number => median(times[name] ?? []);
      const dearest = names.reduce((one, other) => (ms(other) > ms(one) ? other : one));
      return {
        values: ratios(times[dearest] ?? [], times['no filter'] ?? []),
        details: [`the dearest: ${dearest}`, ...names.map((name) => `${name}: ${ms(name).toFixed(1)} ms`)],
      };
    } finally {
      await store.close();
    }
  },
};

/** @returns the median of the milliseconds that a first page takes */
async function listed(reader: Reader, filter: TransactionFilter, repeats: number): Promise<number> {
  const question = { filter: transactionConditions(filter), sort: transactionSort('-transactionDate'), limit: 50 };
  const times: number[] = [];
  for (let nth = 0; nth < repeats; nth += 1) {
    const startedMs = performance.now();
    await reader.page(transactions, question);
    times.push(performance.now() - startedMs);
  }
  return median(times);
}
