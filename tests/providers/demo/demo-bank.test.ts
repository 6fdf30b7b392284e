import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDemoBank } from '../../../src/providers/demo/demo-bank.ts';
import { remainder97 } from '../../../src/providers/demo/numbers.ts';
import { add, decimal, signed, subtract } from '../../../src/shared/money.ts';
import { accountsOf, NOW_MS, pagesOf, present, rowsOf, sessionOf } from '../sessions.ts';

const WINDOW = { fromDay: '2025-05-17', toDay: '2025-06-16' };
const session = (seed: string, transactionsPerDay = 60, nowMs = NOW_MS) =>
  sessionOf({ seed, transactionsPerDay }, { nowMs });

async function allRows(seed: string, transactionsPerDay = 60) {
  const bank = createDemoBank();
  const accounts = await accountsOf(bank, session(seed, transactionsPerDay));
  const rows = await Promise.all(
    accounts.map(async (account) => rowsOf(await pagesOf(bank, session(seed, transactionsPerDay), account, WINDOW))),
  );
  return { accounts, rows };
}

describe('demo bank', () => {
  it('has two or three accounts, TRY and EUR first', async () => {
    const seen = new Set<string>();
    for (const seed of ['a', 'b', 'c', 'd', 'e', 'f']) {
      const accounts = await accountsOf(createDemoBank(), session(seed));
      seen.add(accounts.map(({ currency }) => currency).join());
    }
    expect([...seen].sort()).toEqual(['TRY,EUR', 'TRY,EUR,USD']);
  });

  it('gives the same rows for the same seed, on another instance and at another time', async () => {
    const first = await allRows('same');
    expect(await allRows('same')).toEqual(first);
    expect(await allRows('other')).not.toEqual(first);
    const later = createDemoBank();
    const account = present(first.accounts[0]);
    const rows = rowsOf(await pagesOf(later, session('same', 60, NOW_MS + 3_600_000), account, WINDOW));
    expect(rows.slice(0, first.rows[0]?.length)).toEqual(first.rows[0]);
    expect(rows.length).toBeGreaterThan(first.rows[0]?.length ?? 0);
  });

  it('gives a connection without a seed its own data', async () => {
    const [one, two] = ['connection-a', 'connection-b'].map((connectionId) => sessionOf({}, { connectionId }));
    const bank = createDemoBank();
    expect(await accountsOf(bank, present(one))).not.toEqual(await accountsOf(bank, present(two)));
  });

  it('states after each row the balance before it plus the row, across days and pages', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string(), fc.integer({ min: 1, max: 200 }), async (seed, perDay) => {
        const { accounts, rows } = await allRows(seed, perDay);
        for (const [index, ofAccount] of rows.entries()) {
          for (const [at, row] of ofAccount.entries()) {
            const before = ofAccount[at - 1];
            if (before !== undefined) {
              expect(row.balance).toBe(add(before.balance ?? '', signed(row.amount, row.incoming)));
              expect(row.transactionDate >= before.transactionDate).toBe(true);
            }
            expect([decimal(row.amount), decimal(row.balance ?? '')]).toEqual([row.amount, row.balance]);
          }
          expect(accounts[index]?.balance).toBe(ofAccount.at(-1)?.balance ?? accounts[index]?.balance);
        }
      }),
      { numRuns: 15 },
    );
  });

  it('gives the same rows whatever the windows are', async () => {
    const bank = createDemoBank();
    const account = present((await accountsOf(bank, session('w')))[0]);
    const whole = rowsOf(await pagesOf(bank, session('w'), account, WINDOW));
    const halves = [
      await pagesOf(bank, session('w'), account, { fromDay: '2025-05-17', toDay: '2025-06-01' }),
      await pagesOf(bank, session('w'), account, { fromDay: '2025-06-01', toDay: '2025-06-16' }),
    ];
    expect(halves.flatMap(rowsOf)).toEqual(whole);
    expect(whole.length).toBeGreaterThan(500);
  });

  it('has the requested number of rows on a whole day, over all accounts', async () => {
    const bank = createDemoBank();
    const day = { fromDay: '2025-06-01', toDay: '2025-06-02' };
    for (const perDay of [1, 7, 1000]) {
      const accounts = await accountsOf(bank, session('n', perDay));
      const pages = await Promise.all(accounts.map((account) => pagesOf(bank, session('n', perDay), account, day)));
      expect(pages.flat().flatMap(({ listings }) => listings.flatMap(({ rows }) => rows)).length).toBe(perDay);
    }
  });

  it('shows no row of the future, and none before the account opened', async () => {
    const bank = createDemoBank();
    const account = present((await accountsOf(bank, session('f')))[0]);
    const rows = rowsOf(await pagesOf(bank, session('f'), account, { fromDay: '2025-06-15', toDay: '2025-06-20' }));
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.every(({ transactionDate }) => Date.parse(transactionDate) <= NOW_MS)).toBe(true);
    const early = { fromDay: '2018-12-20', toDay: '2019-01-04' };
    const first = rowsOf(await pagesOf(bank, session('f'), account, early));
    expect(first[0]?.transactionDate.slice(0, 10)).toBe('2019-01-02');
  });

  it('has valid IBANs, unique ids, and some rows without an id, including equal ones', async () => {
    const { accounts, rows } = await allRows('ids', 200);
    const all = rows.flat();
    for (const iban of [...accounts, ...all].flatMap((one) => one.iban ?? [])) {
      expect(remainder97(iban.slice(4) + iban.slice(0, 4))).toBe(1);
    }
    const ids = all.flatMap(({ providerId }) => (providerId?.trim() ? [providerId] : []));
    expect(new Set(ids).size).toBe(ids.length);
    const blank = all.filter(({ providerId }) => !providerId?.trim());
    expect(new Set(blank.map(({ providerId }) => providerId))).toEqual(new Set([null, '', ' ']));
    const contents = blank.map(({ balance: _balance, providerId: _id, ...content }) => JSON.stringify(content));
    const twins = contents.length - new Set(contents).size;
    expect(twins).toBeGreaterThan(10);
    expect(all.filter(({ findAI }) => findAI).length).toBeGreaterThan(10);
  });

  it('never repeats an id between seeds, or between numbers of rows a day', async () => {
    const worlds = [await allRows('x', 50), await allRows('y', 50), await allRows('x', 51)];
    const ids = worlds
      .flatMap(({ rows }) => rows.flat())
      .flatMap(({ providerId }) => (providerId?.trim() ? [providerId] : []));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('reads a month of 20,000 rows a day in pages of 500 at most', async () => {
    const bank = createDemoBank();
    const busy = session('busy', 20_000);
    const account = present((await accountsOf(bank, busy))[0]);
    const pages = await pagesOf(bank, busy, account, { fromDay: '2025-06-01', toDay: '2025-06-03' });
    expect(Math.max(...pages.map((page) => rowsOf([page]).length))).toBe(500);
    expect(busy.requests()).toBe(pages.length + 1);
    const [first, last] = [rowsOf(pages).at(0), rowsOf(pages).at(-1)];
    const net = rowsOf(pages).reduce((sum, row) => add(sum, signed(row.amount, row.incoming)), '0');
    const opening = subtract(first?.balance ?? '', signed(first?.amount ?? '', first?.incoming ?? true));
    expect(add(opening, net)).toBe(last?.balance);
  });

  it('refuses a window that is too long, and an unknown cursor, account or credential, by code', async () => {
    const bank = createDemoBank();
    const account = present((await accountsOf(bank, session('r')))[0]);
    const ask = (over: object, credentials: Record<string, unknown> = { seed: 'r' }) =>
      bank.fetchPage(sessionOf(credentials), { account, ...WINDOW, cursor: null, ...over });
    await expect(ask({ fromDay: '2025-05-16' })).rejects.toMatchObject({
      code: 'PROVIDER_WINDOW_TOO_LONG',
      kind: 'permanent',
    });
    await expect(ask({ cursor: 'x' })).rejects.toMatchObject({ code: 'PROVIDER_CURSOR_INVALID' });
    await expect(ask({ account: { ...account, providerAccountId: 'x' } })).rejects.toMatchObject({
      code: 'PROVIDER_ACCOUNT_UNKNOWN',
    });
    await expect(ask({}, { seed: {} })).rejects.toMatchObject({ code: 'PROVIDER_CREDENTIALS_INVALID' });
  });

  it('stops at once when the request is aborted', async () => {
    const given = sessionOf({}, { signal: AbortSignal.abort() });
    await expect(createDemoBank().discoverAccounts(given)).rejects.toMatchObject({
      kind: 'transient',
      code: 'PROVIDER_REQUEST_ABORTED',
    });
  });
});
