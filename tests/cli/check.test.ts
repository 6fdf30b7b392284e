import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { projections } from '../../src/projections/all.ts';
import { collectionName } from '../../src/projections/engine/runnable.ts';
import { transactionDays } from '../../src/projections/transaction-days.ts';
import { transactions } from '../../src/projections/transactions.ts';
import { defineDocumentFunctions } from '../../src/readstore/embedded/document-functions.ts';
import { Packing } from '../../src/readstore/embedded/packing.ts';
import { Shapes } from '../../src/readstore/embedded/shapes.ts';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { damagePages, overwriteStart } from '../support/damaged-files.ts';
import { connectDemoBank, startTestService, syncAndWait } from '../support/test-service.ts';

const BANK = join(import.meta.dirname, '../../cli/bank.ts');
const DOCS = `"docs:${collectionName(transactions)}"`;
let installation: string;
let dataDir: string;

beforeAll(async () => {
  installation = mkdtempSync(join(tmpdir(), 'bank-check-'));
  const service = await startTestService({ dataDir: installation });
  await syncAndWait(service, await connectDemoBank(service));
  const webhook = { url: 'https://receiver.example/', types: ['*'] };
  expect((await service.call('POST', '/banks/webhooks', webhook)).status).toBe(201);
  const names = projections.map(({ name }) => name);
  await service.service.httpServices.waitFor(names, await service.service.log.head(), 100_000);
  await service.stop();
});
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-checked-'));
  cpSync(installation, dataDir, { recursive: true });
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));
afterAll(() => rmSync(installation, { recursive: true, force: true }));

function check(environment: Record<string, string> = {}): { code: number | null; output: string } {
  const env = { ...CHILD_ENVIRONMENT, DATA_DIR: dataDir, ...environment };
  const run = spawnSync(process.execPath, [BANK, 'check'], { env, encoding: 'utf8' });
  return { code: run.status, output: run.stdout + run.stderr };
}

function change(file: string, sql: string): void {
  const database = new DatabaseSync(join(dataDir, file));
  if (file !== 'log.sqlite') defineDocumentFunctions(database, new Packing(database), new Shapes(database));
  const { changes } = database.prepare(sql).run();
  database.close();
  expect(changes).not.toBe(0);
}

function remove(file: string): void {
  for (const name of readdirSync(dataDir)) if (name.startsWith(file)) rmSync(join(dataDir, name));
}

