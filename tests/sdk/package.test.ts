import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestService, type TestService } from '../support/test-service.ts';

const run = promisify(execFile);
const MOST_BYTES = 10 * 1024;
/** Oldest first; a machine without it runs the package on the Node that runs the tests. */
const NODES = ['/usr/bin/node', '/usr/local/bin/node'];

let api: TestService;
let folder: string;
let installed: string;

beforeAll(async () => {
  api = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'client-'));
  installed = join(folder, 'node_modules', 'bank-connection-client');
  await run('npm', ['pack', './sdk', '--pack-destination', folder]);
  const [packed = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }));
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${packed}`], { cwd: folder });
});
afterAll(async () => {
  await api.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** What the script writes, on the oldest Node of this machine. */
async function output(script: string): Promise<string> {
  writeFileSync(join(folder, 'script.js'), script);
  const { BASE_URL, KEY, SECRET, COMPANY } = environment();
  const env = { PATH: process.env.PATH, BASE_URL, KEY, SECRET, COMPANY };
  const { stdout } = await run(await oldestNode(), ['script.js'], { cwd: folder, env });
  return stdout.trim();
}

function environment() {
  return { BASE_URL: api.service.url, KEY: api.key, SECRET: api.secret, COMPANY: 'company-one' };
}

async function oldestNode(): Promise<string> {
  const versions = await Promise.all(
    NODES.map(async (node) => ({ node, version: await run(node, ['--version']).catch(() => null) })),
  );
  const found = versions.find(({ version }) => Number(/^v(\d+)/.exec(version?.stdout ?? '')?.[1] ?? 0) >= 20);
  return found?.node ?? process.execPath;
}

describe('the packed client', () => {
  it('is installed without anything else', () => {
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'bank-connection-client',
    ]);
    const { dependencies, license } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect([dependencies, license]).toEqual([undefined, 'MIT']);
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('works on Node 20', async () => {
    const script = `
      import { answerOf, BankClient, isBankError } from 'bank-connection-client';
      const { BASE_URL: baseUrl, KEY: apiKey, SECRET: apiSecret, COMPANY: company } = process.env;
      const client = new BankClient({ baseUrl, apiKey, apiSecret, company });
      const { id } = await client.openConnection({ bankCode: 'demo', title: 'Main account' });
      await client.putCredentials(id, { seed: 'acme', transactionsPerDay: 3 });
      await client.setUpConnection(id, { wait: 20 });
      const synced = await client.syncConnection(id, {}, { wait: 30 });
      let count = 0;
      for await (const transaction of client.waitFor(synced).each.listTransactions({ accountId: id })) count += 1;
      const missing = await client.getRule('none').catch((error) => isBankError(error, 'RULE_NOT_FOUND'));
      console.log(synced.syncHealth.status, count === synced.syncHealth.lastResult.inserted, count > 50, missing);
    `;
    expect(await output(script)).toBe('healthy true true true');
  });

  it('has types for those who write TypeScript', async () => {
    const script = `
      import { BankClient, isBankError, type BankTransaction, type TransactionRule } from 'bank-connection-client';
      const client = new BankClient({ baseUrl: 'https://bank.example', accessToken: () => 'token' });
      export async function works(error: unknown): Promise<TransactionRule | null> {
        for await (const one of client.each.listTransactions({ incoming: true })) {
          const transaction: BankTransaction = one;
          if (transaction.amount > 5) break;
        }
        const csv: Response = await client.getAnalyticsResults('cash-flow', { format: 'csv' });
        const { rows } = await client.getAnalyticsResults('cash-flow', { interval: 'day' });
        if (csv.ok && rows.length > 0 && isBankError(error, 'RULE_ARCHIVED')) return null;
        return client.pauseRule('id', { version: 1 }, { idempotencyKey: 'mine' });
      }
      // @ts-expect-error: the version is missing
      export const missing = client.pauseRule('id', {});
      // @ts-expect-error: no such filter
      export const unknown = client.listRules({ colour: 'red' });
      // @ts-expect-error: no such code
      export const misspelt = isBankError(null, 'RULE_ARCHIVD');
      // @ts-expect-error: half of a pair
      export const half = new BankClient({ baseUrl: '', apiKey: 'key' });
      // @ts-expect-error: one key for all calls would make them one
      export const same = client.with({ idempotencyKey: 'mine' });
    `;
    writeFileSync(join(folder, 'types.ts'), script);
    const options = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'nodenext', '--lib', 'es2022,dom'];
    const { stdout } = await run(
      process.execPath,
      [join(process.cwd(), 'node_modules/typescript/bin/tsc'), ...options, 'types.ts'],
      {
        cwd: folder,
      },
    ).catch((error: { stdout: string }) => error);
    expect(stdout).toBe('');
  });

  it('weighs at most 10 KB in a browser, bundled, minified and compressed', async () => {
    const bundle = await rolldown({ input: join(installed, 'dist/index.js'), platform: 'browser' });
    const { output: chunks } = await bundle.generate({ minify: true });
    await bundle.close();
    expect(chunks).toHaveLength(1);
    const [{ code, imports }] = chunks;
    expect(imports).toEqual([]);
    const bytes = gzipSync(code, { level: 9 }).length;
    expect(bytes).toBeGreaterThan(1_000);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});
