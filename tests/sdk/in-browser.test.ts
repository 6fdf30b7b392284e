import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startBrowser } from '../console/support/console-browser.ts';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';
import { installPackedClient, type PackedClient, tourOf } from './packed-client.ts';

let packed: PackedClient;
let pages: Server;
let origin: string;
let api: TestService;
let browser: Browser;

beforeAll(async () => {
  packed = await installPackedClient();
  const code = await bundled(join(packed.folder, 'tour.js'));
  pages = createServer((request, response) => {
    const isScript = request.url === '/tour.js';
    response.setHeader('content-type', isScript ? 'text/javascript' : 'text/html');
    response.end(isScript ? code : '<!doctype html><title>Tour</title>');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
  [api, browser] = await Promise.all([startTestService({ environment: { CORS_ORIGINS: origin } }), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await api?.stop();
  pages?.close();
  packed?.remove();
});

async function bundled(input: string): Promise<string> {
  const bundle = await rolldown({ input, platform: 'browser' });
  const { output } = await bundle.generate({ minify: true });
  await bundle.close();
  return output[0].code;
}

describe('the packed client in a browser', () => {
  it('does on a page of an origin that is listed what it does elsewhere', async () => {
    const page = await browser.newPage();
    await page.goto(origin);
    const options = JSON.stringify(tourOf(api, COMPANY));
    const count = await page.evaluate(`import('/tour.js').then(({ tour }) => tour(${options}))`);
    expect(count).toBeGreaterThan(50);
    await page.close();
  });
});
