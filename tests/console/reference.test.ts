import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { errorCodes } from '../../src/http/core/errors.ts';
import { webhookMessageSchemas } from '../../src/http/resources/webhook-message.ts';
import { operations } from '../../src/http/routes/all.ts';
import { SECRET } from '../support/test-service.ts';
import {
  axeFindings,
  type ConsolePage,
  layoutShift,
  openConsole,
  startBrowser,
  VIEWS,
} from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';
import { tabTo } from './support/keyboard.ts';
import { type RecordingProxy, startRecordingProxy } from './support/recording-proxy.ts';

const KEY = 'test-key-0001';
const MESSAGES = Object.keys(webhookMessageSchemas);

let service: ConsoleService;
let proxy: RecordingProxy;
let browser: Browser;
let opened: ConsolePage | null = null;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole({ planted: false }), startBrowser()]);
  proxy = await startRecordingProxy(service.url);
});
afterAll(async () => {
  await browser?.close();
  await proxy?.close();
  await service?.stop();
});
beforeEach(() => async () => {
  await opened?.close();
  opened = null;
  proxy.pass();
});

const OPEN_ALL = `document.querySelectorAll('.answers > details:not([open]) > summary').forEach((one) => one.click())`;

type View = Parameters<typeof openConsole>[2];

/** Opens an address of the reference through the proxy. */
async function openReference(path: string, view: View = {}): Promise<ConsolePage> {
  opened = await openConsole(browser, proxy, { ...view, root: '/docs', path });
  return opened;
}

async function authorize(page: Page, key = KEY, secret = SECRET): Promise<void> {
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByLabel('API key').fill(key);
  await page.getByLabel('API secret').fill(secret);
  await page.getByRole('button', { name: 'Use them' }).click();
  await page.getByRole('button', { name: 'Authorized' }).waitFor();
}

/** What was sent to the API since, leaving out the page's own files. */
function sentSince(count: number) {
  return proxy.recorded.slice(count).filter(({ url }) => !/^\/(docs|console|openapi\.json)/.test(url));
}

const tooWide = (page: Page): Promise<string[]> =>
  page.evaluate(
    `['html', '.page'].filter((one) => {
      const element = document.querySelector(one);
      return element !== null && element.scrollWidth > element.clientWidth;
    })`,
  );

describe('the reference', () => {
  it.each(VIEWS)('is usable at $width px, $theme', async (view) => {
    const { page, faults } = await openReference('', view);
    await page.getByRole('link', { name: /\/health\/live/ }).waitFor();
    expect(await layoutShift(page)).toBeLessThanOrEqual(0.05);
    const paths = ['', '/createRule', '/listTransactions', '/getMe', '/sync.completed', '/errors', '/errors/RUN_ENDED'];
    for (const path of [...paths, '/nothingLikeIt']) {
      await page.goto(`${proxy.url}/docs${path}`);
      await page.locator('h1, .state').first().waitFor();
      await page.evaluate(OPEN_ALL);
      expect([path, await axeFindings(page), await tooWide(page)]).toEqual([path, [], []]);
    }
    await page.goto(`${proxy.url}/docs/createRule`);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Start from the example' }).click();
    expect([await axeFindings(page), await tooWide(page)]).toEqual([[], []]);
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page.getByRole('dialog').getByText('stays in the memory of this page').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
  });

  it('has every operation and message at an address of its own, at 390 px too', async () => {
    const { page, faults } = await openReference('', { width: 390 });
    await page.getByRole('heading', { level: 1 }).waitFor();
    const listed = await page.locator('.operations a').evaluateAll((links) => links.map((a) => a.getAttribute('href')));
    const ids = [...operations.map(({ id }) => id), ...MESSAGES];
    expect([...listed].sort()).toEqual(ids.map((id) => `/docs/${id}`).sort());
    for (const id of ids) {
      await page.evaluate(`document.querySelector('.operations a[href="/docs/${id}"]').click()`);
      await page.locator('article.operation').waitFor();
      expect([id, new URL(page.url()).pathname, await tooWide(page)]).toEqual([id, `/docs/${id}`, []]);
      await page.goBack();
      await page.locator('.operations').first().waitFor();
    }
    expect(faults).toEqual([]);
  });

  it('shows of an operation what it takes, what it answers and which codes', async () => {
    const { page } = await openReference('/changeRule');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const content = page.locator('.operation');
    for (const text of ['PATCH', '/banks/transaction-rules/{id}', 'changeRule', 'rules:write', 'API key or bearer']) {
      await content.getByText(text).first().waitFor();
    }
    await page.getByRole('heading', { name: 'Path parameters' }).waitFor();
    await page.getByRole('list', { name: 'Members of the body' }).getByText('effectiveFrom').first().waitFor();
    await page
      .getByRole('list', { name: /Members of the answer/ })
      .getByText('result')
      .waitFor();
    await page.locator('summary', { hasText: 'RULE_VERSION_CONFLICT' }).click();
    await page.getByRole('link', { name: 'RULE_VERSION_CONFLICT' }).click();
    await page.waitForURL('**/docs/errors/RULE_VERSION_CONFLICT');
    await page.locator('#code-RULE_VERSION_CONFLICT').getByText('Read the rule again').waitFor();
    await page
      .locator('#code-RULE_VERSION_CONFLICT')
      .getByRole('link', { name: /changeRule/ })
      .click();
    await page.waitForURL('**/docs/changeRule');
    await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Error codes' }).waitFor();
  });

  it('has every error code on one page, and a filter for them', async () => {
    const { page } = await openReference('/errors');
    await page.getByText(`${Object.keys(errorCodes).length} of ${Object.keys(errorCodes).length}`).waitFor();
    await page.getByRole('searchbox', { name: 'Filter codes' }).fill('429');
    await page.getByText(`3 of ${Object.keys(errorCodes).length}`).waitFor();
    expect(await page.locator('.code-entries h2').allTextContents()).toEqual(
      ['PROVIDER_QUOTA_EXHAUSTED', 'RATE_LIMITED', 'TENANT_BUSY'], // in the order of their names
    );
  });

  it('says that the document did not come, and tries again', async () => {
    proxy.instead('/openapi.json', { status: 503, type: 'application/json', body: '{}' });
    const { page } = await openReference('/listRules');
    await page.getByRole('alert').getByText('The document could not be loaded.').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    proxy.pass();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('/banks/transaction-rules').first().waitFor();
  });
});

