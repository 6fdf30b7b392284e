import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { setup } from './support/built-console.ts';
import { openConsole, startBrowser } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';

const FOLDER = join(import.meta.dirname, '../../docs/pictures');

type Picture = {
  readonly name: string;
  readonly path: string;
  readonly root?: '/docs';
  readonly ready: (page: Page) => Promise<void>;
};

/** One line or block a page; each is made light and dark. */
const PICTURES: readonly Picture[] = [
  {
    name: 'overview',
    path: '/',
    ready: async (page) => {
      await page.locator('.plot canvas').waitFor();
      await page.getByRole('heading', { name: 'Since yesterday' }).waitFor();
    },
  },
  {
    name: 'transactions',
    path: '/transactions',
    ready: async (page) => {
      const rows = page.getByRole('grid').getByRole('row');
      await rows.nth(4).click();
      await page.getByRole('heading', { name: 'Bank record' }).waitFor();
    },
  },
  {
    name: 'review',
    path: '/review',
    ready: async (page) => {
      await page.locator('.group-head').nth(1).click();
      await page.getByRole('table').waitFor();
    },
  },
  {
    name: 'rules',
    path: '/rules',
    ready: async (page) => {
      await page.getByText('Vergi ödemeleri').click();
      await page.locator('.matched li').first().waitFor();
    },
  },
  {
    name: 'connections',
    path: '/connections',
    ready: async (page) => {
      await page.locator('.connection-cards a').first().click();
      await page.getByRole('tab', { name: 'Completeness' }).click();
      await page.locator('.days.weeks').first().waitFor();
    },
  },
  {
    name: 'analytics',
    path: '/analytics',
    ready: async (page) => await page.locator('.plot canvas').waitFor(),
  },
  {
    name: 'administration',
    path: '/administration?tab=keys',
    ready: async (page) => await page.getByRole('row').nth(1).waitFor(),
  },
  {
    name: 'reference',
    root: '/docs',
    path: '/listTransactions',
    ready: async (page) => await page.getByRole('button', { name: 'Try it' }).click(),
  },
  {
    name: 'audit',
    path: '/audit?entityType=rule',
    ready: async (page) => {
      await page.getByRole('row').nth(1).click();
      await page.locator('.drawer .value').first().waitFor();
    },
  },
];

async function take(service: ConsoleService, browser: Browser): Promise<void> {
  for (const { name, path, root = '/console', ready } of PICTURES) {
    for (const theme of ['light', 'dark'] as const) {
      const { page, close } = await openConsole(browser, service, { as: service.people.admin, root, path, theme });
      await ready(page);
      await page.screenshot({ path: join(FOLDER, `${name}-${theme}.png`) });
      await close();
    }
  }
}

setup();
mkdirSync(FOLDER, { recursive: true });
const [service, browser] = await Promise.all([startConsole({ transactionsPerDay: 30 }), startBrowser()]);
try {
  await take(service, browser);
} finally {
  await browser.close();
  await service.stop();
}
