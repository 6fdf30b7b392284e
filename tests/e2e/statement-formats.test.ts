import { mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camtStatement } from '../support/statement-texts.ts';
import { startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

const FIXTURES = join(import.meta.dirname, '../fixtures/statements');
const LONG_AGO_S = 1_700_000_000;

function drop(folder: string, name: string, content: string | Uint8Array): void {
  const path = join(api.statementsDir, folder);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, name), content);
  utimesSync(join(path, name), LONG_AGO_S, LONG_AGO_S);
}

type Issues = { meta: { issues: { path: string; code: string }[] } };

async function connect(folder: string, settings: Record<string, unknown> = {}): Promise<string> {
  const body = { bankCode: 'statement-files', title: folder, environment: 'production' };
  const { id } = (await api.call<{ id: string }>('POST', '/banks/accounts', body)).body.result;
  const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder, ...settings });
  expect(put.status).toBe(200);
  const setup = await api.call('POST', `/banks/accounts/${id}/setup`, undefined, { prefer: 'wait=20' });
  expect(setup.status).toBe(200);
  return id;
}

async function rowsOf(id: string): Promise<Record<string, unknown>[]> {
  const list = await api.call<{ items: never[] }>('GET', `/banks/transactions?accountId=${id}&sort=transactionDate`);
  return list.body.result.items;
}

const GERMAN_CSV = {
  delimiter: ';',
  header: 3,
  columns: {
    account: { value: 'DE89370400440532013000' },
    currency: { value: 'EUR' },
    date: 'Buchungstag',
    amount: 'Betrag (EUR)',
    balance: 'Saldo',
    name: 'Empfänger',
    iban: 'IBAN',
    description: 'Verwendungszweck',
  },
  dateFormat: 'dd.MM.yyyy',
  decimal: ',',
};

describe('CSV', () => {
  it('comes in by the mapping of the connection, once, also beside the camt.053 of the same days', async () => {
    drop('csv', 'export.csv', readFileSync(join(FIXTURES, 'csv/german.csv')));
    const id = await connect('csv', { csv: GERMAN_CSV });
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 3 } });
    expect((await rowsOf(id)).map(({ amount, incoming, balance }) => [amount, incoming, balance])).toEqual([
      [500, true, 500],
      [1000.5, true, 1500.5],
      [1250, false, 250.5],
    ]);
    const account = 'DE89370400440532013000';
    const rows = [
      { day: '2025-03-03', change: 500, text: 'INVOICE 4712', reference: 'B1' },
      { day: '2025-03-03', change: 1000.5, text: 'INVOICE 4711', reference: 'B2' },
      { day: '2025-03-04', change: -1250, text: 'RENT', reference: 'B3' },
    ];
    drop('csv', 'statement.xml', camtStatement({ account, opening: 0, rows }));
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 0, duplicates: 6 } });
  });

  it('without a mapping is listed and skipped, as are a PDF and an image', async () => {
    drop('unknown', 'export.csv', readFileSync(join(FIXTURES, 'csv/german.csv')));
    drop('unknown', 'letter.pdf', '%PDF-1.7\nxref');
    drop('unknown', 'logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0]));
    drop('unknown', 'page.html', '<!doctype html><html><body>Documents</body></html>');
    drop(
      'unknown',
      'statement.xml',
      camtStatement({ opening: 10, rows: [{ day: '2025-03-03', change: 1, text: 'x' }] }),
    );
    const id = await connect('unknown');
    const sync = (await syncAndWait(api, id)) as unknown as { notes: { code: string; source: string }[] };
    expect(sync).toMatchObject({ status: 'completed', counts: { inserted: 1 } });
    expect(sync.notes.map(({ code, source }) => `${source} ${code}`)).toEqual(
      ['export.csv', 'letter.pdf', 'logo.png', 'page.html'].map((name) => `${name} STATEMENT_FORMAT_UNKNOWN`),
    );
    const { body } = await api.call<{ subAccounts: unknown[] }>('GET', `/banks/accounts/${id}`);
    expect(body.result.subAccounts).toMatchObject([{ balance: 11 }]);
  });

  it('by a mapping that is not whole is refused with the path of each fault', async () => {
    const body = { bankCode: 'statement-files', title: 'x', environment: 'production' };
    const { id } = (await api.call<{ id: string }>('POST', '/banks/accounts', body)).body.result;
    const csv = { ...GERMAN_CSV, decimal: ';', columns: { ...GERMAN_CSV.columns, date: undefined }, quote: "'" };
    const put = await api.call('PUT', `/banks/accounts/${id}/credentials`, { folder: 'x', csv });
    expect([put.status, (put.body as unknown as { code: string }).code]).toEqual([400, 'VALIDATION_FAILED']);
    const { issues } = (put.body as unknown as Issues).meta;
    expect(issues.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'csv.columns.date required',
      'csv.decimal invalid_value',
      'csv.quote unrecognized_key',
    ]);
  });
});
