import { startChild } from '../children/messages.ts';
import { API_HEADERS, type Call, openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { automated, type ChildState, connectDemoBank, makeRules, syncDays } from '../fixtures/whole-service.ts';
import { median } from '../interleave.ts';
import type { Row } from '../row.ts';

const DAYS = 365;
/**
 * A tenth of the rows is recorded first, so that the cost of an answer can be compared with that for ten times as many.
 */
const FIRST_ROWS_A_DAY = 274;
const MORE_ROWS_A_DAY = 2_466;
const QUICK_DAYS = 3;
const LIMIT_MB = 600;
const START_WITHIN_MS = 5_000;
const ASKED = 5;

type Asked = { readonly id: string; readonly ms: number; readonly rows: number };

/**
 * The whole service in a process of its own with embedded stores, driven over HTTP: a million rows of a year are
 * synced, projected and automated, every query of the catalogue is run for that year by day, and the service is started
 * again on this data, once after a stop and once after a kill.
 */
export const year: Row = {
  name: 'year',
  title: 'a year of 1,000,000 transactions on the embedded stores, the analytics of that year, and a restart',
  baseline: 'none: peak resident memory of the process',
  aim: { kind: 'below', limit: LIMIT_MB, unit: 'MB' },
  async measure({ quick, say }) {
    const days = quick ? QUICK_DAYS : DAYS;
    const folder = makeFolder();
    const start = () => startChild<{ url: string }, ChildState>('./service-child.ts', serviceEnvironment(folder.path));
    let child = await start();
    try {
      let call = openApi(child.ready.url);
      await makeRules(call);
      const load = async (rowsADay: number): Promise<void> => {
        const startedMs = performance.now();
        await syncDays(call, await connectDemoBank(call, rowsADay), { days, rowsADay });
        await automated(call, child.ask);
        const seconds = (performance.now() - startedMs) / 1000;
        say(`${days * rowsADay} rows in after ${seconds.toFixed(0)} s, peak ${(await child.peakMb()).toFixed(0)} MB`);
      };
      await load(FIRST_ROWS_A_DAY);
      const few = await askAll(call, days);
      await load(MORE_ROWS_A_DAY);
      const many = await askAll(call, days);
      const loadedMb = await child.peakMb();

      const starts: number[] = [];
      const peaks = [loadedMb];
      for (const end of ['stop', 'kill'] as const) {
        await child[end]();
        const startedMs = performance.now();
        child = await start();
        await untilReady(child.ready.url);
        starts.push(performance.now() - startedMs);
        call = openApi(child.ready.url);
        await askAll(call, days);
        peaks.push(await child.peakMb());
      }
      const [afterStopMs = 0, afterKillMs = 0] = starts;
      const met = Math.max(...starts) <= START_WITHIN_MS ? 'met' : 'MISSED';
      return {
        values: [Math.max(...peaks)],
        details: [
          `peak while it came in and was asked ${loadedMb.toFixed(0)} MB, of a process started on it and asked ${Math.max(...peaks.slice(1)).toFixed(0)} MB`,
          `ready ${afterStopMs.toFixed(0)} ms after the start that follows a stop, ${afterKillMs.toFixed(0)} ms after a kill; aim ≤ ${START_WITHIN_MS} ms: ${met}`,
          ...many.map(({ id, ms, rows }, nth) => {
            const before = few[nth];
            return `${id}: ${rows} rows in ${ms.toFixed(1)} ms; with a tenth of the transactions ${before?.rows} rows in ${before?.ms.toFixed(1)} ms`;
          }),
        ],
      };
    } finally {
      await child.stop();
      folder.remove();
    }
  },
};

/** Every query of the catalogue over the days synced, by day. */
async function askAll(call: Call, days: number): Promise<Asked[]> {
  const { items } = await call<{ items: { id: string; parameters: { properties: object } }[] }>(
    'GET',
    '/banks/analytics/queries',
  );
  // By the end of a day in UTC it is the next one in Istanbul.
  const to = Math.floor(Date.now() / 86_400_000) + 2;
  const day = (number: number): string => new Date(number * 86_400_000).toISOString().slice(0, 10);
  const common = { from: day(to - days - 2), to: day(to), interval: 'day', timezone: 'Europe/Istanbul' };
  const asked: Asked[] = [];
  for (const { id, parameters } of items) {
    const taken = Object.entries(common).filter(([name]) => Object.hasOwn(parameters.properties, name));
    const path = `/banks/analytics/queries/${id}/results?${new URLSearchParams(taken)}`;
    const times: number[] = [];
    let rows = 0;
    for (let time = 0; time < ASKED; time += 1) {
      const startedMs = performance.now();
      rows = (await call<{ rows: unknown[] }>('GET', path)).rows.length;
      times.push(performance.now() - startedMs);
    }
    asked.push({ id, ms: median(times), rows });
  }
  return asked;
}

async function untilReady(url: string): Promise<void> {
  while (!(await fetch(`${url}/health/ready`, { headers: API_HEADERS })).ok) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
