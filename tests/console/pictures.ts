import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually } from '../support/test-service.ts';
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
    name: 'webhooks',
    path: '/webhooks',
    ready: async (page) => {
      await page.getByRole('table').getByRole('link').first().click();
      await page.getByRole('row').nth(1).waitFor();
    },
  },
  {
    name: 'profile',
    path: '/profile',
    ready: async (page) => await page.getByRole('row').filter({ hasText: 'This session' }).waitFor(),
  },
  {
    name: 'sessions',
    path: '/administration?tab=sessions',
    ready: async (page) => await page.getByRole('row').filter({ hasText: 'This session' }).waitFor(),
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
      // Signed out, so that the sessions of the pictures before are on none.
      await page.context().request.delete(`${service.url}/auth/session`);
      await close();
    }
  }
}

/** What a person signs in with elsewhere. */
const AGENTS = [
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0',
];

async function signInElsewhere({ api, people }: ConsoleService): Promise<void> {
  for (const { email, password } of [people.admin, people.operator]) {
    for (const agent of AGENTS) await api.call('POST', '/auth/login', { email, password }, { 'user-agent': agent });
  }
}

/** A webhook whose receiver took some messages and refused one at first. */
async function deliverSome({ api }: ConsoleService, receiver: Receiver): Promise<void> {
  receiver.behave = (_, nth) => (nth === 2 ? 503 : 200);
  const types = ['rule.updated', 'sync.completed', 'sync.failed'];
  const hook = await api.call<{ id: string }>('POST', '/banks/webhooks', {
    url: `${receiver.url}/ledger`,
    types,
    description: 'Ledger of the head office',
  });
  const { items } = (await api.call<{ items: { id: string; version: number }[] }>('GET', '/banks/transaction-rules'))
    .body.result;
  for (const { id, version } of items.slice(0, 3)) {
    await api.call('PATCH', `/banks/transaction-rules/${id}`, { version, description: 'For the ledger' });
  }
  await eventually(
    () => api.call<{ items: unknown[] }>('GET', `/banks/webhooks/${hook.body.result.id}/deliveries`),
    ({ body }) => body.result.items.length >= 3,
  );
}

setup();
mkdirSync(FOLDER, { recursive: true });
const [service, browser, receiver] = await Promise.all([
  startConsole({ transactionsPerDay: 30, environment: { WEBHOOK_PRIVATE_NETWORKS: 'allow' } }),
  startBrowser(),
  startReceiver(),
]);
try {
  await signInElsewhere(service);
  await deliverSome(service, receiver);
  await take(service, browser);
} finally {
  await browser.close();
  await service.stop();
  await receiver.close();
}
