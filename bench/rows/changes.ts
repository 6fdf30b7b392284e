import { startChild } from '../children/messages.ts';
import { openApi, serviceEnvironment } from '../fixtures/api.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { automated, type ChildState, connectDemoBank, makeRules, syncDays } from '../fixtures/whole-service.ts';
import type { Row } from '../row.ts';

const FULL_DAYS = 50;
const QUICK_DAYS = 2;
const ROWS_A_DAY = 1_000;
const PAGE = 500;
/** 10,000 changes a second. */
const MOST_MICROS = 100;

type Page = { readonly items: unknown[]; readonly nextCursor: string; readonly more: boolean };

export const changes: Row = {
  name: 'changes',
  title: 'a walk of all changes from the beginning, 500 a page, over HTTP, one request after the other',
  baseline: 'none: time for each change',
  aim: { kind: 'below', limit: MOST_MICROS, unit: 'µs' },
  async measure({ quick, rounds }) {
    const folder = makeFolder();
    const child = await startChild<{ url: string }, ChildState>('./service-child.ts', serviceEnvironment(folder.path));
    try {
      const call = openApi(child.ready.url);
      await makeRules(call);
      const id = await connectDemoBank(call, ROWS_A_DAY);
      await syncDays(call, id, { days: quick ? QUICK_DAYS : FULL_DAYS, rowsADay: ROWS_A_DAY });
      await automated(call, child.ask);
      const values: number[] = [];
      let walked = 0;
      for (let round = 0; round < rounds; round += 1) {
        const startedMs = performance.now();
        let [after, more] = ['', true];
        walked = 0;
        while (more) {
          const page = await call<Page>('GET', `/banks/changes?limit=${PAGE}${after && `&after=${after}`}`);
          walked += page.items.length;
          ({ nextCursor: after, more } = page);
        }
        values.push(((performance.now() - startedMs) * 1_000) / walked);
      }
      const slowest = Math.max(...values);
      return { values, details: [`${walked} changes a walk; ${Math.round(1e6 / slowest)} a second in the slowest`] };
    } finally {
      await child.stop();
      folder.remove();
    }
  },
};