describe('bank check', () => {
  it('finds no fault in a sound installation, and leaves nothing behind', () => {
    const before = readdirSync(dataDir);
    const { code, output } = check();
    expect([code, output]).toEqual([0, expect.stringContaining('No fault found.')]);
    for (const { name, version } of projections) expect(output).toMatch(new RegExp(`^${name}@${version}: `, 'm'));
    expect(output).toMatch(/^transactions@\d+: [1-9]\d* documents, as the log has them$/m);
    expect(output).toContain('secrets: of 1 API keys, 1 users, 1 connections and 1 webhooks');
    expect(readdirSync(dataDir)).toEqual(before);
  });

  it.each<[string, () => void, RegExp]>([
    [
      'the log lacks an event',
      () => change('log.sqlite', 'DELETE FROM events WHERE position = 3'),
      /^log.sqlite is damaged: /m,
    ],
    [
      'an event was changed',
      () => change('log.sqlite', `UPDATE events SET data = data || ' ' WHERE position = 10`),
      /^log.sqlite is damaged: the event at position \d+ was altered/m,
    ],
    [
      'the file of read models is no database',
      () => overwriteStart(join(dataDir, 'read-models.sqlite')),
      /^read-models.sqlite is damaged: delete it/m,
    ],
    [
      'pages of read models are damaged',
      () => damagePages(join(dataDir, 'read-models.sqlite')),
      /^read-models.sqlite is damaged: delete it/m,
    ],
    [
      'the file of the state is no database',
      () => overwriteStart(join(dataDir, 'state.sqlite')),
      /^state.sqlite is damaged: restore it/m,
    ],
    ['the file of the state is missing', () => remove('state.sqlite'), /^state.sqlite does not exist: restore it/m],
    [
      'a document differs from the log',
      () =>
        change(
          'read-models.sqlite',
          `UPDATE ${DOCS} SET doc = json_set(doc_text(doc), '$.amount', '1.00') WHERE row = 5`,
        ),
      /^transactions@\d+: differs from the log; .*\n {2}\S+ is different: amount$/m,
    ],
    [
      'a document is missing',
      () => change('read-models.sqlite', `DELETE FROM "docs:${collectionName(transactionDays)}" WHERE row = 5`),
      /is missing$/m,
    ],
    [
      'a document is not JSON',
      () => change('read-models.sqlite', `UPDATE ${DOCS} SET doc = '{' WHERE row = 5`),
      /1 documents are not JSON/,
    ],
    [
      'an indexed field is not that of its document',
      () => change('read-models.sqlite', `UPDATE ${DOCS} SET "f:companyId" = 'other' WHERE row = 5`),
      /the indexed field companyId of 1 documents/,
    ],
    [
      'an API key has no secret',
      () => change('state.sqlite', `DELETE FROM "docs:secret_hashes" WHERE doc NOT LIKE '%scrypt%'`),
      /^ {2}API key \S+ \(.+\) of tenant \S+ has no secret/m,
    ],
    [
      'a user has no password',
      () => change('state.sqlite', `DELETE FROM "docs:secret_hashes" WHERE doc LIKE '%scrypt%'`),
      /^ {2}user admin@example.com of tenant \S+ has no password/m,
    ],
    [
      'credentials are missing',
      () => change('state.sqlite', `DELETE FROM "docs:credentials" WHERE doc NOT LIKE '%/webhook.%'`),
      /^ {2}connection \S+ \(Demo\) of tenant \S+ has no credentials/m,
    ],
    [
      'the secret of a webhook is missing',
      () => change('state.sqlite', `DELETE FROM "docs:credentials" WHERE doc LIKE '%/webhook.%'`),
      /^ {2}webhook \S+ \(https:\/\/receiver.example\/\) of tenant \S+ has no secret: rotate its secret$/m,
    ],
    [
      'the secret of a webhook cannot be opened',
      () =>
        change(
          'state.sqlite',
          `UPDATE "docs:credentials" SET doc = json_set(doc, '$.wrappedKey', 'AAAA') WHERE doc LIKE '%/webhook.%'`,
        ),
      /^ {2}webhook \S+ \(\S+\) of tenant \S+ has a secret that the encryption key does not open/m,
    ],
    ['a key is missing', () => remove('encryption.key'), /^encryption.key does not exist/m],
  ])('finds that %s', (_, damage, sentence) => {
    damage();
    const { code, output } = check();
    expect(output).toMatch(sentence);
    expect([code, output]).toEqual([1, expect.stringMatching(/^\d+ faults? found\.$/m)]);
  });

  it('finds a term that belongs to no document', () => {
    const database = new DatabaseSync(join(dataDir, 'read-models.sqlite'));
    const [table] = database
      .prepare(
        `SELECT name FROM sqlite_master WHERE name LIKE 'terms:${collectionName(transactions)}:%' AND type = 'table'`,
      )
      .all();
    database.exec(`UPDATE "${table?.name}" SET term = term || 'x' WHERE row = 5`);
    database.close();
    expect(check()).toEqual({ code: 1, output: expect.stringMatching(/[1-9]\d* terms of \w+ are missing/) });
  });

  it('finds credentials that the encryption key does not open', () => {
    const { code, output } = check({ ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64') });
    expect([code, output]).toEqual([1, expect.stringContaining('that the encryption key does not open')]);
  });

  it('takes deleted read models for no fault, and does not create them', () => {
    remove('read-models.sqlite');
    const { code, output } = check();
    expect([code, output]).toEqual([0, expect.stringContaining('the next start builds it from the log')]);
    expect(readdirSync(dataDir)).not.toContain('read-models.sqlite');
  });

  it('refuses a running service, a folder without a log, and outside stores', async () => {
    const service = await startTestService({ dataDir });
    expect(check()).toEqual({ code: 1, output: expect.stringContaining('is the service running?') });
    await service.stop();
    const key = Buffer.alloc(32, 7).toString('base64');
    const outside = check({ MONGODB_URL: 'mongodb://127.0.0.1/x', ENCRYPTION_KEY: key, TOKEN_KEY: key });
    expect(outside).toEqual({ code: 1, output: expect.stringContaining('only embedded stores are checked') });
    remove('log.sqlite');
    expect(check()).toEqual({ code: 1, output: expect.stringContaining('does not exist') });
    expect(readdirSync(dataDir)).not.toContain('log.sqlite');
  });
});
