import type { CDPSession, Page } from 'playwright-core';
import { setup } from './support/built-console.ts';
import { openConsole, startBrowser } from './support/console-browser.ts';
import { startConsole } from './support/console-service.ts';

/**
 * Measures the table of transactions over a million rows: the frames while one scrolls by wheel at its top, in its
 * middle and at its end, the longest task, and the memory afterwards. A task has two figures: from its start to its
 * end, which grows where the machine does something else meanwhile, and the processor's time that it took. The rows are
 * made here, since the table is what is measured.
 */
const ROWS = 1_000_000;
const WHEEL_TURNS = 150;

type Frames = { readonly frames: number; readonly seconds: number; readonly over20: number };
type TraceEvent = {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds from start to end, and of the processor. */
  readonly dur?: number;
  readonly tdur?: number;
  readonly args?: { readonly name?: string };
};

/** In the page, so that the way to the browser is not measured. */
const MADE_ROWS = `(() => {
  const real = globalThis.fetch;
  const row = (index) => ({
    id: 'row-' + index, companies: 'company-one', accountId: 'account', subAccountKey: 'EUR', status: true, version: '1',
    transactionDate: '2026-09-03T00:00:00.000Z', nameSurname: 'Counterparty ' + index, iban: null, idNo: '',
    description: 'Invoice ' + index + ' of a counterparty with a description of usual length', findAI: false,
    incoming: index % 3 === 0, amount: ((index * 37) % 99999) / 100, balance: 1000, currency: 'EUR', bankCode: 'demo',
    assignmentSummary: { referenceKeys: [], tags: [], count: index % 2, updatedAt: null },
    automation: { status: 'completed', attempts: 1 },
  });
  globalThis.fetch = async (url, init) => {
    if (!/[/]banks[/]transactions[?]/.test(url)) return real(url, init);
    const from = Number(new URL(url).searchParams.get('cursor') ?? 0);
    const items = Array.from({ length: Math.min(200, ${ROWS} - from) }, (_, index) => row(from + index));
    const result = { items, nextCursor: from + 200 < ${ROWS} ? String(from + 200) : null };
    return new Response(JSON.stringify({ status: true, result }), { headers: { 'content-type': 'application/json' } });
  };
})()`;

/** Collects frames until `stop` is called in the page. */
const WATCH = `(() => {
  const times = [];
  let on = true;
  const frame = (at) => { times.push(at); if (on) requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  globalThis.stopWatching = () => {
    on = false;
    const gaps = times.slice(1).map((at, index) => at - times[index]);
    return { frames: times.length, seconds: (times.at(-1) - times[0]) / 1000, over20: gaps.filter((gap) => gap > 20).length };
  };
})()`;

async function scrolled(page: Page, step: number) {
  await browser.startTracing(page, { categories: ['toplevel'] });
  await page.evaluate(WATCH);
  for (let turn = 0; turn < WHEEL_TURNS; turn += 1) await page.mouse.wheel(0, step);
  await page.waitForTimeout(300);
  const frames: Frames = await page.evaluate('stopWatching()');
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] };
  const main = new Set(traceEvents.filter(isMainThread).map(threadOf));
  const tasks = traceEvents.filter((event) => /RunTask/.test(event.name) && main.has(threadOf(event)));
  const longest = (figure: 'dur' | 'tdur'): number => Math.max(0, ...tasks.map((task) => (task[figure] ?? 0) / 1_000));
  const over50 = tasks.filter(({ dur = 0 }) => dur > 50_000).length;
  return { ...frames, over50, longestMs: Math.round(longest('dur')), longestCpuMs: Math.round(longest('tdur')) };
}

/** Of the pages; the browser's own threads have tasks, too. */
function isMainThread({ name, args }: TraceEvent): boolean {
  return name === 'thread_name' && args?.name === 'CrRendererMain';
}

function threadOf({ pid, tid }: TraceEvent): string {
  return `${pid} ${tid}`;
}

async function heapMiB(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.collectGarbage');
  const { metrics } = await cdp.send('Performance.getMetrics');
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 2 ** 20;
}

setup();
const [service, browser] = await Promise.all([startConsole({ planted: false }), startBrowser()]);
try {
  const { page, context } = await openConsole(browser, service, { as: service.people.analyst, path: '/review' });
  await page.evaluate(MADE_ROWS);
  await page.getByRole('navigation').getByRole('link', { name: 'Transactions' }).click();
  const grid = page.getByRole('grid');
  await grid.getByText('Counterparty 0', { exact: true }).waitFor();
  const cdp = await context.newCDPSession(page);
  await cdp.send('Performance.enable');
  await grid.hover();
  console.log('at the top', await scrolled(page, 120), `${(await heapMiB(cdp)).toFixed(1)} MiB`);

  const began = Date.now();
  // A page is reached from the one before it, so the end is reached through all of them.
  await page.evaluate(`new Promise((resolve) => {
    const grid = document.querySelector('[role=grid]');
    const on = setInterval(() => {
      grid.scrollTop = grid.scrollHeight;
      grid.dispatchEvent(new KeyboardEvent('keydown', { key: 'End', bubbles: true }));
      if (grid.getAttribute('aria-rowcount') === '${ROWS + 1}') { clearInterval(on); resolve(); }
    }, 4);
  })`);
  console.log(`every page was reached in ${Math.round((Date.now() - began) / 1_000)} s`);
  await grid.press('End');
  await grid.getByText(`Counterparty ${ROWS - 1}`, { exact: true }).waitFor();
  console.log('at the end', await scrolled(page, -120), `${(await heapMiB(cdp)).toFixed(1)} MiB`);
  await page.evaluate(
    `{ const grid = document.querySelector('[role=grid]'); grid.scrollTop = grid.scrollHeight / 2; }`,
  );
  await page.waitForTimeout(500);
  console.log('in the middle', await scrolled(page, 120), `${(await heapMiB(cdp)).toFixed(1)} MiB`);
} finally {
  await browser.close();
  await service.stop();
}
