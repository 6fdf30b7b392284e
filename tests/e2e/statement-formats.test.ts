import { mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { camtNotification, camtReport, mt942Report } from '../support/report-texts.ts';
import { connectFolder, deliverTo } from '../support/statement-folders.ts';
import { camtStatement } from '../support/statement-texts.ts';
import { startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

let api: TestService;
beforeAll(async () => {
  api = await startTestService();
});
afterAll(() => api.stop());

const FIXTURES = join(import.meta.dirname, '../fixtures/statements');
const LONG_AGO_S = 1_700_000_000;

type Issues = { meta: { issues: { path: string; code: string }[] } };

/** The rows by day and, within a day, by amount: their ids, which would order them otherwise, depend on the tenant. */
async function rowsOf(id: string): Promise<Record<string, unknown>[]> {
  type Row = Record<string, unknown> & { transactionDate: string; amount: number };
  const list = await api.call<{ items: Row[] }>('GET', `/banks/transactions?accountId=${id}`);
  return list.body.result.items.toSorted(
    (one, other) => one.transactionDate.localeCompare(other.transactionDate) || one.amount - other.amount,
  );
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
  it('is imported by the mapping of the connection, once, also together with the camt.053 of the same days', async () => {
    deliverTo(api, 'csv', 'export.csv', readFileSync(join(FIXTURES, 'csv/german.csv')));
    const id = await connectFolder(api, 'csv', { csv: GERMAN_CSV });
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
    deliverTo(api, 'csv', 'statement.xml', camtStatement({ account, opening: 0, rows }));
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 0, duplicates: 6 } });
  });

  it('without a mapping is listed and skipped, as are a PDF and an image', async () => {
    deliverTo(api, 'unknown', 'export.csv', readFileSync(join(FIXTURES, 'csv/german.csv')));
    deliverTo(api, 'unknown', 'letter.pdf', '%PDF-1.7\nxref');
    deliverTo(api, 'unknown', 'logo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10, 0]));
    deliverTo(api, 'unknown', 'page.html', '<!doctype html><html><body>Documents</body></html>');
    deliverTo(
      api,
      'unknown',
      'statement.xml',
      camtStatement({ opening: 10, rows: [{ day: '2025-03-03', change: 1, text: 'x' }] }),
    );
    const id = await connectFolder(api, 'unknown');
    const sync = (await syncAndWait(api, id)) as unknown as { notes: { code: string; source: string }[] };
    expect(sync).toMatchObject({ status: 'completed', counts: { inserted: 1 } });
    expect(sync.notes.map(({ code, source }) => `${source} ${code}`)).toEqual(
      ['export.csv', 'letter.pdf', 'logo.png', 'page.html'].map((name) => `${name} STATEMENT_FORMAT_UNKNOWN`),
    );
    const { body } = await api.call<{ subAccounts: unknown[] }>('GET', `/banks/accounts/${id}`);
    expect(body.result.subAccounts).toMatchObject([{ balance: 11 }]);
  });

  it('with an incomplete mapping is refused with the path of each fault', async () => {
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

describe('OFX and BAI2', () => {
  const account = '0012345678';

  it('OFX is imported once, also together with the camt.053 of the same days, with the balance that the bank states', async () => {
    const ofx = readFileSync(join(FIXTURES, 'ofx/bank.v1.ofx'), 'utf8').replaceAll('USD', 'EUR');
    deliverTo(api, 'ofx', 'bank.ofx', ofx);
    const id = await connectFolder(api, 'ofx');
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 2 } });
    const { body } = await api.call<{ subAccounts: unknown[] }>('GET', `/banks/accounts/${id}`);
    expect(body.result.subAccounts).toMatchObject([{ accountNo: account, balance: 1974.5, availableBalance: 1900 }]);
    const rows = [
      { day: '2025-03-03', change: -25.5, text: 'Coffee & Tea', reference: 'B1' },
      { day: '2025-03-04', change: 1000, text: 'INVOICE', reference: 'B2' },
    ].map((row) => ({ ...row, text: row.text.replace('&', 'and') }));
    deliverTo(api, 'ofx', 'camt.xml', camtStatement({ account, opening: 1000, rows }));
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 0 } });
  });

  it('BAI2 is imported once, also together with the camt.053 of the same day; one that does not add up is refused', async () => {
    const bai = readFileSync(join(FIXTURES, 'bai2/two-accounts.bai'), 'utf8')
      .replaceAll('USD', 'EUR')
      .replace(account, '0087654321');
    deliverTo(api, 'bai2', 'one.bai', bai);
    const id = await connectFolder(api, 'bai2');
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 4 } });
    const rows = [
      { day: '2025-03-03', change: -25.5, text: 'x', reference: 'B1' },
      { day: '2025-03-03', change: 500, text: 'y', reference: 'B2' },
    ];
    deliverTo(api, 'bai2', 'camt.xml', camtStatement({ account: '0087654321', opening: 1000, rows }));
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 0 } });
    deliverTo(api, 'bai2', 'wrong.bai', bai.replaceAll('250303', '250305').replace('015,147450', '015,147451'));
    expect(await syncAndWait(api, id)).toMatchObject({
      status: 'failed',
      error: { code: 'STATEMENT_BALANCES_DIFFER', source: 'wrong.bai', place: 'line 8' },
      counts: { inserted: 2 },
    });
  });
});

