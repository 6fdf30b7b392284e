import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sent } from '../support/raw-request.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const INDEX =
  '<!doctype html><title>Bank console</title><script type="module" src="/console/assets/main-abc.js"></script>';
const SCRIPT = 'console.log("started");'.repeat(100);

let folder: string;
let api: TestService;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'));
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html'), INDEX);
  writeFileSync(join(folder, 'assets/main-abc.js'), SCRIPT);
  writeFileSync(join(folder, 'assets/main-abc.js.br'), brotliCompressSync(SCRIPT));
  writeFileSync(join(folder, 'assets/main-abc.js.gz'), gzipSync(SCRIPT));
  writeFileSync(join(folder, 'assets/main-abc.js.map'), '{}');
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  api = await startTestService({ consoleDir: folder });
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${api.service.url}${path}`, { headers, redirect: 'manual' });

describe('the files of the console', () => {
  it('begin every page with the same document, under a policy without inline scripts or other hosts', async () => {
    for (const path of ['/console', '/console/', '/console/transactions', '/console/rules/0190-ab.c_d~1/versions']) {
      const answer = await get(path);
      expect([answer.status, await answer.text()], path).toEqual([200, INDEX]);
      expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(answer.headers.get('cache-control')).toBe('no-cache');
      const policy = answer.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
    }
  });

  it('are cached for ever where their name changes with them, and sent as the client can decode them', async () => {
    const plain = await get('/console/assets/main-abc.js', { 'accept-encoding': 'identity' });
    expect(await plain.text()).toBe(SCRIPT);
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(plain.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    for (const [accepted, coding] of [
      ['gzip, deflate, br, zstd', 'br'],
      ['gzip', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['BR', 'br'],
      ['identity', null],
      ['brotli', null],
    ] as const) {
      const answer = await get('/console/assets/main-abc.js', { 'accept-encoding': accepted });
      expect(answer.headers.get('content-encoding'), accepted).toBe(coding);
      expect(answer.headers.get('vary')).toBe('accept-encoding');
      expect(await answer.text(), accepted).toBe(SCRIPT);
    }
  });

  it('are these alone: nothing beside the folder, no source map, no page in place of a missing file', async () => {
    for (const path of [
      '/console/assets/main-abc.js.map',
      '/console/assets/main-abc.js.br',
      '/console/assets/other.js',
      '/console/../package.json',
      '/console/..%2f..%2fpackage.json',
      '/console/%2e%2e/package.json',
    ]) {
      const answer = await sent(api.service.url, `GET ${path} HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n`);
      expect([answer.status, answer.body.code], path).toEqual([404, 'ROUTE_NOT_FOUND']);
    }
  });

  it('are where the address of the service leads a browser, and nobody else', async () => {
    const browser = await get('/', { accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' });
    expect([browser.status, browser.headers.get('location')]).toEqual([302, '/console']);
    expect((await get('/', { accept: '*/*' })).status).toBe(404);
  });
});

describe('a console that is not built', () => {
  it('is no path of the service', async () => {
    const without = await startTestService({ consoleDir: join(folder, 'none') });
    try {
      for (const path of ['/console', '/console/transactions', '/']) {
        const answer = await fetch(`${without.service.url}${path}`, { headers: { accept: 'text/html' } });
        expect(answer.status, path).toBe(404);
      }
      expect(without.logLines.filter((line) => line.includes('npm run console:build'))).toHaveLength(1);
    } finally {
      await without.stop();
    }
  });
});
