import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ibanKey } from '../../src/projections/transactions.ts';
import { foldText } from '../../src/shared/text-folding.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Transaction = {
  id: string;
  transactionDate: string;
  amount: number;
  incoming: boolean;
  currency: string;
  description: string | null;
  nameSurname: string | null;
  iban: string | null;
  idNo: string;
  code: string;
  subAccountKey: string;
  version: string;
  assignments?: unknown[];
};

type Account = {
  title: string;
  subAccounts: { subAccountKey: string; accountName: string | null; iban: string | null }[];
};

let api: TestService;
let connection: string;
let all: Transaction[];

async function list(query: string): Promise<Transaction[]> {
  const items: Transaction[] = [];
  let cursor: string | null = null;
  do {
    const page: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const path = `/banks/transactions?accountId=${connection}&limit=77${query}${page}`;
    const { body, status } = await api.call<{ items: Transaction[]; nextCursor: string | null }>('GET', path);
    if (status !== 200) throw new Error(JSON.stringify(body));
    items.push(...body.result.items);
    cursor = body.result.nextCursor;
  } while (cursor !== null);
  return items;
}

beforeAll(async () => {
  api = await startTestService();
  connection = await connectDemoBank(api, { seed: 'transactions', transactionsPerDay: 30 });
  await syncAndWait(api, connection, { from: '2026-03-01', to: '2026-03-11' });
  await automationDone(api);
  all = await list('');
});
afterAll(() => api.stop());

const ids = (some: readonly Transaction[]): string[] => some.map((one) => one.id);
const sameRows = (some: readonly Transaction[], others: readonly Transaction[]): void => {
  expect(ids(some).sort()).toEqual(ids(others).sort());
};

