import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, openConsole, startBrowser } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';

let service: ConsoleService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole(), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

describe('the palette', () => {
  it.each(['analyst', 'auditor'] as const)('finds what the role %s may see', async (role) => {
    const as = service.people[role];
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/overview' });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type('tax');
    const list = page.getByRole('listbox');
    await list.locator('[id]').filter({ hasText: 'Search transactions for' }).waitFor();
    expect(await page.locator('.palette [role=status]').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps what was found where one kind of thing is refused, and says that something is missing', async () => {
    const as = service.people.analyst;
    const { page, close } = await openConsole(browser, service, { as, path: '/overview' });
    const refusal = { code: 'FORBIDDEN', message: 'no', meta: { requestId: 'r', required: ['rules:read'] } };
    await page.route('**/banks/transaction-rules?*', (route) => route.fulfill({ status: 403, json: refusal }));
    const { body } = await service.api.call<{ items: { nameSurname: string | null }[] }>(
      'GET',
      '/banks/transactions?limit=50',
    );
    const name = body.result.items.find(({ nameSurname }) => nameSurname)?.nameSurname ?? '';
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.keyboard.press('Control+K');
    await page.getByRole('combobox').waitFor();
    await page.keyboard.type(name);
    await page.getByRole('option', { name }).first().waitFor();
    await page.getByText('Part of the search failed; this is what was found.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await close();
  });
});
