import { startChild } from '../children/messages.ts';
import { openApi, serviceEnvironment } from '../fixtures/api.ts';
import { countCsvLines } from '../fixtures/csv-lines.ts';
import { makeFolder } from '../fixtures/folder.ts';
import { automated, type ChildState, connectDemoBank, makeRules, syncDays } from '../fixtures/whole-service.ts';
import type { Row } from '../row.ts';

const FULL_DAYS = 100;
const QUICK_DAYS = 5;
const ROWS_A_DAY = 1_000;
const LIMIT_MB = 400;

/**
 * The whole service in a process of its own with embedded stores: a sync of the demo bank, the read models, automation
 * with five rules, and then everything as CSV. Driven over HTTP, so that the measured memory contains nothing of the
 * bench.
 */
export const memory: Row = {
  name: 'memory',
  title: '100,000 transactions synced, projected, automated and exported on the embedded stores',
  baseline: 'none: peak resident memory of the process',
  aim: { kind: 'below', limit: LIMIT_MB, unit: 'MB' },
  async measure({ quick, say }) {
    const days = quick ? QUICK_DAYS : FULL_DAYS;
    const total = days * ROWS_A_DAY;
    const folder = makeFolder();
    const child = await startChild<{ url: string }, ChildState>('./service-child.ts', serviceEnvironment(folder.path));
    try {
      const { url } = child.ready;
      const call = openApi(url);
      const idleMb = await child.peakMb();
      await makeRules(call);
      const id = await connectDemoBank(call, ROWS_A_DAY);
      const startedMs = performance.now();
      await syncDays(call, id, { days, rowsADay: ROWS_A_DAY });
      const syncedMs = performance.now() - startedMs;
      const afterSyncMb = await child.peakMb();
      say(`synced ${total} rows in ${(syncedMs / 1000).toFixed(1)} s, peak so far ${afterSyncMb.toFixed(0)} MB`);
      await automated(call, child.ask);
      const automatedMs = performance.now() - startedMs;
      const afterAutomationMb = await child.peakMb();
      const csvLines = await countCsvLines(url);
      if (csvLines !== total + 1) throw new Error(`the CSV has ${csvLines} lines for ${total} transactions`);
      const peakMb = await child.peakMb();
      const { cpuMs } = await child.ask();
      return {
        values: [peakMb],
        perSecond: (total / automatedMs) * 1000,
        details: [
          `idle after start ${idleMb.toFixed(0)} MB, peak to the end of the sync ${afterSyncMb.toFixed(0)} MB, of automation ${afterAutomationMb.toFixed(0)} MB, of the CSV export ${peakMb.toFixed(0)} MB`,
          `${total} rows: sync ${(syncedMs / 1000).toFixed(1)} s, read models and automation done after ${(automatedMs / 1000).toFixed(1)} s, ${(cpuMs / 1000).toFixed(1)} s of processor time`,
        ],
      };
    } finally {
      await child.stop();
      folder.remove();
    }
  },
};