describe('the list of transactions', () => {
  it('gives each row once over all pages, in each total order', async () => {
    expect(all).toHaveLength(300);
    expect(new Set(ids(all)).size).toBe(300);
    const byDate = all.map((one) => one.transactionDate);
    expect(byDate).toEqual(byDate.toSorted().toReversed());
    const ascending = await list('&sort=transactionDate');
    expect(ids(ascending)).toEqual(ids(all).toReversed());
    const amounts = (await list('&sort=amount')).map((one) => one.amount);
    expect(amounts).toEqual(amounts.toSorted((a, b) => a - b));
    const descending = (await list('&sort=-amount')).map((one) => one.amount);
    expect(descending).toEqual(amounts.toReversed());
  });

  it('filters by each field as a plain scan of all rows would', async () => {
    const [one] = all.filter((row) => row.iban !== null && row.idNo !== '' && row.nameSurname !== null);
    if (one === undefined) throw new Error('no row to look for');
    const word = foldText(one.nameSurname ?? '').split(' ')[0] ?? '';
    const has = (row: Transaction): boolean =>
      foldText(`${row.description} ${row.nameSurname} ${row.iban}`)
        .split(/[^\p{L}\p{N}]+/u)
        .some((part) => part.startsWith(word));
    const cases: [string, (row: Transaction) => boolean][] = [
      ['incoming=true', (row) => row.incoming],
      [`currency=${one.currency}`, (row) => row.currency === one.currency],
      [`subAccountKey=${one.subAccountKey}`, (row) => row.subAccountKey === one.subAccountKey],
      [`code=${one.code}`, (row) => row.code === one.code],
      [`idNo=${one.idNo}`, (row) => row.idNo === one.idNo],
      [
        `iban=${(one.iban ?? '').toLowerCase()}`,
        (row) => row.iban !== null && ibanKey(row.iban) === ibanKey(one.iban ?? ''),
      ],
      [`minAmount=${one.amount}`, (row) => row.amount >= one.amount],
      [`maxAmount=${one.amount}`, (row) => row.amount <= one.amount],
      [
        'from=2026-03-03&to=2026-03-05',
        (row) => row.transactionDate >= '2026-03-03' && row.transactionDate < '2026-03-05',
      ],
      [`from=${encodeURIComponent('2026-03-03T03:00:00+03:00')}`, (row) => row.transactionDate >= '2026-03-03'],
      [`q=${encodeURIComponent(word)}`, has],
      ['assigned=false&automationStatus=completed&bankCode=demo', () => true],
      ['assigned=true', () => false],
    ];
    for (const [query, wanted] of cases) sameRows(await list(`&${query}`), all.filter(wanted));
  });

  it.each([
    ['minAmount=2&maxAmount=1', 'TRANSACTION_AMOUNT_RANGE_INVALID'],
    ['from=2026-02-02&to=2026-02-01', 'DATE_RANGE_INVALID'],
    ['colour=red', 'QUERY_PARAMETER_UNKNOWN'],
    ['limit=201', 'VALIDATION_FAILED'],
    ['limit=0', 'VALIDATION_FAILED'],
    ['limit=1&limit=2', 'VALIDATION_FAILED'],
    ['sort=name', 'VALIDATION_FAILED'],
    ['incoming[$ne]=true', 'QUERY_PARAMETER_UNKNOWN'],
    ['from=2026-02-30', 'VALIDATION_FAILED'],
    ['minAmount=-1', 'VALIDATION_FAILED'],
    ['cursor=forged.forged', 'CURSOR_INVALID'],
  ])('refuses ?%s', async (query, code) => {
    const { status, body } = await api.call('GET', `/banks/transactions?${query}`);
    expect([status, body.code]).toEqual([400, code]);
  });

  it('accepts a cursor only with its own filters, sort and company', async () => {
    const first = await api.call<{ nextCursor: string }>('GET', '/banks/transactions?limit=1');
    const cursor = encodeURIComponent(first.body.result.nextCursor);
    expect((await api.call('GET', `/banks/transactions?limit=5&cursor=${cursor}`)).status).toBe(200);
    for (const [query, headers] of [
      [`incoming=true&cursor=${cursor}`, {}],
      [`sort=amount&cursor=${cursor}`, {}],
      [`cursor=${cursor}`, { 'x-company-id': undefined }],
    ] as const) {
      const { body } = await api.call('GET', `/banks/transactions?${query}`, undefined, headers);
      expect(body.code).toBe('CURSOR_INVALID');
    }
    const issued = first.body.result.nextCursor;
    const flipped = `${issued.slice(0, 10)}${issued[10] === 'A' ? 'B' : 'A'}${issued.slice(11)}`;
    const forged = await api.call('GET', `/banks/transactions?cursor=${encodeURIComponent(flipped)}`);
    expect(forged.body.code).toBe('CURSOR_INVALID');
  });

  it('loses and repeats nothing while rows are coming in', async () => {
    const before = new Set(ids(all));
    const other = await connectDemoBank(api, { transactionsPerDay: 30 });
    const syncing = syncAndWait(api, other, { from: '2026-03-01', to: '2026-03-21' });
    const seen = ids(await list(''));
    await syncing;
    expect(new Set(seen)).toEqual(before);
    expect(seen).toHaveLength(before.size);
  });
});

describe('one transaction', () => {
  it('comes with its assignments, and cannot be changed', async () => {
    const path = `/banks/transactions/${all[0]?.id}`;
    const one = await api.call<Transaction>('GET', path);
    expect(one.body.result.assignments).toEqual([]);
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await api.call(method, path);
      expect([status, body.code]).toEqual([405, 'TRANSACTION_IMMUTABLE']);
    }
  });
});

