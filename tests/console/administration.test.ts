import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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

type Key = { readonly name: string; readonly scopes: readonly string[]; readonly revokedAt: string | null };

describe('the administration', () => {
  it.each(VIEWS)('has no fault at $width px, $theme, in $language, on any tab', async (view) => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { ...view, as, path: '/administration' });
    await page.getByRole('table').waitFor();
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    for (const tab of ['people', 'keys', 'companies', 'sessions']) {
      await page.locator(`[data-tab=${tab}]`).click();
      await page.locator('[role=tabpanel] :is(table, form)').first().waitFor();
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('adds a person, whose password is shown once and works, then changes the role and disables them', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/administration' });
    await page.getByRole('button', { name: 'Add person' }).click();
    expect(await axeFindings(page)).toEqual([]);
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Email').fill('grace@acme.example');
    await dialog.getByLabel('Role').selectOption('operator');
    await dialog.getByRole('button', { name: 'Add' }).click();
    const once = page.getByRole('dialog', { name: 'The password of grace@acme.example' });
    await once.getByRole('button', { name: 'Copy: Password' }).click();
    await once.getByRole('button', { name: 'Copied' }).waitFor();
    const password: string = await page.evaluate('navigator.clipboard.readText()');
    const signedIn = await service.api.call('POST', '/auth/session', { email: 'grace@acme.example', password });
    expect(signedIn.status).toBe(200);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Change: grace@acme.example' }).click();
    await page.getByRole('dialog').getByLabel('Role').selectOption('auditor');
    await page.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row').filter({ hasText: 'grace@acme.example' });
    await row.getByText('Auditor').waitFor();
    await page.getByRole('button', { name: 'Disable: grace@acme.example' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await row.getByText('Disabled').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('makes a key by keyboard, does not let its secret go uncopied at once, and revokes it', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/administration?tab=keys' });
    const add = page.getByRole('button', { name: 'New API key' });
    await add.waitFor();
    await tabTo(page, add);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('erp import');
    await tabTo(page, page.getByLabel('transactions:read'));
    await page.keyboard.press('Space');
    expect(await axeFindings(page)).toEqual([]);
    await tabTo(page, page.getByRole('button', { name: 'Create key' }));
    await page.keyboard.press('Enter');
    const once = page.getByRole('dialog', { name: 'The secret of erp import' });
    await once.waitFor();
    await page.keyboard.press('Escape');
    await once.getByText('It has not been copied.').waitFor();
    await tabTo(page, once.getByRole('button', { name: 'Copy: Secret' }));
    await page.keyboard.press('Enter');
    await once.getByRole('button', { name: 'Copied' }).waitFor();
    await page.keyboard.press('Escape');
    await once.waitFor({ state: 'detached' });
    const revoke = page.getByRole('button', { name: 'Revoke: erp import' });
    await tabTo(page, revoke);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByRole('button', { name: 'Revoke' }));
    await page.keyboard.press('Enter');
    await page.getByText('“erp import” was revoked.').waitFor();
    const { body } = await service.api.call<{ items: Key[] }>('GET', '/auth/api-keys', undefined, {
      ...(await bearerOf(service)),
    });
    const made = body.result.items.find(({ name }) => name === 'erp import');
    expect(made?.scopes).toEqual(['transactions:read']);
    expect(made?.revokedAt).not.toBeNull();
    expect(faults).toEqual([]);
    await close();
  });

  it('adds a company, which the side bar then offers', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/administration?tab=companies' });
    await page.getByRole('button', { name: 'Add company' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('Acme Izmir');
    await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
    await page.getByRole('row').filter({ hasText: 'Acme Izmir' }).waitFor();
    await page.locator('option', { hasText: 'Acme Izmir' }).waitFor({ state: 'attached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('ends the session of a person, chosen among the people, by keyboard alone', async () => {
    const { email } = service.people.analyst;
    const displayName = await nameOf(service, email);
    const lost = await signIn(service.api, service.people.analyst);
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/administration' });
    const show = page.getByRole('row').filter({ hasText: email }).getByRole('link', { name: 'Show' });
    await show.waitFor();
    await tabTo(page, show);
    await page.keyboard.press('Enter');
    const end = page.getByRole('button', { name: `End: ${displayName}` }).first();
    await end.waitFor();
    await expect.poll(() => page.getByLabel('Person').locator('option:checked').textContent()).toBe(displayName);
    await page.locator('tbody tr').first().waitFor();
    const before = await page.locator('tbody tr').count();
    await tabTo(page, end);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'End the session?' });
    expect(await axeFindings(page)).toEqual([]);
    await tabTo(page, dialog.getByRole('button', { name: 'End' }));
    await page.keyboard.press('Enter');
    await page.getByText('The session was ended.').waitFor();
    await expect.poll(() => page.locator('tbody tr').count()).toBe(before - 1);
    await expect
      .poll(async () => (await service.api.call('GET', '/auth/me', undefined, bearer(lost.accessToken))).status)
      .toBe(401);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows everybody’s sessions, with the present one marked and not ended from here', async () => {
    const as = service.people.admin;
    await signIn(service.api, service.people.auditor);
    const auditor = await nameOf(service, service.people.auditor.email);
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/administration?tab=sessions' });
    const own = page.getByRole('row').filter({ hasText: 'This session' });
    await own.waitFor();
    expect(await own.count()).toBe(1);
    expect(await own.getByRole('button').count()).toBe(0);
    await page.getByLabel('Person').selectOption({ label: auditor });
    await own.waitFor({ state: 'detached' });
    await page.getByRole('row').filter({ hasText: auditor }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('person')).not.toBeNull();
    expect(faults).toEqual([]);
    await close();
  });
});

async function bearerOf({ api, people }: ConsoleService): Promise<Record<string, string | undefined>> {
  const { accessToken } = await signIn(api, people.admin);
  return bearer(accessToken);
}

async function nameOf(service: ConsoleService, email: string): Promise<string> {
  type People = { items: { email: string; displayName: string | null }[] };
  const { body } = await service.api.call<People>('GET', '/auth/users', undefined, await bearerOf(service));
  return body.result.items.find((one) => one.email === email)?.displayName ?? email;
}