describe('reports during the day', () => {
  it('show pending rows in the available balance, and no row twice when the statement of the day arrives', async () => {
    const account = 'NL20INGB0001234567';
    const [monday, tuesday] = ['2025-03-03', '2025-03-04'];
    const available = async (id: string) => {
      const { body } = await api.call<{ subAccounts: Record<string, unknown>[] }>('GET', `/banks/accounts/${id}`);
      const [{ balance, availableBalance } = {}] = body.result.subAccounts;
      return [balance, availableBalance];
    };
    deliverTo(
      api,
      'day',
      'a.xml',
      camtStatement({ account, opening: 90, rows: [{ day: monday, change: 10, text: 'x' }] }),
    );
    const paid = { day: tuesday, change: -5, text: 'paid', reference: 'R1' };
    const waits = { day: tuesday, change: -20, text: 'waits' };
    deliverTo(
      api,
      'day',
      'b.xml',
      camtReport({ account, madeAt: `${tuesday}T12:00:00`, booked: [paid], pending: [waits] }),
    );
    const id = await connectFolder(api, 'day');
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 2 } });
    expect(await available(id)).toEqual([100, 75]);
    deliverTo(
      api,
      'day',
      'c.942',
      mt942Report({ account, madeAt: `${tuesday}T13:00:00`, pending: [waits, { ...waits, change: 1 }] }),
    );
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 0 } });
    expect(await available(id)).toEqual([100, 81]);
    const rows = [{ ...paid, text: 'Paid, as worded in the statement', reference: 'S1' }, waits];
    deliverTo(api, 'day', 'd.xml', camtStatement({ account, opening: 100, rows }));
    expect(await syncAndWait(api, id)).toMatchObject({ status: 'completed', counts: { inserted: 1 } });
    expect((await rowsOf(id)).map(({ amount }) => amount)).toEqual([10, 5, 20]);
    expect(await available(id)).toEqual([75, undefined]);
  });
});

describe('camt.054', () => {
  const account = 'NL44RABO0123456789';
  const day = '2025-03-04';
  const batch = { day, change: -300, text: 'SALARIES', reference: 'B1' };
  const payments = [
    { change: -100, text: 'March', name: 'Ann' },
    { change: -200, text: 'March', name: 'Bob' },
  ];
  const notification = camtNotification([{ ...batch, payments }], account);
  const statement = camtStatement({ account, opening: 1000, rows: [batch] });

  it('imports the payments of a batch in its place, which a further sync does not duplicate', async () => {
    deliverTo(api, 'batch', 'a.xml', notification);
    deliverTo(api, 'batch', 'b.xml', statement);
    const id = await connectFolder(api, 'batch');
    const first = await syncAndWait(api, id);
    expect(first).toMatchObject({ status: 'completed', counts: { fetched: 2, inserted: 2, duplicates: 0 } });
    expect(await syncAndWait(api, id)).toMatchObject({ counts: { fetched: 2, inserted: 0, duplicates: 2 } });
    const rows = await rowsOf(id);
    expect(rows.map(({ amount, nameSurname, balance }) => [amount, nameSurname, balance]).sort()).toEqual([
      [100, 'Ann', 900],
      [200, 'Bob', 700],
    ]);
    const health = await api.call<{ completeness: { status: string }[] }>('GET', `/banks/accounts/${id}/health`);
    expect(health.body.result.completeness).toMatchObject([{ status: 'complete' }]);
  });

  it('whose payments do not add up leaves the batch one row, with a note', async () => {
    deliverTo(
      api,
      'batch2',
      'a.xml',
      camtNotification([{ ...batch, payments: payments.slice(0, 1).concat(payments[0] ?? []) }], 'NL39RABO0300065264'),
    );
    deliverTo(api, 'batch2', 'b.xml', camtStatement({ account: 'NL39RABO0300065264', opening: 1000, rows: [batch] }));
    const id = await connectFolder(api, 'batch2');
    expect(await syncAndWait(api, id)).toMatchObject({
      status: 'completed',
      counts: { inserted: 1 },
      notes: [{ code: 'STATEMENT_DETAILS_DIFFER', source: 'a.xml', place: 'Ntfctn[1]/Ntry[1]' }],
    });
    expect((await rowsOf(id)).map(({ amount }) => amount)).toEqual([300]);
  });
});

type DryRun = {
  file: string;
  format: string | null;
  charset: string | null;
  accounts: unknown[];
  rowCount: number;
  rows: { description: string | null }[];
  refused: { code: string; place: string | null }[];
  notes: { code: string; source: string }[];
};
type Code = { code: string; meta: { issues: { path: string }[] } };