describe('the export', () => {
  // What is still going on behind would move the log between two exports.
  beforeAll(() => automationDone(api));

  type Exported = {
    status: number;
    headers: Record<string, unknown>;
    trailers: Record<string, unknown>;
    bytes: Buffer;
  };

  function exported(query: string): Promise<Exported> {
    const url = new URL(`${api.service.url}/banks/transactions/export?accountId=${connection}&${query}`);
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
    return new Promise((resolve, reject) => {
      request(url, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { statusCode: status = 0, headers: given, trailers } = response;
          resolve({ status, headers: given, trailers, bytes: Buffer.concat(chunks) });
        });
      })
        .on('error', reject)
        .end();
    });
  }

  it('holds every row, says so in its trailers, and gives the same bytes at the same position', async () => {
    const first = await exported('');
    expect(first.status).toBe(200);
    expect(first.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = first.bytes.toString('utf8').trimEnd().split('\r\n');
    expect(lines).toHaveLength(all.length + 1);
    expect(first.trailers['x-row-count']).toBe(String(all.length));
    const digest = createHash('sha256').update(first.bytes).digest('base64');
    expect(first.trailers['repr-digest']).toBe(`sha-256=:${digest}:`);
    const positionOf = ({ headers }: typeof first) => headers['x-log-position'];
    let [one, other] = [first, await exported('')];
    // Read models follow a log that other tenants append to as well.
    while (positionOf(one) !== positionOf(other)) [one, other] = [other, await exported('')];
    expect(other.bytes.equals(one.bytes)).toBe(true);
    expect(other.bytes.equals(first.bytes)).toBe(true);
  });

  it('supports other CSV dialects, with numbers as numbers', async () => {
    const { bytes } = await exported('separator=semicolon&decimal=comma&bom=true&incoming=false');
    const text = bytes.toString('utf8');
    expect(text.startsWith('\uFEFFid;companies;')).toBe(true);
    const [header = '', ...rows] = text.slice(1).trimEnd().split('\r\n');
    const column = header.split(';').indexOf('amount');
    expect(rows).toHaveLength(all.filter((row) => !row.incoming).length);
    for (const row of rows) expect(row.split(';')[column]).toMatch(/^\d+(,\d+)?$/);
  });

  it('holds the columns that were asked for, in that order, with signs and names', async () => {
    const { bytes } = await exported(
      'columns=transactionDate,signedAmount,currency,connectionTitle&columns=accountName',
    );
    const [header, ...rows] = bytes.toString('utf8').trimEnd().split('\r\n');
    expect(header).toBe('transactionDate,signedAmount,currency,connectionTitle,accountName');
    const { body: account } = await api.call<Account>('GET', `/banks/accounts/${connection}`);
    const nameOf = new Map(
      account.result.subAccounts.map(({ subAccountKey, accountName, iban }) => [subAccountKey, accountName ?? iban]),
    );
    const expected = [...all]
      .sort((one, other) => (`${one.transactionDate} ${one.id}` < `${other.transactionDate} ${other.id}` ? -1 : 1))
      .map(({ transactionDate, amount, incoming, currency, subAccountKey }) =>
        [
          transactionDate,
          incoming ? amount : -amount,
          currency,
          account.result.title,
          nameOf.get(subAccountKey),
        ].join(),
      );
    expect(rows.map((row) => row.replaceAll('"', ''))).toEqual(expected);
  });

  it.each(['-transactionDate', 'transactionDate', '-amount', 'amount'])(
    'has the order of the list: %s',
    async (sort) => {
      const { bytes } = await exported(`columns=id&sort=${sort}&incoming=true`);
      const [, ...ids] = bytes.toString('utf8').trimEnd().split('\r\n');
      expect(ids).toEqual((await list(`&incoming=true&sort=${sort}`)).map(({ id }) => id));
    },
  );

  it.each(['columns=amount,_id', 'columns=', 'columns=tenantId', 'sort=currency'])('refuses %s', async (query) => {
    const { status, bytes } = await exported(query);
    expect(status).toBe(400);
    expect(JSON.parse(bytes.toString()).code).toBe('VALIDATION_FAILED');
  });

  it('refuses what it does not know before it sends anything', async () => {
    const { status, bytes } = await exported('separator=pipe');
    expect(status).toBe(400);
    expect(JSON.parse(bytes.toString()).code).toBe('VALIDATION_FAILED');
  });
});
