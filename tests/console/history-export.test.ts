import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { axeFindings, openConsole, startBrowser } from './support/console-browser.ts';
import { type ConsoleService, startConsole } from './support/console-service.ts';

let service: ConsoleService;
let browser: Browser;
beforeAll(async () => {
  [service, browser] = await Promise.all([startConsole({ planted: false }), startBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** The dialog of the browser, answered with a file of the page's own storage; `kept` is what that file holds. */
const CHOOSES_A_FILE = `
  globalThis.showSaveFilePicker = async ({ suggestedName }) => {
    const folder = await navigator.storage.getDirectory();
    return folder.getFileHandle(suggestedName, { create: true });
  };
  globalThis.kept = async () => {
    const folder = await navigator.storage.getDirectory();
    return (await (await folder.getFileHandle('history.ndjson')).getFile()).text();
  };`;

async function openIntegrity(script: string): Promise<{ page: Page; faults: string[]; close: () => Promise<void> }> {
  const as = service.people.auditor;
  const opened = await openConsole(browser, service, { as, path: '/overview' });
  await opened.page.getByRole('navigation').waitFor();
  await opened.page.addInitScript(script);
  await opened.page.goto(`${service.url}/console/audit?tab=integrity`);
  await opened.page.getByRole('button', { name: 'Download the history' }).waitFor();
  return opened;
}

function types(ndjson: string): string[] {
  return ndjson
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type?: string }).type ?? '');
}

describe('the download of the history', () => {
  it('is written to the chosen file as it comes', async () => {
    const { page, faults, close } = await openIntegrity(CHOOSES_A_FILE);
    const blobs = `globalThis.blobs = 0; const make = URL.createObjectURL;
      URL.createObjectURL = (blob) => { globalThis.blobs += 1; return make.call(URL, blob); };`;
    await page.evaluate(blobs);
    await page.getByRole('button', { name: 'Download the history' }).click();
    await page.getByText('The history was saved.').waitFor();
    expect(types(await page.evaluate('kept()')).length).toBeGreaterThan(5);
    expect(await page.evaluate('blobs')).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  });

  it('leaves no file behind that broke off, and says so', async () => {
    const { page, close } = await openIntegrity(CHOOSES_A_FILE);
    const breaksOff = `{
      const real = globalThis.fetch;
      globalThis.fetch = (url, init) => {
        if (!String(url).includes('/history/export')) return real(url, init);
        let sent = false;
        const body = new ReadableStream({
          pull: (to) => {
            if (sent) to.error(new TypeError('network error'));
            else to.enqueue(new TextEncoder().encode('{"type":"half"}\\n'));
            sent = true;
          },
        });
        return Promise.resolve(new Response(body, { headers: { 'content-type': 'application/x-ndjson' } }));
      };
    }`;
    await page.evaluate(breaksOff);
    await page.getByRole('button', { name: 'Download the history' }).click();
    await page.getByText('The history could not be downloaded.').waitFor();
    expect(await page.evaluate('kept()')).toBe('');
    await close();
  });

  it('does nothing where no file was chosen', async () => {
    const { page, faults, close } = await openIntegrity(
      `globalThis.showSaveFilePicker = async () => { throw new DOMException('closed', 'AbortError'); };`,
    );
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    const button = page.getByRole('button', { name: 'Download the history' });
    await button.click();
    await expect.poll(() => button.isEnabled()).toBe(true);
    expect(asked.filter((url) => url.includes('/history/export'))).toEqual([]);
    expect(await page.locator('.toast').count()).toBe(0);
    expect(faults).toEqual([]);
    await close();
  });

  it('comes as a download where the browser cannot write files', async () => {
    const { page, faults, close } = await openIntegrity('delete globalThis.showSaveFilePicker;');
    const saving = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the history' }).click();
    const saved = readFileSync(await (await saving).path(), 'utf8');
    expect(types(saved).length).toBeGreaterThan(5);
    expect(faults).toEqual([]);
    await close();
  });
});
