import { openApi } from '../fixtures/api.ts';
import { countCsvLines } from '../fixtures/csv-lines.ts';
import { twoServers } from '../fixtures/two-servers.ts';
import { interleave, perSecond, quantile, rates, side } from '../interleave.ts';
import type { Row, Setting } from '../row.ts';

const FULL_ROWS = 21_600;
const QUICK_ROWS = 1_000;
const AT_ONCE = 4;

export const exportRows: Row = {
  name: 'export-rows',
  title: 'rows a second of an export of 21,600 transactions as CSV',
  baseline: 'none: rows a second',
  aim: { kind: 'above', limit: 100_000, unit: 'rows/s' },
  async measure({ quick, rounds }) {
    const rows = rowsOf({ quick });
    const servers = await twoServers({ transactions: rows, rules: 0 });
    try {
      const times = await interleave(rounds, { ours: side({ run: () => exportAll(servers.url, rows) }) });
      return { values: rates(rows, times.ours), perSecond: perSecond(rows, times.ours), details: [] };
    } finally {
      await servers.close();
    }
  },
};

export const exportBeside: Row = {
  name: 'export-beside',
  title: 'p99 of a GET of one transaction, one after another, beside four such exports',
  baseline: 'none: milliseconds',
  aim: { kind: 'below', limit: 20, unit: 'ms' },
  async measure({ quick, rounds }) {
    const rows = rowsOf({ quick });
    const servers = await twoServers({ transactions: rows, rules: 0 });
    try {
      const latencies: number[] = [];
      const run = async (): Promise<number> => {
        const some = await askBeside(servers, rows);
        latencies.push(...some);
        return quantile(some, 0.99);
      };
      const times = await interleave(rounds, { ours: side({ run }) });
      return {
        values: times.ours,
        details: [`${latencies.length} answers, p50 ${quantile(latencies, 0.5).toFixed(1)} ms`],
      };
    } finally {
      await servers.close();
    }
  },
};

function rowsOf({ quick }: Pick<Setting, 'quick'>): number {
  return quick ? QUICK_ROWS : FULL_ROWS;
}

/** @returns the milliseconds of each GET until all exports have ended */
async function askBeside(
  { url, transactionIds }: { url: string; transactionIds: readonly string[] },
  rows: number,
): Promise<number[]> {
  const call = openApi(url);
  let isExporting = true;
  const exports = Promise.all(Array.from({ length: AT_ONCE }, () => exportAll(url, rows))).finally(() => {
    isExporting = false;
  });
  const latencies: number[] = [];
  for (let nth = 0; isExporting; nth += 1) {
    const startedMs = performance.now();
    await call('GET', `/banks/transactions/${transactionIds[(nth * 7_919) % transactionIds.length]}`);
    latencies.push(performance.now() - startedMs);
  }
  await exports;
  return latencies;
}

async function exportAll(url: string, rows: number): Promise<void> {
  const lines = await countCsvLines(url);
  if (lines !== rows + 1) throw new Error(`the export has ${lines} lines for ${rows} transactions`);
}