describe('the menu', () => {
  it('at 390 px filters while one types, and closes when one has chosen', async () => {
    const { page } = await openReference('', { width: 390 });
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.keyboard.type('pause schedule');
    const links = page.getByRole('navigation').getByRole('link', { name: 'pauseSchedule' });
    await links.click();
    await page.getByText('/banks/schedules/{id}/pause').first().waitFor();
    expect(await page.locator('.side.open').count()).toBe(0);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.keyboard.press('Escape');
    expect(await page.locator('.side.open').count()).toBe(0);
  });
});

describe('a request that is tried', () => {
  it('has exactly what was filled in, and the answer is shown', async () => {
    const { page, context, faults } = await openReference('/listTransactions');
    await context.addCookies([{ name: 'other', value: 'cookie', url: proxy.url }]);
    await authorize(page);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('textbox', { name: 'limit' }).fill('2');
    await page.getByRole('textbox', { name: 'q', exact: true }).fill('Otto & Söhne');
    await page.getByRole('combobox', { name: 'incoming' }).selectOption('true');
    await page.getByRole('textbox', { name: 'bankCode' }).fill('demo');
    await page.getByRole('textbox', { name: 'bankCode' }).fill('');
    const before = proxy.recorded.length;
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('200 OK').waitFor();
    await page.getByLabel('Body of the answer').getByText('"items": []').waitFor();
    const [one, ...others] = sentSince(before);
    expect(others).toEqual([]);
    if (one === undefined) throw new Error('nothing was sent');
    const { method, url, headers, body } = one;
    expect([method, url, body]).toEqual([
      'GET',
      '/banks/transactions?incoming=true&q=Otto%20%26%20S%C3%B6hne&limit=2',
      '',
    ]);
    expect([headers['x-api-key'], headers['x-api-secret']]).toEqual([KEY, SECRET]);
    for (const name of ['x-company-id', 'x-tenant-id', 'authorization', 'cookie', 'content-type', 'x-request-id']) {
      expect([name, headers[name]]).toEqual([name, undefined]);
    }
    const shown = await page.getByLabel('The request for curl').textContent();
    expect(shown).toContain('q=Otto%20%26%20S%C3%B6hne');
    expect(shown).not.toContain(SECRET);
    expect(await page.evaluate('JSON.stringify(localStorage) + JSON.stringify(sessionStorage)')).toBe('{}{}');
    expect((await context.cookies()).map(({ name }) => name)).toEqual(['other']);
    expect(faults).toEqual([]);
  });

  it('has no body until one is written or the example is asked for, and then that text', async () => {
    const { page } = await openReference('/createRule');
    await authorize(page);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('textbox', { name: 'x-company-id' }).fill('company-one');
    const before = proxy.recorded.length;
    const send = page.getByRole('button', { name: 'Send' });
    await send.click();
    await page.getByText('415 Unsupported Media Type').or(page.getByText('400 Bad Request')).waitFor();
    await page.getByRole('button', { name: 'Start from the example' }).click();
    const body = page.getByLabel('Body to send');
    const example = await body.inputValue();
    await body.fill(example.replace('Incoming payments', 'As it was written'));
    await send.click();
    await page.locator('.rail').getByText('201 Created').waitFor();
    const [empty, written] = sentSince(before);
    expect([empty?.body, empty?.headers['content-type']]).toEqual(['', undefined]);
    expect(written?.body).toBe(example.replace('Incoming payments', 'As it was written'));
    expect([written?.headers['content-type'], written?.headers['x-company-id']]).toEqual([
      'application/json',
      'company-one',
    ]);
    await body.fill('{');
    await page.getByText('This is not valid JSON').waitFor();
  });

  it('is not sent while its path is incomplete, and keeps what was filled in on other pages', async () => {
    const { page } = await openReference('/getRule');
    await page.getByRole('button', { name: 'Try it' }).click();
    const send = page.getByRole('button', { name: 'Send' });
    expect(await send.isDisabled()).toBe(true);
    await page.getByText('Fill in id first').waitFor();
    await page.getByText('It needs an API key').waitFor();
    await page.getByRole('textbox', { name: 'id', exact: true }).fill('a/b');
    await page.getByRole('textbox', { name: 'x-company-id' }).fill('company-one');
    const before = proxy.recorded.length;
    await send.click();
    await page.getByText('401 Unauthorized').waitFor();
    expect(sentSince(before).map(({ url }) => url)).toEqual(['/banks/transaction-rules/a%2Fb']);
    await page.getByRole('link', { name: 'AUTHENTICATION_REQUIRED' }).click();
    await page.getByRole('heading', { level: 1, name: 'Error codes' }).waitFor();
    await page.goBack();
    expect(await page.getByRole('textbox', { name: 'id', exact: true }).inputValue()).toBe('a/b');
    await page.getByRole('link', { name: 'listRules' }).click();
    await page.getByRole('heading', { level: 1, name: /rules/i }).waitFor();
    expect(await page.getByRole('textbox', { name: 'x-company-id' }).inputValue()).toBe('company-one');
  });

  it('may use the token of a sign-in, and credentials are forgotten when the page is loaded anew', async () => {
    const { page } = await openReference('/logIn');
    const { email, password } = service.people.auditor;
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByLabel('Body to send').fill(JSON.stringify({ email, password }));
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('button', { name: 'Authorize with this token' }).click();
    await page.getByRole('navigation').getByRole('link', { name: 'getMe' }).click();
    const before = proxy.recorded.length;
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByLabel('Body of the answer').getByText(email).waitFor();
    expect(sentSince(before)[0]?.headers.authorization).toMatch(/^Bearer eyJ/);
    await page.reload();
    await page.getByRole('button', { name: 'Authorize' }).first().waitFor();
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByText('It needs a bearer token.').waitFor();
  });

  it('shows a stream of events while it comes in, and ends it', async () => {
    const { page } = await openReference('/listChanges');
    await authorize(page);
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('combobox', { name: 'accept' }).selectOption('text/event-stream');
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('The answer is coming in.').waitFor();
    await page.getByLabel('Body of the answer').getByText('retry:').waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. This is what had come until then.').waitFor();
  });

  it('reads no more of a long answer than it shows', async () => {
    proxy.instead('/banks/transactions/export', {
      status: 200,
      type: 'text/csv',
      body: 'row\r\n'.repeat(4_000),
      isEndless: true,
    });
    const { page, faults } = await openReference('/exportTransactions');
    await page.getByRole('button', { name: 'Try it' }).click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByText('Only the first 512 KiB are read.').waitFor();
    expect((await page.getByLabel('Body of the answer').textContent())?.length).toBe(512 * 1_024);
    expect(faults).toEqual([]);
  });
});

