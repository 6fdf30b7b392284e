import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
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

const WORDS = {
  en: { page: 'Transactions', rows: /rows/, references: 'Assignments', why: 'Why' },
  tr: { page: 'Hareketler', rows: /satır/, references: 'Eşleşmeler', why: 'Neden' },
};

const shownRows = (page: Page) =>
  page
    .getByRole('grid')
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') });

async function activeOf(id: string): Promise<string[]> {
  const answer = await service.api.call<{ items: { status: string; referenceKey: string }[] }>(
    'GET',
    `/banks/transactions/${id}/assignments`,
    undefined,
    { 'x-min-log-position': await service.api.service.log.head() },
  );
  return answer.body.result.items.filter(({ status }) => status === 'active').map(({ referenceKey }) => referenceKey);
}

function openId(page: Page): string {
  return new URL(page.url()).searchParams.get('open') ?? '';
}

describe('the page of transactions', () => {
  it.each(VIEWS)('has no fault at $width px, $theme, in $language, with a row open', async (view) => {
    const w = WORDS[view.language];
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { ...view, as, path: '/transactions' });
    await page.getByRole('heading', { level: 1, name: w.page }).waitFor();
    await shownRows(page).first().waitFor();
    await page.locator('.foot').getByText(w.rows).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    await shownRows(page).first().click();
    await page.getByRole('heading', { name: w.why }).waitFor();
    await page.getByRole('heading', { name: w.references }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('filters by chips, which the address keeps', async () => {
    const as = service.people.operator;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/transactions' });
    await shownRows(page).first().waitFor();
    await page.getByRole('button', { name: 'Filter' }).click();
    await page.getByRole('button', { name: 'Direction' }).click();
    await page.getByLabel('Direction').selectOption({ label: 'Paid' });
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL(/incoming=false/);
    await page.getByRole('searchbox').fill('vergi');
    await page.waitForURL(/q=vergi/);
    await page.getByText(/VERGİ/).first().waitFor();
    const wanted = await service.api.call<{ count: { value: number } }>(
      'GET',
      '/banks/transactions/totals?incoming=false&q=vergi',
    );
    const counted = page.getByText(`${wanted.body.result.count.value} rows`, { exact: true });
    await counted.waitFor();
    await page.reload();
    await counted.waitFor();
    await page.getByRole('button', { name: 'Remove Direction: Paid' }).click();
    await page.waitForURL((url) => !url.search.includes('incoming'));
    expect(faults).toEqual([]);
    await close();
  });

  it('assigns and revokes by keyboard alone', async () => {
    const as = service.people.operator;
    const path = '/transactions?assigned=false';
    const { page, faults, close } = await openConsole(browser, service, { as, path });
    await shownRows(page).first().waitFor();
    await tabTo(page, page.getByRole('grid'));
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.waitForURL(/open=/);
    const id = openId(page);
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('complementary').getByLabel('Reference'));
    await page.keyboard.type('erp:invoice:2231');
    await page.keyboard.press('Enter');
    await page.getByText('erp:invoice:2231 was attached to 1 transaction.').waitFor();
    expect(await activeOf(id)).toEqual(['erp:invoice:2231']);
    const revoke = page.getByRole('complementary').getByRole('button', { name: 'Revoke' });
    await revoke.waitFor();
    await tabTo(page, revoke, 'Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByText('erp:invoice:2231 was revoked.').waitFor();
    expect(await activeOf(id)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => !url.search.includes('open='));
    expect(faults).toEqual([]);
    await close();
  });

  it('assigns to many rows at once, with one undo', async () => {
    const as = service.people.operator;
    const path = '/transactions?assigned=false&incoming=true';
    const { page, faults, close } = await openConsole(browser, service, { as, path });
    await shownRows(page).nth(3).waitFor();
    await tabTo(page, page.getByRole('grid'));
    await page.keyboard.press('Space');
    await page.keyboard.press('Shift+ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await page.getByText('3 selected').waitFor();
    await page.getByRole('button', { name: 'Assign', exact: true }).click();
    await page.getByRole('dialog').getByLabel('Reference').fill('erp:batch:77');
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Assign' }).click();
    await page.getByText('erp:batch:77 was attached to 3 transactions.').waitFor();
    const attached = async (): Promise<number> => {
      const answer = await service.api.call<{ items: unknown[] }>(
        'GET',
        '/banks/assignments?referenceKey=erp:batch:77&status=active',
        undefined,
        { 'x-min-log-position': await service.api.service.log.head() },
      );
      return answer.body.result.items.length;
    };
    expect(await attached()).toBe(3);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(attached).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('saves as CSV the columns that are shown, in their order, and the rows in theirs', async () => {
    const as = service.people.analyst;
    const path = '/transactions?columns=amount,day,account&sort=-amount';
    const { page, faults, close } = await openConsole(browser, service, { as, path });
    await shownRows(page).first().waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const [header, ...lines] = readFileSync(await (await saving).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(header?.replace('\uFEFF', '')).toBe('transactionDate,accountName,signedAmount,currency');
    const shown = await shownRows(page)
      .getByRole('gridcell')
      .filter({ hasText: /[A-Z]{3}$/ })
      .allTextContents();
    expect(shown.length).toBeGreaterThan(20);
    const written = lines.map((line) => line.split(',').slice(-2).join(' '));
    const plain = (text: string): string => text.replaceAll(/[,+]/g, '').replace('\u2212', '-').replace(/\s+/, ' ');
    const asShown = written.map((one) =>
      one.replace(/^(-?\d+)(?: |(\.\d) )/, (_, whole, part) => `${whole}${part ?? '.0'}0 `),
    );
    expect(shown.map(plain)).toEqual(asShown.slice(0, shown.length));
    expect(faults).toEqual([]);
    await close();
  });

  it('saves as CSV exactly the rows of the filter', async () => {
    const as = service.people.analyst;
    const path = '/transactions?incoming=true&currency=EUR';
    const { page, faults, close } = await openConsole(browser, service, { as, path });
    await shownRows(page).first().waitFor();
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const saved = readFileSync(await (await saving).path(), 'utf8');
    const listed = await service.api.call<{ count: { value: number } }>(
      'GET',
      '/banks/transactions/totals?incoming=true&currency=EUR',
    );
    expect(
      saved
        .trim()
        .split('\r\n')
        .filter((line) => line.includes('EUR')),
    ).toHaveLength(listed.body.result.count.value);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the past, and changes nothing there', async () => {
    const as = service.people.admin;
    const then = new Date().toISOString();
    const path = `/transactions?asOf=${encodeURIComponent(then)}`;
    const { page, faults, close } = await openConsole(browser, service, { as, path });
    await page.getByText('You are looking at').waitFor();
    await shownRows(page).first().click();
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('heading', { name: 'Why' }).waitFor();
    expect(await page.getByRole('button', { name: /^(Assign|Revoke)/ }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await page.getByRole('complementary').getByRole('button', { name: 'Assign' }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the references of then, and not those that were attached since', async () => {
    const as = service.people.admin;
    const listed = await service.api.call<{ items: { id: string }[] }>(
      'GET',
      '/banks/transactions?assigned=false&limit=1&sort=-transactionDate',
    );
    const id = listed.body.result.items[0]?.id ?? '';
    const then = new Date().toISOString();
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'since then' };
    const attached = await service.api.call('POST', `/banks/transactions/${id}/assignments`, { reference });
    expect(attached.status).toBe(201);
    const query = new URLSearchParams({ assigned: 'false', open: id, asOf: then });
    const { page, faults, close } = await openConsole(browser, service, { as, path: `/transactions?${query}` });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const drawer = page.getByRole('complementary');
    await drawer.getByRole('heading', { name: 'Why' }).waitFor();
    await drawer.getByRole('heading', { name: 'History' }).waitFor();
    expect(await drawer.getByText('since then').count()).toBe(0);
    expect(asked.filter((url) => url.includes(id) && /\/(transactions)\/[^?]*$/.test(url))).toEqual([]);
    await page.getByRole('button', { name: 'Back to now' }).click();
    await drawer.getByText('erp:invoice:since then').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('opens any transaction as it was then, in the list or not, and by a rule says why', async () => {
    const as = service.people.admin;
    const attached = await service.api.call<{ items: { transactionId: string; referenceKey: string }[] }>(
      'GET',
      '/banks/assignments?status=active&limit=1',
    );
    const [{ transactionId, referenceKey } = { transactionId: '', referenceKey: '' }] = attached.body.result.items;
    const query = new URLSearchParams({ q: 'matches no row', open: transactionId, asOf: new Date().toISOString() });
    const { page, faults, close } = await openConsole(browser, service, { as, path: `/transactions?${query}` });
    const drawer = page.getByRole('complementary');
    await drawer.getByText(referenceKey).first().waitFor();
    await drawer.locator('details').first().waitFor();
    await tabTo(page, drawer.locator('summary').first());
    await page.keyboard.press('Enter');
    await drawer.locator('.conditions li').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('says so where the transaction of the address was not known then', async () => {
    const as = service.people.admin;
    const listed = await service.api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=1');
    const query = new URLSearchParams({ open: listed.body.result.items[0]?.id ?? '', asOf: '2020-01-01T00:00:00Z' });
    const { page, faults, close } = await openConsole(browser, service, { as, path: `/transactions?${query}` });
    const drawer = page.getByRole('complementary');
    await drawer.getByText('This transaction was not known then.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Back to now' }).click();
    await drawer.getByRole('heading', { name: 'Why' }).waitFor();
    expect(faults.filter((fault) => !fault.includes('404'))).toEqual([]);
    await close();
  });

  it('offers nothing to change to who may only read', async () => {
    const { page, faults, close } = await openConsole(browser, service, {
      as: service.people.analyst,
      path: '/transactions',
    });
    await shownRows(page).first().click();
    await page.getByRole('heading', { name: 'Why' }).waitFor();
    expect(await page.getByRole('button', { name: /Assign|Revoke/ }).count()).toBe(0);
    expect(await page.getByRole('heading', { name: 'History' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('says what failed, with its code and request, and tries again', async () => {
    const as = service.people.admin;
    const { page, close } = await openConsole(browser, service, { as, path: '/overview' });
    await page.getByRole('navigation').waitFor();
    const failure = { status: false, code: 'INTERNAL_ERROR', message: 'It failed.', meta: { requestId: 'request-77' } };
    await page.route(/\/banks\/transactions\?/, (route) => route.fulfill({ status: 500, json: failure }));
    await page.getByRole('navigation').getByRole('link', { name: 'Transactions' }).click();
    await page.getByText('The transactions could not be loaded.').waitFor();
    await page.getByText('INTERNAL_ERROR').waitFor();
    await page.getByText('request-77').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute(/\/banks\/transactions\?/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await shownRows(page).first().waitFor();
    await close();
  });

  it('says in Turkish what a code means, with the words of the service under the details', async () => {
    const as = service.people.admin;
    const { page, close } = await openConsole(browser, service, { as, path: '/overview', language: 'tr' });
    await page.getByRole('navigation').waitFor();
    const issues = [{ path: 'q', code: 'too_big', message: 'is too long' }];
    const meta = { requestId: 'request-78', issues };
    const failure = { status: false, code: 'VALIDATION_FAILED', message: 'The request does not match.', meta };
    await page.route(/\/banks\/transactions\?/, (route) => route.fulfill({ status: 400, json: failure }));
    await page.getByRole('navigation').getByRole('link', { name: 'Hareketler' }).click();
    const panel = page.getByRole('alert');
    await panel.getByText('Girilenlerden bazıları kabul edilmedi.').waitFor();
    await panel.getByText('request-78').waitFor();
    expect(await panel.getByText('The request does not match.').isVisible()).toBe(false);
    await panel.getByText('Ayrıntılar').click();
    await panel.getByText('The request does not match.').waitFor();
    await panel.getByText('is too long').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await close();
  });

  it('shows what came in while it is open', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/transactions?assigned=false' });
    await shownRows(page).first().waitFor();
    await shownRows(page).nth(1).click();
    await page.waitForURL(/open=/);
    const reference = { source: 'erp', entityType: 'invoice', externalId: 'live' };
    const path = `/banks/transactions/${openId(page)}/assignments`;
    const attached = await service.api.call('POST', path, { reference });
    expect(attached.status).toBe(201);
    await page.getByRole('complementary').getByText('erp:invoice:live').waitFor();
    await page.keyboard.press('Escape');
    await shownRows(page)
      .nth(1)
      .getByText(/Assigned/)
      .waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keeps a view under a name', async () => {
    const as = service.people.auditor;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/transactions?currency=EUR' });
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of the view').fill('Euros');
    await page.getByRole('button', { name: 'Save this view' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Transactions' }).click();
    await page.waitForURL((url) => url.search === '');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('button', { name: 'Euros', exact: true }).click();
    await page.waitForURL(/currency=EUR/);
    expect(faults).toEqual([]);
    await close();
  });
});
