import { parseArgs } from 'node:util';
import { openConsole, startBrowser } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';

/**
 * Measures how soon a page can be used: in a browser that has nothing of the console, from the beginning of the
 * navigation until the side bar can be pressed and until the first figures are there, the median of some rounds.
 * `--url`, `--email` and `--password` measure a service that runs, such as the demo; without, one is started.
 */
const ROUNDS = 5;
const PAGES = {
  '/console/overview': '.balances a',
  '/console/transactions': '[role=row][aria-rowindex="2"]',
  '/console/review': '.group-head',
  '/console/rules': '[role=row][aria-rowindex="2"]',
  '/console/connections': '.card h2',
  '/console/analytics': 'form',
  '/console/audit': '[role=row][aria-rowindex="2"]',
  // The list of operations, and one of them.
  '/docs': '.operations a',
  '/docs/listTransactions': 'article.operation',
} as const;

/** In every frame, before what is loaded can run: two moments in milliseconds since the navigation began. */
const watch = (selector: string): string => `(() => {
  const seen = (globalThis.seen = {});
  const look = () => {
    if (seen.frame === undefined && document.querySelector('.side nav a, .operations a') !== null) seen.frame = performance.now();
    if (document.querySelector(${JSON.stringify(selector)}) !== null) { seen.figures = performance.now(); return; }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})()`;

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const { values } = parseArgs({
  options: { url: { type: 'string' }, email: { type: 'string' }, password: { type: 'string' } },
});
const { url = '', email = '', password = '' } = values;
const started = url === '' ? await startConsole() : null;
const service = started ?? ({ url } as ConsoleService);
const as = started?.people.admin ?? { email, password };
const browser = await startBrowser();
try {
  for (const [path, selector] of Object.entries(PAGES)) {
    const frames: number[] = [];
    const figures: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      // Another page first, of which nothing but the session is kept.
      const { page, context, close } = await openConsole(browser, service, { as, path: '/nothing' });
      await page.locator('.side nav a').first().waitFor();
      const fresh = await context.newPage();
      const cdp = await context.newCDPSession(fresh);
      await cdp.send('Network.setCacheDisabled', { cacheDisabled: true });
      await fresh.addInitScript(watch(selector));
      await fresh.goto(`${service.url}${path}`);
      await fresh.locator(selector).first().waitFor();
      await fresh.waitForTimeout(100);
      const seen: { frame: number; figures: number } = await fresh.evaluate('globalThis.seen');
      frames.push(seen.frame);
      figures.push(seen.figures);
      await close();
    }
    console.log(
      `${path}: usable after ${Math.round(median(frames))} ms, figures after ${Math.round(median(figures))} ms`,
    );
  }
} finally {
  await browser.close();
  await started?.stop();
}