describe('by keyboard alone', () => {
  it('one finds an operation, tries it and reads the answer', async () => {
    const { page, faults } = await openReference('');
    await page.getByRole('link', { name: /\/health\/live/ }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('get connection usage');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/getConnectionUsage');
    await page.locator('h1:focus').waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Try it' }));
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByRole('textbox', { name: 'id', exact: true }));
    await page.keyboard.type('some-id');
    await tabTo(page, page.getByRole('button', { name: 'Authorize' }).last());
    await page.keyboard.press('Enter');
    await tabTo(page, page.getByLabel('API key'));
    await page.keyboard.type(KEY);
    await page.keyboard.press('Tab');
    await page.keyboard.type(SECRET);
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Authorized' }).waitFor();
    await tabTo(page, page.getByRole('button', { name: 'Send' }));
    await page.keyboard.press('Enter');
    await page.getByText('404 Not Found').waitFor();
    await tabTo(page, page.getByRole('link', { name: 'CONNECTION_NOT_FOUND' }));
    await page.keyboard.press('Enter');
    await page.waitForURL('**/docs/errors/CONNECTION_NOT_FOUND');
    // Chromium writes an answer of 404 to its console.
    expect(faults.filter((one) => !one.includes('404'))).toEqual([]);
  });
});
