import { execFile } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMPANY, startTestService, type TestService } from '../support/test-service.ts';
import { installPackedClient, oldestNode, type PackedClient, tourOf } from './packed-client.ts';

const run = promisify(execFile);
const MOST_BYTES = 10 * 1024;

let api: TestService;
let packed: PackedClient;

beforeAll(async () => {
  api = await startTestService();
  packed = await installPackedClient();
});
afterAll(async () => {
  await api.stop();
  packed?.remove();
});

describe('the packed client', () => {
  it('is installed without anything else', () => {
    const { folder, installed } = packed;
    expect(readdirSync(join(folder, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      'bank-connection-client',
    ]);
    const { dependencies, license } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect([dependencies, license]).toEqual([undefined, 'MIT']);
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  it('works on Node 20', async () => {
    const { folder } = packed;
    const options = JSON.stringify(tourOf(api, COMPANY));
    writeFileSync(join(folder, 'script.js'), `import { tour } from './tour.js'; console.log(await tour(${options}));`);
    const { stdout } = await run(await oldestNode(), ['script.js'], { cwd: folder });
    expect(Number(stdout)).toBeGreaterThan(50);
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
    const { folder } = packed;
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
    const bundle = await rolldown({ input: join(packed.installed, 'dist/index.js'), platform: 'browser' });
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
