import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';

let service: ConsoleService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (options: Parameters<typeof openConsole>[2]) =>
  openConsole(browser, service, { as: service.people.analyst, ...options });

describe('the analytics', () => {
  it.each(VIEWS)('have no fault at $width px, $theme, in $language, for each question', async (view) => {
    const { page, faults, close } = await open({ ...view, path: '/analytics' });
    const questions = page.locator('.analytics nav a');
    await page.locator('.plot canvas').waitFor();
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    expect(await questions.count()).toBe(10);
    for (let nth = 0; nth < 10; nth += 1) {
      await questions.nth(nth).click();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      expect(await axeFindings(page), String(nth)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), String(nth)).toBe(true);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('answer by keyboard for a period, beside the period before, and keep both in the address', async () => {
    const to = new Date().toISOString().slice(0, 10);
    const from = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
    const p = encodeURIComponent(JSON.stringify({ from, to, timezone: 'UTC' }));
    const { page, faults, close } = await open({ path: `/analytics/cash-flow?p=${p}` });
    await page.locator('.plot canvas').waitFor();
    const compare = page.getByLabel('Compare with the period before');
    await tabTo(page, compare);
    await page.keyboard.press('Space');
    await page.getByRole('heading', { name: 'The period before' }).waitFor();
    await page.getByRole('region', { name: 'The period before', exact: true }).waitFor();
    expect(page.url()).toContain('compare=true');
    expect(faults).toEqual([]);
    await close();
  });

  it('show each day of the cash flow, also one on which nothing moved', async () => {
    const to = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const from = new Date(Date.now() - 25 * 86_400_000).toISOString().slice(0, 10);
    const p = encodeURIComponent(JSON.stringify({ from, to, timezone: 'UTC' }));
    const { page, faults, close } = await open({ path: `/analytics/cash-flow?p=${p}` });
    await page.locator('.plot canvas').waitFor();
    await page.locator('.chart').getByRole('radio', { name: 'Table' }).click();
    await expect.poll(() => page.locator('.chart tbody tr').count()).toBe(30);
    expect(faults).toEqual([]);
    await close();
  });

  it('save the rows as CSV', async () => {
    const { page, faults, close } = await open({ path: '/analytics/cash-flow' });
    await page.locator('.plot canvas').waitFor();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).toBe('cash-flow.csv');
    expect(faults).toEqual([]);
    await close();
  });
});
