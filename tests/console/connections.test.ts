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

const TABS = ['', 'completeness', 'syncs', 'schedule', 'usage', 'logs', 'settings'];
const open = (options: Parameters<typeof openConsole>[2]) =>
  openConsole(browser, service, { as: service.people.operator, ...options });

describe('the connections', () => {
  it.each(VIEWS)('have no fault at $width px, $theme, in $language: cards, and every view of one', async (view) => {
    const { page, faults, close } = await open({ ...view, path: '/connections' });
    await page.locator('.connection-cards a').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    for (const tab of TABS) {
      await page.goto(`${service.url}/console/connections/${service.connectionId}${tab === '' ? '' : `?tab=${tab}`}`);
      await page.getByRole('tabpanel').waitFor();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      expect(await axeFindings(page), tab).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), tab).toBe(true);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('are made by keyboard alone: bank, credentials, accounts, first sync', async () => {
    const { page, faults, close } = await open({ path: '/connections/new' });
    await tabTo(page, page.getByLabel('Title'));
    await page.keyboard.type('Made by keyboard');
    await page.keyboard.press('Enter');
    await page.getByText('Step 2 of 3').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Store credentials' }));
    await page.keyboard.press('Enter');
    const sync = page.getByRole('button', { name: 'Sync the first 90 days' });
    await sync.waitFor();
    await tabTo(page, sync);
    await page.keyboard.press('Enter');
    await page.waitForURL(/tab=syncs/);
    await page
      .getByRole('cell', { name: /Completed/ })
      .first()
      .waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('say in Turkish what a bank asks for and why it refuses, with its own words under the details', async () => {
    const { page, faults, close } = await open({ path: '/connections/new', language: 'tr' });
    await page.getByLabel('Banka').selectOption({ label: 'Demo Banka' });
    await page.getByLabel('Başlık').fill('Reddeden');
    await page.getByRole('button', { name: 'Bağlan' }).click();
    await page.getByLabel('Günlük hareket').fill('12');
    const script = page.getByLabel('Hata senaryosu');
    await script.fill('{ "steps": ');
    await page.getByText('Bu henüz bir JSON nesnesi değil.').waitFor();
    await script.fill('{ "steps": [{ "do": "no such thing" }] }');
    await page.getByRole('button', { name: 'Kimlik bilgilerini sakla' }).click();
    await page.getByText('Kimlik bilgileri saklanamadı.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const refused = { steps: [{ at: { operation: 'accounts', attempts: 9 }, do: 'reject-credentials' }] };
    await script.fill(JSON.stringify(refused));
    await page.getByRole('button', { name: 'Kimlik bilgilerini sakla' }).click();
    await page.getByText('Banka kimlik bilgilerini reddetti.').waitFor({ timeout: 30_000 });
    await page.getByText('PROVIDER_CREDENTIALS_REJECTED').waitFor();
    const own = page.getByText('the demo bank refuses the credentials');
    expect(await own.isVisible()).toBe(false);
    await page.getByText('Ayrıntılar', { exact: true }).click();
    await own.waitFor();
    expect(await own.getAttribute('lang')).toBe('en');
    expect(await axeFindings(page)).toEqual([]);
    // The service refuses the script that is none.
    expect(faults.filter((fault) => !/\b4\d\d\b/.test(fault))).toEqual([]);
    await close();
  });

  it('are scheduled, with the next ten turns written out in the zone', async () => {
    const { page, faults, close } = await open({ path: `/connections/${service.connectionId}?tab=schedule` });
    await page.getByRole('button', { name: 'New schedule' }).click();
    await page.getByLabel('Minute, hour, day, month, weekday').fill('30 7 * * 1');
    await page.getByLabel('Time zone').fill('Asia/Tokyo');
    await expect.poll(() => page.locator('.turns li').count()).toBe(10);
    const turn = page.locator('.turns li').first();
    await expect.poll(() => turn.innerText()).toMatch(/Mon.*07:30.*GMT\+9/);
    await page.getByRole('button', { name: 'Create schedule' }).click();
    await page.getByRole('button', { name: 'Pause' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are synced by their page, which moves by itself', async () => {
    const { page, faults, close } = await open({ path: `/connections/${service.connectionId}?tab=syncs` });
    const rows = page.getByRole('row');
    const before = await rows.count();
    await page.getByRole('button', { name: 'Sync now' }).click();
    await expect.poll(() => rows.count()).toBeGreaterThan(before);
    expect(faults).toEqual([]);
    await close();
  });

  it('are read, and not changed, by an auditor', async () => {
    const as = service.people.auditor;
    const { page, faults, close } = await open({ as, path: `/connections/${service.connectionId}` });
    await page.getByRole('tab', { name: 'Connector logs' }).waitFor();
    for (const name of [/Sync now/, /Set up/, /Look for accounts/]) {
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    }
    expect(await page.getByRole('tab', { name: 'Settings' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