describe('a dry run', () => {
  const dryRun = (id: string, body?: unknown, headers: Record<string, string | undefined> = {}) =>
    api.call<DryRun>('POST', `/banks/accounts/${id}/dry-run`, body, headers);

  it('shows what the newest file would import, and records nothing', async () => {
    deliverTo(
      api,
      'dry',
      'old.xml',
      camtStatement({ opening: 10, rows: [{ day: '2025-03-03', change: 1, text: 'x' }] }),
    );
    deliverTo(api, 'dry', 'export.csv', readFileSync(join(FIXTURES, 'csv/german.csv')));
    utimesSync(join(api.statementsDir, 'dry', 'export.csv'), LONG_AGO_S + 60, LONG_AGO_S + 60);
    const id = await connectFolder(api, 'dry', { csv: GERMAN_CSV });
    const before = await api.service.log.head();
    const { status, body } = await dryRun(id);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({
      file: 'export.csv',
      format: 'CSV',
      charset: 'utf-8',
      accounts: [{ providerAccountId: 'DE89370400440532013000/EUR', balance: 250.5, currency: 'EUR' }],
      rowCount: 3,
      rows: [
        { transactionDate: '2025-03-03T00:00:00.000Z', amount: 500, incoming: true, balance: 500 },
        { amount: 1000.5, balance: 1500.5, nameSurname: 'Kunde GmbH' },
        { amount: 1250, incoming: false, balance: 250.5, description: 'Miete "März"; Haus 7' },
      ],
      refused: [],
      notes: [],
    });
    expect(await rowsOf(id)).toEqual([]);
    expect(await api.service.log.head()).toBe(before);
  });

  it('shows the first 20 rows, what would be refused, and a file in an unknown format', async () => {
    const lines = Array.from({ length: 25 }, (_, index) => `0${(index % 9) + 1}.03.2025;x;;;Row ${index};1,00;`);
    deliverTo(
      api,
      'dry2',
      'long.csv',
      ['a', 'b', 'Buchungstag;;Empfänger;IBAN;Verwendungszweck;Betrag (EUR);Saldo', ...lines].join('\n'),
    );
    deliverTo(api, 'dry2', 'wrong.csv', 'a\nb\nBuchungstag;Verwendungszweck\n');
    deliverTo(api, 'dry2', 'letter.pdf', '%PDF-1.7');
    const id = await connectFolder(api, 'dry2', { csv: GERMAN_CSV });
    const long = (await dryRun(id, { file: 'long.csv' })).body.result;
    expect([long.rowCount, long.rows.length, long.rows[19]?.description]).toEqual([25, 20, expect.any(String)]);
    const wrong = (await dryRun(id, { file: 'wrong.csv' })).body.result;
    expect(wrong).toMatchObject({
      format: 'CSV',
      rows: [],
      refused: [{ code: 'STATEMENT_FILE_INVALID', place: 'line 3' }],
    });
    const letter = (await dryRun(id, { file: 'letter.pdf' })).body.result;
    expect(letter).toMatchObject({
      format: null,
      charset: null,
      refused: [],
      notes: [{ code: 'STATEMENT_FORMAT_UNKNOWN' }],
    });
  });

  it('never reads outside the folder', async () => {
    mkdirSync(join(api.statementsDir, 'dry3/below'), { recursive: true });
    writeFileSync(join(api.statementsDir, 'outside.sta'), ':20:R\n');
    symlinkSync(join(api.statementsDir, 'outside.sta'), join(api.statementsDir, 'dry3', 'link.sta'));
    deliverTo(api, 'dry3', 'one.xml', camtStatement({ opening: 10, rows: [] }));
    const id = await connectFolder(api, 'dry3');
    for (const file of ['../outside.sta', 'below/x', '.tenant', '..', '/etc/passwd', 'a\\b', 'a\u0000']) {
      const { status, body } = await dryRun(id, { file });
      const { code, meta } = body as unknown as Code;
      expect([file, status, code, meta.issues?.[0]?.path]).toEqual([file, 400, 'VALIDATION_FAILED', 'file']);
    }
    const linked = await dryRun(id, { file: 'link.sta' });
    expect(linked.body.result).toMatchObject({ rows: [], refused: [{ code: 'STATEMENT_FILE_UNREADABLE' }] });
    for (const file of ['below', 'none.sta']) {
      const { status, body } = await dryRun(id, { file });
      expect([status, (body as unknown as Code).code]).toEqual([404, 'STATEMENT_FILE_NOT_FOUND']);
    }
  });

  it('needs the right to change connections', async () => {
    const id = await connectFolder(api, 'dry');
    const { status, body } = await dryRun(id, {}, { 'x-company-id': undefined });
    expect([status, (body as unknown as Code).code]).toEqual([400, 'COMPANY_REQUIRED']);
  });
});
