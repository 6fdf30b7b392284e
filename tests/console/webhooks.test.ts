import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';
import { sideways } from './support/sideways.ts';

let service: ConsoleService;
let browser: Browser;
let receiver: Receiver;
let webhookId: string;
let answers = 200;
beforeAll(async () => {
  const environment = { WEBHOOK_PRIVATE_NETWORKS: 'allow' };
  [service, browser, receiver] = await Promise.all([
    startConsole({ planted: false, environment }),
    startBrowser(),
    startReceiver(() => answers),
  ]);
  const body = { url: receiver.url, types: ['*'], description: 'Planted' };
  const made = await service.api.call<{ id: string }>('POST', '/banks/webhooks', body);
  expect(made.status).toBe(201);
  webhookId = made.body.result.id;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await receiver?.close();
});

describe('the webhooks', () => {
  it.each(VIEWS)('have no fault at $width px, $theme, in $language, as a list and as one', async (view) => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { ...view, as, path: '/webhooks' });
    await page.getByRole('table').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await sideways(page)).toEqual([]);
    await page.locator('.tools .button.primary').click();
    await page.getByRole('dialog').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await sideways(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('table').getByRole('link').first().click();
    await page.locator('.facts').waitFor();
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    expect(await axeFindings(page)).toEqual([]);
    expect(await sideways(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('are made by keyboard alone, with a secret that is shown once', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: '/webhooks' });
    const add = page.getByRole('button', { name: 'New webhook' });
    await add.waitFor();
    await tabTo(page, add);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await tabTo(page, dialog.getByLabel('Receiver'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`${receiver.url}/second`);
    await tabTo(page, dialog.getByLabel('All events, later ones too'));
    await page.keyboard.press('Space');
    await tabTo(page, dialog.getByLabel('Rule changed'));
    await page.keyboard.press('Space');
    await tabTo(page, dialog.getByRole('button', { name: 'Create webhook' }));
    await page.keyboard.press('Enter');
    const once = page.getByRole('dialog', { name: 'The secret of the webhook' });
    await tabTo(page, once.getByRole('button', { name: 'Copy: Secret' }));
    await page.keyboard.press('Enter');
    await once.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^whsec_/);
    await page.keyboard.press('Escape');
    const row = page.getByRole('row').filter({ hasText: '/second' });
    await row.getByText('Rule changed').waitFor();
    expect(await page.getByText('whsec_').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('show what the receiver answers to a test, are paused and resumed, and get a new secret', async () => {
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: `/webhooks/${webhookId}` });
    answers = 418;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByRole('dialog').getByText('The receiver did not take the test message.').waitFor();
    await page.getByRole('dialog').getByText('HTTP 418').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press('Escape');
    answers = 200;
    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('The receiver took the test message.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Pause' }).click();
    await page.locator('.facts').getByText('Paused').waitFor();
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.locator('.facts').getByText('Active').waitFor();
    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('dialog').getByLabel('The old secret still signs').selectOption('3600');
    await page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }).click();
    await page
      .getByRole('dialog', { name: 'The secret of the webhook' })
      .getByRole('button', { name: /^Copy/ })
      .click();
    await page.keyboard.press('Escape');
    await page.locator('.facts').getByText('The old secret also signs until').waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are changed by keyboard alone, and only in what is different', async () => {
    const body = { url: `${receiver.url}/change`, types: ['rule.updated'], description: 'Before' };
    const { id } = (await service.api.call<{ id: string }>('POST', '/banks/webhooks', body)).body.result;
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: `/webhooks/${id}` });
    const change = page.getByRole('button', { name: 'Change' });
    await change.waitFor();
    await tabTo(page, change);
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Change the webhook' });
    await dialog.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await tabTo(page, dialog.getByLabel('Description'));
    await page.keyboard.press('Control+A');
    await page.keyboard.type('After');
    await tabTo(page, dialog.getByLabel('Sync failed'));
    await page.keyboard.press('Space');
    // Meanwhile somebody else moves the receiver, which stays.
    await service.api.call('PATCH', `/banks/webhooks/${id}`, { url: `${receiver.url}/moved` });
    const sent = page.waitForRequest((request) => request.method() === 'PATCH');
    await tabTo(page, dialog.getByRole('button', { name: 'Save' }));
    await page.keyboard.press('Enter');
    expect((await sent).postDataJSON()).toEqual({ types: ['rule.updated', 'sync.failed'], description: 'After' });
    await page.getByText('The webhook was changed.').waitFor();
    await page.locator('.facts').getByText('Rule changed, Sync failed').waitFor();
    await page.locator('.facts').getByText('After').waitFor();
    await page.getByRole('heading', { name: `${receiver.url}/moved` }).waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keep what was typed where the service refuses the receiver', async () => {
    const as = service.people.admin;
    const { page, close } = await openConsole(browser, service, { as, path: `/webhooks/${webhookId}` });
    await page.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog');
    const refused = 'ftp://receiver.example/kept';
    await dialog.getByLabel('Receiver').fill(refused);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText('The change was not made.').waitFor();
    expect(await dialog.getByLabel('Receiver').inputValue()).toBe(refused);
    await close();
  });

  it('list their deliveries, and deliver one again', async () => {
    const rule = {
      name: 'Delivered',
      conditions: { combinator: 'all', children: [{ field: 'currency', operator: 'equals', value: 'EUR' }] },
      actions: [
        { type: 'attach_reference', reference: { source: 'erp', entityType: 'ledger-account', externalId: '120' } },
      ],
    };
    const made = await service.api.call('POST', '/banks/transaction-rules', rule);
    expect(made.status).toBe(201);
    const delivered = async (): Promise<number> => {
      const { body } = await service.api.call<{ items: { status: string }[] }>(
        'GET',
        `/banks/webhooks/${webhookId}/deliveries`,
      );
      return body.result.items.filter(({ status }) => status === 'delivered').length;
    };
    await expect.poll(delivered).toBe(1);
    const as = service.people.admin;
    const { page, faults, close } = await openConsole(browser, service, { as, path: `/webhooks/${webhookId}` });
    const row = page.getByRole('row').filter({ hasText: 'Rule changed' });
    await row.getByText('Delivered').waitFor();
    await row.getByText('HTTP 200').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const before = receiver.received.length;
    await row.getByRole('button', { name: 'Deliver again: Rule changed' }).click();
    await page.getByText('It is delivered again.').waitFor();
    await expect.poll(() => receiver.received.length).toBeGreaterThan(before);
    const known = new Set(receiver.received.map(({ id }) => id));
    const countBefore = receiver.received.length;
    const isBack = (): boolean => receiver.received.slice(countBefore).some(({ id }) => known.has(id));
    await tabTo(page, page.getByRole('button', { name: 'Deliver all again' }));
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Deliver everything again?' });
    await dialog.waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await tabTo(page, dialog.getByLabel('Everything since'));
    const button = dialog.getByRole('button', { name: 'Deliver again' });
    await dialog.getByLabel('Everything since').fill('2999-01-01T00:00');
    await dialog.getByText('This moment is still to come.').waitFor();
    await expect.poll(() => button.isDisabled()).toBe(true);
    await dialog.getByLabel('Everything since').fill('2020-01-01T00:00');
    await expect.poll(() => button.isDisabled()).toBe(false);
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    await page.getByText('Everything since then is delivered again.').waitFor();
    await expect.poll(isBack).toBe(true);
    expect(faults).toEqual([]);
    await close();
  });

  it('are archived after one question that names the receiver', async () => {
    const body = { url: `${receiver.url}/gone`, types: ['sync.failed'] };
    const made = await service.api.call<{ id: string }>('POST', '/banks/webhooks', body);
    const as = service.people.admin;
    const path = `/webhooks/${made.body.result.id}`;
    const { page, faults, close } = await openConsole(browser, service, { as, path });
    await page.getByRole('button', { name: 'Archive' }).click();
    await page
      .getByRole('dialog')
      .getByText(/\/gone any more/)
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await page.locator('.facts').getByText('Archived').waitFor();
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it.each(['operator', 'auditor', 'analyst'] as const)('are not shown to the role %s', async (role) => {
    const as = service.people[role];
    const { page, close } = await openConsole(browser, service, { as, path: '/webhooks' });
    await page.getByText('You may not see this.').waitFor();
    expect(await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
    await close();
  });
});
