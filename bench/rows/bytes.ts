import { startChild } from '../children/messages.ts';
import { openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { STORE_FILES, type Stored, storedBytes } from '../fixtures/stored-bytes.ts';
import {
  automated,
  type ChildState,
  connectDemoBank,
  makeRules,
  syncAgain,
  syncDays,
} from '../fixtures/whole-service.ts';
import type { Row } from '../row.ts';

const DAYS = 40;
const QUICK_DAYS = 4;
const ROWS_A_DAY = 500;
/** As many as a company of middling size has, for the syncs that find nothing. */
const ROWS_A_DAY_OF_SYNCS = 20;
const SYNCS = 20;
const LIMIT = 7_000;
const LIMIT_SYNC_KB = 15;
/** What takes less than this for each transaction is left out. */
const LEAST_SHOWN = 20;

/**
 * The whole service in a process of its own with embedded stores: rows of the demo bank are synced, projected and
 * automated by five rules. After it stopped, the pages of each table and index are counted. Then a connection is synced
 * twenty times without finding a new row.
 */
export const bytes: Row = {
  name: 'bytes',
  title: 'what a transaction takes in the embedded stores, and what a sync writes that finds nothing',
  baseline: 'none: bytes a transaction, all files',
  aim: { kind: 'below', limit: LIMIT, unit: 'B' },
  async measure({ quick }) {
    const days = quick ? QUICK_DAYS : DAYS;
    const total = days * ROWS_A_DAY;
    const stored = await inFolder((service) =>
      service(async (call, ask) => {
        await makeRules(call);
        await syncDays(call, await connectDemoBank(call, ROWS_A_DAY), { days, rowsADay: ROWS_A_DAY });
        await automated(call, ask);
      }),
    );
    const [before, after] = await inFolder(async (service) => {
      let connection = '';
      const connected = await service(async (call, ask) => {
        connection = await connectDemoBank(call, ROWS_A_DAY_OF_SYNCS);
        await syncAgain(call, connection);
        // As in a log that is in use.
        for (let nth = 0; nth < SYNCS; nth += 1) await syncAgain(call, connection);
        await automated(call, ask);
      });
      const synced = await service(async (call) => {
        for (let nth = 0; nth < SYNCS; nth += 1) {
          const found = await syncAgain(call, connection);
          if (found > 0) throw new Error(`a sync that should find nothing recorded ${found} rows`);
        }
      });
      return [connected, synced];
    });
    return {
      values: [sum(stored, 'pages') / total],
      details: [...ofTransactions(stored, total), ...ofSyncs(before, after)],
    };
  },
};

type Work = (call: ReturnType<typeof openApi>, ask: () => Promise<ChildState>) => Promise<void>;

/** Gives a function that starts the service on a new folder, works with it, stops it, and counts what is stored. */
async function inFolder<T>(use: (service: (work: Work) => Promise<Stored[]>) => Promise<T>): Promise<T> {
  const folder = makeFolder();
  try {
    return await use(async (work) => {
      const child = await startChild<{ url: string }, ChildState>(
        './service-child.ts',
        serviceEnvironment(folder.path),
      );
      try {
        await work(openApi(child.ready.url), child.ask);
      } finally {
        await child.stop();
      }
      return storedBytes(folder.path);
    });
  } finally {
    folder.remove();
  }
}

function sum(stored: readonly Stored[], what: 'pages' | 'used'): number {
  return stored.reduce((total, one) => total + one[what], 0);
}

function ofTransactions(stored: readonly Stored[], total: number): string[] {
  const lines: string[] = [];
  for (const file of STORE_FILES) {
    const inFile = stored.filter((one) => one.file === file);
    lines.push(`${file}: ${Math.round(sum(inFile, 'pages') / total)} B a transaction`);
    const models = [...new Set(inFile.map(({ of }) => of))]
      .map((of) => ({ of, parts: inFile.filter((one) => one.of === of) }))
      .map(({ of, parts }) => ({ of, parts, pages: sum(parts, 'pages') / total }))
      .filter(({ pages }) => pages >= LEAST_SHOWN)
      .sort((one, other) => other.pages - one.pages);
    for (const { of, parts, pages } of models) {
      const inParts = [...parts]
        .sort((one, other) => other.pages - one.pages)
        .map(({ kind, part, pages: bytes }) => `${kind} ${part} ${Math.round(bytes / total)}`);
      lines.push(`  ${of}: ${Math.round(pages)} B: ${inParts.join('; ')}`);
    }
  }
  return lines;
}

function ofSyncs(before: readonly Stored[], after: readonly Stored[]): string[] {
  const of = (stored: readonly Stored[], model: Stored): number =>
    stored.find(({ file, of, part }) => file === model.file && of === model.of && part === model.part)?.used ?? 0;
  const grown = new Map<string, number>();
  for (const model of after) {
    const name = `${model.file} ${model.of}`;
    grown.set(name, (grown.get(name) ?? 0) + of(after, model) - of(before, model));
  }
  const perSync = [...grown].map(([name, bytes]) => ({ name, kB: bytes / SYNCS / 1000 })).filter(({ kB }) => kB >= 0.1);
  const all = [...grown.values()].reduce((total, bytes) => total + bytes, 0) / SYNCS / 1000;
  const met = all <= LIMIT_SYNC_KB ? 'met' : 'MISSED';
  const parts = perSync.sort((one, other) => other.kB - one.kB).map(({ name, kB }) => `${name} ${kB.toFixed(1)}`);
  return [
    `a sync that finds nothing writes ${all.toFixed(1)} kB; aim ≤ ${LIMIT_SYNC_KB} kB: ${met}: ${parts.join(', ')}`,
  ];
}
