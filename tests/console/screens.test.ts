import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openConsole, startBrowser } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { sideways, smallTargets } from './support/sideways.ts';

const LANGUAGES = ['en', 'tr'] as const;

let service: ConsoleService;
let browser: Browser;
let ruleId: string;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole(), startBrowser()]);
  const { body } = await service.api.call<{ items: { id: string }[] }>('GET', '/banks/transaction-rules');
  ruleId = body.result.items[0]?.id ?? '';
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** `{rule}` and `{connection}` stand for those that are planted. */
const PLACES = [
  '/overview',
  '/transactions',
  '/review',
  '/rules',
  '/rules/new',
  '/rules/{rule}',
  '/rules/{rule}?tab=runs',
  '/rules/{rule}?tab=versions',
  '/connections',
  '/connections/new',
  '/connections/{connection}',
  '/connections/{connection}?tab=completeness',
  '/connections/{connection}?tab=syncs',
  '/connections/{connection}?tab=schedule',
  '/connections/{connection}?tab=usage',
  '/connections/{connection}?tab=logs',
  '/connections/{connection}?tab=settings',
  '/analytics',
  '/analytics/cash-flow',
  '/audit',
  '/audit?tab=compare',
  '/audit?tab=integrity',
  '/audit?tab=proof',
  '/audit?tab=replays',
  '/webhooks',
  '/administration',
  '/administration?tab=keys',
  '/administration?tab=companies',
  '/profile',
];

function addressOf(place: string): string {
  return place.replace('{rule}', ruleId).replace('{connection}', service.connectionId ?? '');
}

/** Until nothing is on its way any more: the page is there, and no skeleton is left. */
async function settled(page: Page): Promise<void> {
  await page.locator('.page > *').first().waitFor();
  await expect.poll(() => page.locator('.page .skeleton').count()).toBe(0);
}

/** The name of the page where it is not readable to its end. */
function cutHeading(page: Page): Promise<string[]> {
  const heading = page.getByRole('heading', { level: 1 });
  return heading.evaluate((box) => (box.scrollWidth > box.clientWidth ? [`cut: ${box.textContent}`] : []));
}

describe('at 360 px', () => {
  it.each(LANGUAGES)(
    'every page and its name fit in %s, and by touch nothing to press is smaller than 24 px',
    async (language) => {
      const as = service.people.admin;
      const options = { as, width: 360, language, touch: true, path: '/overview' } as const;
      const { page, close } = await openConsole(browser, service, options);
      const found: Record<string, string[]> = {};
      for (const place of PLACES) {
        await page.goto(`${service.url}/console${addressOf(place)}`);
        await settled(page);
        const faults = [...(await sideways(page)), ...(await smallTargets(page)), ...(await cutHeading(page))];
        if (faults.length > 0) found[place] = faults;
      }
      expect(found).toEqual({});
      await close();
    },
  );

  it.each([
    ['a new person', '/administration', '.tools .button.primary'],
    ['a new key', '/administration?tab=keys', '.button.primary'],
    ['a new company', '/administration?tab=companies', '.button.primary'],
    ['the end of a rule', '/rules/{rule}', '.button.danger'],
  ])('the dialog for %s fits in both languages', async (_, place, opener) => {
    for (const language of LANGUAGES) {
      const path = addressOf(place);
      const { page, close } = await openConsole(browser, service, {
        as: service.people.admin,
        width: 360,
        language,
        path,
      });
      await settled(page);
      await page.locator(opener).first().click();
      await page.locator('dialog[open]').waitFor();
      expect({ language, sideways: await sideways(page) }).toEqual({ language, sideways: [] });
      await close();
    }
  });

  it('what lies over every page fits: menu, person, past moment, palette, keys', async () => {
    const as = service.people.admin;
    const { page, close } = await openConsole(browser, service, { as, width: 360, language: 'tr', path: '/overview' });
    await settled(page);
    for (const opener of ['.person .button', '.as-of .button']) {
      await page.locator(opener).click();
      await page.locator('.popover').waitFor();
      expect(await sideways(page)).toEqual([]);
      await page.keyboard.press('Escape');
    }
    for (const key of ['Control+k', '?']) {
      await page.keyboard.press(key);
      await page.locator('dialog[open]').waitFor();
      expect(await sideways(page)).toEqual([]);
      await page.keyboard.press('Escape');
      await page.locator('dialog[open]').waitFor({ state: 'detached' });
    }
    await close();
  });

  it('a transaction, its forms and the choice of a filter fit', async () => {
    const as = service.people.admin;
    const { page, close } = await openConsole(browser, service, {
      as,
      width: 360,
      language: 'tr',
      path: '/transactions',
    });
    await page.locator('[role=row][aria-rowindex="2"]').waitFor();
    await page.getByRole('button', { name: 'Filtre', exact: true }).click();
    await page.locator('.popover').waitFor();
    expect(await sideways(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('[role=row][aria-rowindex="2"]').click();
    await page.locator('.drawer .facts').first().waitFor();
    expect(await sideways(page)).toEqual([]);
    await close();
  });
});

describe('at 3840 px', () => {
  it('every page fits, and its table takes the width', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, width: 3840, path: '/overview' });
    await settled(page);
    expect(await sideways(page)).toEqual([]);
    await page.locator('nav a[href$="/transactions"]').click();
    await page.locator('[role=row][aria-rowindex="2"]').waitFor();
    expect(await sideways(page)).toEqual([]);
    expect(await page.locator('[role=grid]').evaluate((grid) => grid.clientWidth)).toBeGreaterThan(3_000);
    expect(faults).toEqual([]);
    await close();
  });
});

