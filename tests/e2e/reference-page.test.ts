import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/test-service.ts';

const PAGE =
  '<!doctype html><title>API reference</title><script type="module" src="/console/assets/docs-abc.js"></script>';

let folder: string;
let api: TestService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'reference-'));
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Bank console</title>');
  writeFileSync(join(folder, 'docs.html'), PAGE);
  writeFileSync(join(folder, 'docs.html.br'), brotliCompressSync(PAGE));
  api = await startTestService({ consoleDir: folder });
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.service.url}${path}`, { headers });

describe('the reference page', () => {
  it('is at every address below /docs, without credentials, under the policy of the console', async () => {
    const policy = (await get('/console')).headers.get('content-security-policy');
    for (const path of [
      '/docs',
      '/docs/',
      '/docs/listTransactions',
      '/docs/errors/RUN_ENDED',
      '/docs/sync.completed',
    ]) {
      const answer = await get(path, { 'accept-encoding': 'identity' });
      expect([path, answer.status, await answer.text()]).toEqual([path, 200, PAGE]);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      expect(answer.headers.get('content-security-policy')).toBe(policy);
    }
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
  });

  it('is sent as it was compressed by the build', async () => {
    const { headers } = await get('/docs/getMe', { 'accept-encoding': 'gzip, br' });
    expect([headers.get('content-encoding'), headers.get('vary')]).toEqual(['br', 'accept-encoding']);
  });

  it('is no page in place of a missing file, and no file of the console', async () => {
    for (const path of ['/docs/swagger-ui.css', '/docs/assets/start.js', '/docs/favicon.ico']) {
      expect([path, (await get(path)).status]).toEqual([path, 404]);
    }
    expect(await (await get('/console/docs.html')).json()).toMatchObject({ code: 'ROUTE_NOT_FOUND' });
  });
});

describe('a reference page that is not built', () => {
  it('says so, and leads to the document, which is there', async () => {
    const without = await startTestService({ consoleDir: join(folder, 'none') });
    try {
      for (const path of ['/docs', '/docs/listTransactions']) {
        const answer = await fetch(`${without.service.url}${path}`);
        expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([
          200,
          "default-src 'none'; frame-ancestors 'none'",
        ]);
        const text = await answer.text();
        expect(text).toContain('npm run console:build');
        expect(text).toContain('href="/openapi.json"');
        expect(text).not.toMatch(/<(script|style|link rel="stylesheet")/);
      }
      const document = (await (await fetch(`${without.service.url}/openapi.json`)).json()) as { openapi: string };
      expect(document.openapi).toBe('3.1.0');
    } finally {
      await without.stop();
    }
  });
});
