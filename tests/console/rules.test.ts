import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, layoutShift, openConsole, startBrowser, VIEWS } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';

type Rule = { readonly id: string; readonly name: string; readonly version: number };

let service: ConsoleService;
let browser: Browser;
let rule: Rule;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole(), startBrowser()]);
  const { body } = await service.api.call<{ items: Rule[] }>('GET', '/banks/transaction-rules');
  const found = body.result.items.find(({ name }) => name === 'Vergi ödemeleri');
  if (found === undefined) throw new Error('the rule is not there');
  rule = found;
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

const open = (options: Parameters<typeof openConsole>[2]) =>
  openConsole(browser, service, { as: service.people.operator, ...options });

describe('the rules', () => {
  it.each(VIEWS)('have no fault at $width px, $theme, in $language: list, editor, past, versions', async (view) => {
    const { page, faults, close } = await open({ ...view, path: '/rules' });
    await page.getByText(rule.name).first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    for (const query of ['', '?tab=runs', '?tab=versions']) {
      await page.goto(`${service.url}/console/rules/${rule.id}${query}`);
      await page.getByRole('tab').first().waitFor();
      await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
      expect(await axeFindings(page), query).toEqual([]);
      expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1);
    }
    expect(faults).toEqual([]);
    await close();
  });

  it('are made by mouse, with the matching rows shown while one types', async () => {
    const { page, faults, close } = await open({ path: '/rules' });
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Made by mouse');
    await page.getByLabel('Value').fill('vergi');
    await page.locator('.matched li').first().waitFor();
    const marked = await page.locator('.matched mark').first().innerText();
    expect(marked.toLocaleLowerCase('tr')).toBe('vergi');
    await page.getByLabel('Kind').fill('ledger-account');
    await page.getByLabel('Number or id').fill('999');
    await page.getByRole('button', { name: 'Create rule' }).click();
    await page.getByText('Version 1').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('are made by keyboard alone, and a line moves with Alt and the arrows', async () => {
    const { page, faults, close } = await open({ path: '/rules/new' });
    await tabTo(page, page.getByLabel('Name', { exact: true }));
    await page.keyboard.type('Made by keyboard');
    await tabTo(page, page.getByLabel('Value'));
    await page.keyboard.type('kdv');
    await tabTo(page, page.getByRole('button', { name: 'Condition', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('Value').nth(1), 'Shift+Tab');
    await page.keyboard.type('vergi');
    await page.locator('.grip').nth(1).focus();
    await page.keyboard.press('Alt+ArrowUp');
    await expect.poll(() => page.getByLabel('Value').first().inputValue()).toBe('vergi');
    await tabTo(page, page.getByLabel('Kind'));
    await page.keyboard.type('ledger-account');
    await tabTo(page, page.getByLabel('Number or id'));
    await page.keyboard.type('998');
    await page.keyboard.press('Enter');
    await page.getByText('Version 1').first().waitFor();
    expect(faults).toEqual([]);
    await close();
  });

  it('keep what was typed when somebody else saved meanwhile, and save it on top when one says so', async () => {
    const { page, close } = await open({ path: `/rules/${rule.id}` });
    const description = page.getByLabel('Description', { exact: true }).last();
    await description.fill('Mine');
    const changed = await service.api.call<Rule>('PATCH', `/banks/transaction-rules/${rule.id}`, {
      version: rule.version,
      description: 'Theirs',
    });
    const { version } = changed.body.result;
    await page.getByRole('button', { name: 'Save as new version' }).click();
    await page.getByText(`Somebody saved version ${version}`).waitFor();
    expect(await description.inputValue()).toBe('Mine');
    await page.getByRole('button', { name: `Save mine as version ${version + 1}` }).click();
    await page.getByText(`Saved as version ${version + 1}.`).waitFor();
    await close();
  });

  it('are tried on past transactions, applied, and taken back', async () => {
    const { page, faults, close } = await open({ path: `/rules/${rule.id}?tab=runs` });
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    const apply = page.getByRole('button', { name: 'Apply to these transactions' });
    await expect.poll(() => apply.isEnabled()).toBe(true);
    await apply.click();
    const takeBack = page.getByRole('button', { name: 'Take back what it did' });
    await expect.poll(() => takeBack.isEnabled()).toBe(true);
    await takeBack.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Take back what it did' }).click();
    await expect.poll(() => page.getByRole('row', { name: /Take back.*Completed/ }).count()).toBe(1);
    expect(faults).toEqual([]);
    await close();
  });

  it('are read, and not changed, by an analyst', async () => {
    const { page, faults, close } = await open({ as: service.people.analyst, path: `/rules/${rule.id}` });
    await page.getByLabel('Name', { exact: true }).waitFor();
    expect(await page.getByLabel('Name', { exact: true }).isDisabled()).toBe(true);
    for (const name of [/^Pause$/, /^Archive$/, /Save/, /New rule/]) {
      expect(await page.getByRole('button', { name }).count(), String(name)).toBe(0);
    }
    expect(faults).toEqual([]);
    await close();
  });
});