describe('on paper', () => {
  it.each(['/overview', '/transactions', '/rules', '/administration'])(
    '%s has what it says and nothing to press, and is as long as it needs to be',
    async (path) => {
      const { page, close } = await openConsole(browser, service, { as: service.people.admin, path });
      await settled(page);
      await page.locator(':is(table, [role=grid], .card)').first().waitFor();
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('navigation').isVisible()).toBe(false);
      expect(await page.getByRole('heading', { level: 1 }).isVisible()).toBe(true);
      const buttons = `[...document.querySelectorAll('.button')].filter((one) => one.checkVisibility())
        .map((one) => one.outerHTML.slice(0, 100))`;
      expect(await page.evaluate(buttons)).toEqual([]);
      expect(await page.locator(':is(table, [role=grid], .card)').first().isVisible()).toBe(true);
      // Nothing is cut off at the height of a screen.
      const cut = `[...document.querySelectorAll('.frame, .main, .page, .fills')]
        .filter((box) => getComputedStyle(box).overflowY !== 'visible').map((box) => box.className)`;
      expect(await page.evaluate(cut)).toEqual([]);
      // A list of many rows is no stack of empty sheets.
      expect(await page.evaluate('document.documentElement.scrollHeight')).toBeLessThan(10_000);
      await close();
    },
  );
});

describe('by touch', () => {
  it('the menu leads to a page, a row opens, and nothing to press is smaller than 24 px', async () => {
    const as = service.people.admin;
    const options = { as, width: 390, touch: true, path: '/overview' } as const;
    const { page, faults, close } = await openConsole(browser, service, options);
    await settled(page);
    expect(await smallTargets(page)).toEqual([]);
    await page.locator('.menu-button').tap();
    await page.locator('nav a[href$="/transactions"]').tap();
    const row = page.locator('[role=row][aria-rowindex="2"]');
    await row.waitFor();
    expect(await page.locator('.side').getAttribute('class')).not.toContain('open');
    expect(await smallTargets(page)).toEqual([]);
    await row.tap();
    await page.locator('.drawer .facts').first().waitFor();
    expect(await smallTargets(page)).toEqual([]);
    await page.locator('.drawer').getByRole('button', { name: 'Close' }).tap();
    await page.locator('.drawer').waitFor({ state: 'detached' });
    expect(faults).toEqual([]);
    await close();
  });
});
