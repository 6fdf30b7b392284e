import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';
import { finger, type Point, rests } from './support/touch.ts';

let service: ConsoleService;
let empty: ConsoleService;
let browser: Browser;
beforeAll(async () => {
  [service, empty, browser] = await Promise.all([startConsole(), startConsole({ planted: false }), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await Promise.all([service?.stop(), empty?.stop()]);
});

const WORDS = {
  en: { balances: 'Balances', since: 'Since yesterday', needs: 'Needs you', table: 'Table' },
  tr: { balances: 'Bakiyeler', since: 'Dünden beri', needs: 'Sizi bekleyenler', table: 'Tablo' },
};

/** Something changes, and the page has loaded the figures anew. */
async function figuresComeIn(page: Page, externalId: string): Promise<void> {
  const loaded = page.waitForResponse(/cash-flow/);
  const { body } = await service.api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=1');
  const reference = { source: 'erp', entityType: 'invoice', externalId };
  await service.api.call('POST', `/banks/transactions/${body.result.items[0]?.id}/assignments`, { reference });
  await (await loaded).finished();
}

describe('the overview', () => {
  it.each(VIEWS)('has no fault at $width px, $theme, in $language', async (view) => {
    const w = WORDS[view.language];
    const { page, faults, close } = await openConsole(browser, service, { ...view, as: service.people.admin });
    await page.getByRole('heading', { name: w.balances }).waitFor();
    await page.getByRole('heading', { name: w.needs }).waitFor();
    await page.getByRole('heading', { name: w.since }).waitFor();
    await page.locator('.plot canvas').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    await page.getByRole('radio', { name: w.table }).click();
    await page.getByRole('columnheader').first().waitFor();
    // Each day, also one on which nothing moved.
    expect(await page.locator('.chart tbody tr').count()).toBe(30);
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('leads from a figure to the rows behind it, by keyboard', async () => {
    const { page, faults, close } = await openConsole(browser, service, { as: service.people.analyst });
    const card = page.locator('.balances a').first();
    await card.waitFor();
    await tabTo(page, card);
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/transactions\?accountId=.*subAccountKey=/);
    await page.getByRole('grid').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('narrows the cash flow to a span by keyboard alone, and shows it marked before', async () => {
    const { page, faults, close } = await openConsole(browser, service, { as: service.people.analyst });
    await page.locator('.plot canvas').waitFor();
    const plot = page.getByRole('slider', { name: /^Span/ });
    await tabTo(page, plot);
    await page.keyboard.press('ArrowLeft');
    for (const _ of [1, 2, 3]) await page.keyboard.press('ArrowLeft');
    for (const _ of [1, 2]) await page.keyboard.press('Shift+ArrowLeft');
    const end = Number(await plot.getAttribute('aria-valuemax'));
    await expect.poll(() => plot.getAttribute('aria-valuenow')).toBe(String(end - 5));
    const [first = '', last = ''] = ((await plot.getAttribute('aria-valuetext')) ?? '').split(' – ');
    expect(first).not.toBe(last);
    const band = await page.locator('.plot .u-select').boundingBox();
    expect(band?.width).toBeGreaterThan(20);
    expect(band?.height).toBeGreaterThan(50);
    expect(await axeFindings(page)).toEqual([]);
    // What comes in meanwhile loads the figures anew, and leaves the choice and the drawing alone.
    await page.locator('.plot canvas').evaluate((canvas) => canvas.setAttribute('data-drawn', 'before'));
    await figuresComeIn(page, 'meanwhile');
    await page.locator('.plot canvas[data-drawn=before]').waitFor();
    await expect.poll(async () => (await page.locator('.plot .u-select').boundingBox())?.width).toBe(band?.width);
    expect(await plot.getAttribute('aria-valuetext')).toBe(`${first} – ${last}`);
    await page.keyboard.press('Enter');
    await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=/);
    const { searchParams } = new URL(page.url());
    const days = (Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')) / 86_400_000;
    expect(days).toBe(3);
    expect(String(searchParams.get('from'))).toContain(first.slice(0, 2));
    await page
      .locator('.flow figcaption')
      .getByText(first.replace(/^0/, '').split(' ')[0] ?? '')
      .first()
      .waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Whole span' }));
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => !url.searchParams.has('from'));
    expect(faults).toEqual([]);
    await close();
  });

  it.each([360, 390] as const)('narrows the cash flow by a finger at %s px, which also scrolls', async (width) => {
    const options = { as: service.people.analyst, touch: true, width } as const;
    const { page, faults, close } = await openConsole(browser, service, options);
    await page.locator('.plot canvas').waitFor();
    await page.locator('.plot').scrollIntoViewIfNeeded();
    await rests(page, '.plot .u-over');
    const touch = await finger(page);
    const at = async (part: number, down = 0.5): Promise<Point> => {
      const box = await page.locator('.plot .u-over').boundingBox();
      if (box === null) throw new Error('there is no chart');
      return [box.x + box.width * part, box.y + box.height * down];
    };
    const band = async (): Promise<number> => (await page.locator('.plot .u-select').boundingBox())?.width ?? 0;
    const scrolled = async (): Promise<number> => -((await page.locator('.plot').boundingBox())?.y ?? 0);

    // Upwards over the chart it scrolls the page and chooses nothing.
    const before = await scrolled();
    const [x, y] = await at(0.3, 0.8);
    await touch.down([x, y]);
    await touch.move([x + 3, y - 150]);
    await touch.up();
    await expect.poll(scrolled).toBeGreaterThan(before + 50);
    expect(await band()).toBe(0);
    expect(new URL(page.url()).searchParams.has('from')).toBe(false);

    // Sideways it marks the span as it goes, whatever comes in meanwhile, and the page stays where it is.
    await page.locator('.plot').scrollIntoViewIfNeeded();
    await rests(page, '.plot .u-over');
    const place = await scrolled();
    await touch.down(await at(0.6));
    await figuresComeIn(page, `under-a-finger-${width}`);
    await touch.move(await at(0.2, 0.55));
    await expect.poll(band).toBeGreaterThan(60);
    expect(await scrolled()).toBe(place);
    await touch.up();
    await page.waitForURL(/from=\d{4}-\d\d-\d\d&to=/);
    const { searchParams } = new URL(page.url());
    const days = (Date.parse(searchParams.get('to') ?? '') - Date.parse(searchParams.get('from') ?? '')) / 86_400_000;
    expect(days).toBeGreaterThan(5);
    expect(days).toBeLessThan(20);
    await page.getByRole('button', { name: 'Whole span' }).click();
    await page.waitForURL((url) => !url.searchParams.has('from'));

    // A tap chooses nothing.
    await touch.down(await at(0.5));
    await touch.up();
    await page.getByRole('heading', { level: 1 }).click();
    expect(new URL(page.url()).searchParams.has('from')).toBe(false);
    expect(faults).toEqual([]);
    await close();
  });

  it('shows the unassigned money as the service adds it up', async () => {
    const totals = await service.api.call<{ count: { value: number } }>(
      'GET',
      '/banks/transactions/totals?assigned=false',
    );
    const { page, close } = await openConsole(browser, service, { as: service.people.operator });
    const count = new Intl.NumberFormat('en').format(totals.body.result.count.value);
    await page.getByRole('link', { name: `${count} rows without a reference` }).click();
    await page.waitForURL(/\/console\/review/);
    await close();
  });

  it('says what to do where there is nothing yet', async () => {
    const { page, faults, close } = await openConsole(browser, empty, { as: empty.people.admin });
    await page.getByText('There is no account yet.').waitFor();
    await page.getByText('Nothing came in since yesterday.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Transactions' }).click();
    await page.getByText('There are no transactions yet.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('link', { name: 'Review' }).click();
    await page.getByText('Nothing to review.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('finds a page by Ctrl K and shows its keys by ?', async () => {
    const { page, faults, close } = await openConsole(browser, service, { as: service.people.admin });
    await page.getByRole('navigation').waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Müller');
    await page.getByRole('option', { name: /Search transactions for/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('combobox').fill('review');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/console\/review/);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });
});
