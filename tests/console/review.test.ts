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

type Group = { readonly name: string; readonly count: number };

/** A group with a name and few rows. */
async function smallGroup(): Promise<Group> {
  const answer = await service.api.call<{ items: Group[] }>(
    'GET',
    '/banks/transactions/groups?by=counterparty',
    undefined,
    { 'x-min-log-position': await service.api.service.log.head() },
  );
  const { items } = answer.body.result;
  const isAlone = (name: string): boolean => items.filter((one) => one.name.startsWith(name)).length === 1;
  const found = items.findLast(({ name, count }) => name !== '' && count > 1 && isAlone(name));
  if (found === undefined) throw new Error('no group was planted');
  return found;
}

describe('the review inbox', () => {
  it.each(VIEWS)('has no fault at $width px, $theme, in $language, with a group open', async (view) => {
    const as = service.people.operator;
    const { page, faults, close } = await openConsole(browser, service, { ...view, as, path: '/review' });
    const first = page.locator('.group-head').nth(1);
    await first.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    await first.click();
    await page.getByRole('table').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the groups of then under a moment of the past, to look at only', async () => {
    const as = service.people.operator;
    const then = new Date().toISOString();
    type Groups = { items: { sampleTransactionIds: string[]; name: string; count: number }[] };
    const groups = await service.api.call<Groups>('GET', '/banks/transactions/groups?by=counterparty&sort=name');
    const [group] = groups.body.result.items.filter(({ name }) => name !== '');
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'after then' };
    const path = `/banks/transactions/${group?.sampleTransactionIds[0]}/assignments`;
    expect((await service.api.call('POST', path, { reference })).status).toBe(201);
    const query = new URLSearchParams({ asOf: then, sort: 'name' });
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/overview' });
    // What waits now is asked for there, and nowhere after.
    await page.getByRole('navigation').locator('.badge').waitFor();
    await page.goto('about:blank');
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${service.url}/console/review?${query}`);
    const card = page
      .locator('.group')
      .filter({ hasText: group?.name ?? '' })
      .first();
    await card.getByText(new RegExp(`^${group?.count} rows?$`)).waitFor();
    await tabTo(page, card.locator('.group-head'));
    await page.keyboard.press('Enter');
    await card.getByRole('table').waitFor();
    expect(await page.getByRole('button', { name: /Make a rule|Assign all|Skip/ }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await card.getByRole('table').getByRole('button').first().click();
    await page.getByRole('complementary').getByRole('heading', { name: 'Why' }).waitFor();
    const ofNow = asked.filter((url) => /\/banks\/transactions/.test(url) && !url.includes('asOf'));
    expect(ofNow).toEqual([]);
    await page.getByRole('button', { name: 'Back to now' }).first().click();
    await page.getByRole('button', { name: 'Assign' }).first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('is counted in the side bar, which follows what is attached, and shows nothing of now in the past', async () => {
    const as = service.people.operator;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/rules' });
    const badge = page.getByRole('navigation').locator('.badge');
    await badge.waitFor();
    const shown = async (): Promise<number> => Number((await badge.innerText()).replace(/\D.*/s, ''));
    const before = await shown();
    const waiting = await service.api.call<{ count: { value: number } }>(
      'GET',
      '/banks/transactions/totals?assigned=false',
    );
    expect(before).toBe(waiting.body.result.count.value);
    await page.getByRole('navigation').getByRole('link', { name: 'Transactions' }).click();
    await page.goto(`${service.url}/console/transactions?assigned=false`);
    await page.locator('[role=row][aria-rowindex="2"]').click();
    await page.getByRole('complementary').getByLabel('Reference').fill('erp:invoice:counted');
    await page.getByRole('complementary').getByRole('button', { name: 'Assign' }).click();
    await expect.poll(shown).toBe(before - 1);
    await page.goto(`${service.url}/console/rules?asOf=${encodeURIComponent(new Date().toISOString())}`);
    await page.getByText('You are looking at').waitFor();
    await page.getByRole('grid').waitFor();
    expect(await badge.count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('attaches a reference to a whole group by keyboard, which then is gone', async () => {
    const { name, count } = await smallGroup();
    const as = service.people.operator;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/review' });
    const head = page.locator('.group-head', { hasText: name });
    await head.waitFor();
    await tabTo(page, head);
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('button', { name: 'Assign all' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('dialog').getByLabel('Reference'));
    await page.keyboard.type('erp:vendor:9');
    await page.keyboard.press('Enter');
    await page.getByText(`erp:vendor:9 was attached to ${count} transactions.`).waitFor();
    await head.waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });

  it('carries the counterparty of a group into the editor of rules', async () => {
    const { name } = await smallGroup();
    const as = service.people.operator;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/review' });
    await page.locator('.group-head', { hasText: name }).click();
    await page.getByRole('button', { name: 'Make a rule' }).click();
    await page.waitForURL(/\/console\/rules\/new/);
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe(`Transactions of ${name}`);
    expect(faults).toEqual([]);
    await close();
  });

  it('sets a group aside until something new is in it', async () => {
    const { name } = await smallGroup();
    const as = service.people.auditor;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/review' });
    const head = page.locator('.group-head', { hasText: name });
    await head.click();
    expect(await page.getByRole('button', { name: /Assign all|Make a rule/ }).count()).toBe(0);
    await page.getByRole('button', { name: 'Skip' }).click();
    await page.getByText('1 skipped group').waitFor();
    expect(await head.count()).toBe(0);
    await page.reload();
    await page.getByText('1 skipped group').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    await head.waitFor();
    expect(faults).toEqual([]);
    await close();
  });
});
