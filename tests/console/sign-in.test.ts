import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROLES, type Role } from '../../src/events/tenancy.ts';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { startRecordingProxy } from './support/recording-proxy.ts';

const OPERATOR_TOKEN = 'operator-token-of-32-characters-or-more';

let service: ConsoleService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([
    startConsole({ planted: false, environment: { OPERATOR_TOKEN } }),
    startBrowser(),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const WORDS = {
  en: { email: 'Email', password: 'Password', signIn: 'Sign in', first: 'Overview' },
  tr: { email: 'E-posta', password: 'Parola', signIn: 'Giriş yap', first: 'Genel bakış' },
};
/** What each role finds in the navigation, in its order, as far as the pages are there. */
const PAGES: Record<Role, readonly string[]> = {
  admin: [
    'Overview',
    'Transactions',
    'Review',
    'Rules',
    'Connections',
    'Analytics',
    'Audit',
    'Webhooks',
    'Administration',
  ],
  operator: ['Overview', 'Transactions', 'Review', 'Rules', 'Connections', 'Analytics', 'Audit'],
  analyst: ['Overview', 'Transactions', 'Review', 'Rules', 'Analytics'],
  auditor: ['Overview', 'Transactions', 'Review', 'Rules', 'Connections', 'Analytics', 'Audit'],
};

describe('signing in', () => {
  it.each(VIEWS)('works by keyboard alone, at $width px, $theme, in $language', async (view) => {
    const w = WORDS[view.language];
    const { email, password } = service.people.operator;
    const { page, faults, close } = await openConsole(browser, service, view);
    await page.getByLabel(w.email).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.type(email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: WORDS.en.first }).waitFor();
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    expect(faults).toEqual([]);
    await close();
  });

  it('says that email or password is wrong, and keeps what was typed', async () => {
    const { page, close } = await openConsole(browser, service);
    await page.getByLabel('Email').fill('nobody@acme.example');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Email or password is wrong').waitFor();
    expect(await page.getByLabel('Email').inputValue()).toBe('nobody@acme.example');
    expect(await axeFindings(page)).toEqual([]);
    await close();
  });

  it.each(ROLES)('shows the %s the pages of the role, and no others', async (role) => {
    const { page, faults, close } = await openConsole(browser, service, { as: service.people[role] });
    const links = page.getByRole('navigation').getByRole('link');
    await links.first().waitFor();
    // Without the number of rows that wait, which comes later.
    const shown = (await links.allTextContents()).map((name) => name.replace(/\d.*$/, ''));
    expect(PAGES[role].filter((name) => shown.includes(name))).toEqual(shown);
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps no token where a script can read it, and goes on after a reload', async () => {
    const { page, context, faults, close } = await openConsole(browser, service, { as: service.people.admin });
    await page.getByRole('navigation').waitFor();
    await page.reload();
    await page.getByRole('navigation').waitFor();
    expect(await page.evaluate('document.cookie + JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).toBe(
      '{}{}',
    );
    expect((await context.cookies()).map(({ httpOnly, sameSite, path }) => ({ httpOnly, sameSite, path }))).toEqual([
      { httpOnly: true, sameSite: 'Strict', path: '/auth/session' },
    ]);
    expect(faults).toEqual([]);
    await close();
  });

  it('goes on after renewals whose answers were lost, as of a page that was left meanwhile', async () => {
    const proxy = await startRecordingProxy(service.url);
    const { page, close } = await openConsole(browser, proxy, { as: service.people.admin });
    const inside = page.getByRole('navigation');
    await inside.waitFor();
    proxy.lose('/auth/session/refresh');
    for (let time = 0; time < 2; time += 1) {
      const failed = page.waitForEvent('requestfailed', (asked) => asked.url().endsWith('/auth/session/refresh'));
      await page.goto(`${proxy.url}/console`);
      await failed;
    }
    proxy.pass();
    await page.goto(`${proxy.url}/console`);
    await inside.or(page.getByLabel('Email')).first().waitFor();
    expect(await inside.count(), 'asked to sign in again').toBe(1);
    await close();
    await proxy.close();
  });

  it('leaves nothing behind after signing out', async () => {
    const { page, context, close } = await openConsole(browser, service, { as: service.people.admin });
    await page.getByRole('button', { name: /^Your account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    await close();
  });
});

describe('two tenants in one browser, one after the other', () => {
  it('have nothing of each other', async () => {
    const email = 'other.admin@other.example';
    const made = await service.api.call<{ admin: { password: string } }>(
      'POST',
      '/operator/tenants',
      { name: 'Other group', adminEmail: email },
      { authorization: `Bearer ${OPERATOR_TOKEN}`, 'x-api-key': undefined, 'x-api-secret': undefined },
    );
    expect(made.status).toBe(201);
    const { page, close } = await openConsole(browser, service, { as: service.people.admin, path: '/transactions' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Of the first tenant');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /Your account/ }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password').fill(made.body.result.admin.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'Transactions' }).click();
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByText('A view keeps filters').waitFor();
    expect(await page.locator('body').textContent()).not.toMatch(/Acme|Of the first tenant|Ada Admin/);
    expect(await page.evaluate('JSON.stringify(localStorage)')).toBe('{}');
    await close();
  });

  it('drop what they show when another tab signs in as somebody else', async () => {
    const { page, context, close } = await openConsole(browser, service, { as: service.people.admin });
    await page.getByRole('button', { name: 'Your account: Ada Admin' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${service.url}/console/`);
    await other.getByRole('button', { name: /Your account/ }).click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    await other.getByLabel('Email').fill(service.people.auditor.email);
    await other.getByLabel('Password').fill(service.people.auditor.password);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Your account: Uma Auditor' }).waitFor();
    await close();
  });
});
