import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { webhookMessageSchemas } from '../../src/http/resources/webhook-message.ts';
import { operations } from '../../src/http/routes/all.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const SCREENSHOTS = join(import.meta.dirname, '../../.cache/screenshots');

let api: TestService;
let browser: Browser;
beforeAll(async () => {
  api = await startTestService();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--disable-background-networking',
      '--disable-component-update',
    ],
  });
});
afterAll(async () => {
  await browser?.close();
  await api.stop();
});

describe('the reference page', () => {
  it('shows every operation and the table of errors, and loads nothing from other hosts', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 1600 } });
    const asked: string[] = [];
    const faults: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('console', (message) => (message.type() === 'error' ? faults.push(message.text()) : undefined));
    page.on('pageerror', (error) => faults.push(error.message));
    await page.goto(`${api.service.url}/docs`);
    await page.locator('.opblock').first().waitFor();
    // The messages of webhooks are shown as operations, too.
    expect(await page.locator('.opblock').count()).toBe(operations.length + Object.keys(webhookMessageSchemas).length);
    await page.getByText('TRANSACTION_AMOUNT_RANGE_INVALID').first().waitFor();
    await page.locator('.opblock-summary', { hasText: '/banks/transaction-rules/{id}/resume' }).click();
    await page.getByText('RULE_VERSION_CONFLICT').nth(1).waitFor();
    mkdirSync(SCREENSHOTS, { recursive: true });
    await page.screenshot({ path: join(SCREENSHOTS, 'docs.png') });
    expect(asked.filter((url) => !url.startsWith(api.service.url) && !url.startsWith('data:'))).toEqual([]);
    expect(faults).toEqual([]);
    await page.close();
  });
});
