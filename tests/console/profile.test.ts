import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES } from '../../src/events/tenancy.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';

let service: ConsoleService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole({ planted: false }), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe('the own profile', () => {
  it.each(VIEWS)('has no fault at $width px, $theme, in $language', async (view) => {
    const as = service.people.analyst;
    const { page, faults, close } = await openConsole(browser, service, { ...view, as, path: '/profile' });
    await page.locator('form').first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it.each(ROLES)('is one step from the menu for the role %s', async (role) => {
    const as = service.people[role];
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/overview' });
    await page.locator('.person').getByRole('button').click();
    await page.getByRole('link', { name: 'Your profile' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your profile' }).waitFor();
    await page.getByText(as.email, { exact: true }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps name, language and time zone', async () => {
    const as = service.people.auditor;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/profile' });
    await page.getByLabel('Display name').fill('Uma the Auditor');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Your name was saved.').waitFor();
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await page.getByLabel('Language').selectOption('tr');
    await page.getByRole('heading', { level: 1, name: 'Profiliniz' }).waitFor();
    await expect
      .poll(async () => {
        const { body } = await service.api.call<{ locale: string; timezone: string; displayName: string }>(
          'GET',
          '/auth/me',
          undefined,
          bearer((await signIn(service.api, as)).accessToken),
        );
        const { locale, timezone, displayName } = body.result;
        return { locale, timezone, displayName };
      })
      .toEqual({ locale: 'tr', timezone: 'Asia/Tokyo', displayName: 'Uma the Auditor' });
    expect(faults).toEqual([]);
    await close();
  });

  it('changes the password of an analyst by keyboard alone, and goes on with the session', async () => {
    const as = { email: 'ruth@acme.example', password: 'the first password of ruth' };
    const { accessToken } = await signIn(service.api, service.people.admin);
    const made = await service.api.call('POST', '/auth/users', { ...as, role: 'analyst' }, bearer(accessToken));
    expect(made.status).toBe(201);
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/profile' });
    const current = page.getByLabel('Current password');
    await current.waitFor();
    await tabTo(page, current);
    await page.keyboard.type('not the password of ruth');
    await tabTo(page, page.getByLabel('New password'));
    await page.keyboard.type('the second password of ruth');
    await page.keyboard.press('Enter');
    await page.getByText('The current password is wrong.').waitFor();
    await tabTo(page, current, 'Shift+Tab');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(as.password);
    await page.keyboard.press('Enter');
    await page.getByText('Your password was changed.').waitFor();
    // Nothing is left of the session that the change itself began.
    await expect.poll(() => page.locator('tbody tr').count()).toBe(1);
    await page.reload();
    await page.getByLabel('Display name').waitFor();
    // The service refuses the wrong password, and the token of the session that the change ended.
    expect(faults.filter((fault) => !/401|422/.test(fault))).toEqual([]);
    await close();
  });

  it('lists where one is signed in, and ends one, then all others', async () => {
    const as = service.people.operator;
    const others = [await signIn(service.api, as), await signIn(service.api, as), await signIn(service.api, as)];
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/profile' });
    const rows = page.getByRole('row');
    const own = rows.filter({ hasText: 'This session' });
    await own.waitFor();
    expect(await own.textContent()).toMatch(/Chrome \d+ on Linux/);
    const end = page.getByRole('button', { name: 'End: node' });
    await expect.poll(() => end.count()).toBe(4);
    await end.first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await expect.poll(() => end.count()).toBe(3);
    const all = page.getByRole('button', { name: 'End all others' });
    await tabTo(page, all);
    await page.keyboard.press('Enter');
    await page.getByText(/\d other sessions are signed out/).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'End all others' }));
    await page.keyboard.press('Enter');
    await page.getByText('Your other sessions were ended.').waitFor();
    await expect.poll(() => end.count()).toBe(0);
    for (const { accessToken } of others) {
      await expect
        .poll(async () => (await service.api.call('GET', '/auth/me', undefined, bearer(accessToken))).status)
        .toBe(401);
    }
    await page.reload();
    await own.waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
