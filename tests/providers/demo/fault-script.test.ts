import { describe, expect, it } from 'vitest';
import type { ProviderTransaction } from '../../../src/providers/bank-provider.ts';
import { checkDeclared } from '../../../src/providers/credentials.ts';
import { createDemoBank } from '../../../src/providers/demo/demo-bank.ts';
import { DEMO_CREDENTIALS } from '../../../src/providers/demo/demo-credentials.ts';
import { add } from '../../../src/shared/money.ts';
import { accountsOf, pagesOf, present, rowsOf, sessionOf } from '../sessions.ts';

const WINDOW = { fromDay: '2025-05-17', toDay: '2025-06-16' };
const credentials = (...steps: object[]) => ({ seed: 'faults', transactionsPerDay: 40, script: { steps } });

async function lira(bank = createDemoBank()) {
  return present((await accountsOf(bank, sessionOf(credentials())))[0]);
}

async function honest() {
  const bank = createDemoBank();
  return pagesOf(bank, sessionOf(credentials()), await lira(bank), WINDOW);
}

async function scripted(...steps: object[]) {
  const bank = createDemoBank();
  return pagesOf(bank, sessionOf(credentials(...steps)), await lira(bank), WINDOW);
}

const known = (rows: readonly ProviderTransaction[]) => rows.filter(({ providerId }) => providerId?.trim());

describe('fault script: failures', () => {
  it.each([
    ['time-out', { kind: 'transient', code: 'PROVIDER_TIMEOUT' }],
    ['unavailable', { kind: 'transient', code: 'PROVIDER_UNAVAILABLE' }],
    ['rate-limit', { kind: 'rate-limited', code: 'PROVIDER_RATE_LIMITED', retryAfterMs: 1500 }],
    ['reject-credentials', { kind: 'credentials-rejected', code: 'PROVIDER_CREDENTIALS_REJECTED' }],
  ])('%s fails the page as often as it says, then lets it pass', async (what, error) => {
    const bank = createDemoBank();
    const step = {
      at: { operation: 'page', page: 1, attempts: 2 },
      do: what,
      ...(what === 'rate-limit' && { retryAfterMs: 1500 }),
    };
    const session = sessionOf(credentials(step));
    const ask = async () => bank.fetchPage(session, { account: await lira(bank), ...WINDOW, cursor: null });
    await expect(ask()).rejects.toMatchObject(error);
    await expect(ask()).rejects.toMatchObject(error);
    expect(rowsOf([await ask()]).length).toBe(500);
    expect(session.requests()).toBe(3);
  });

  it('counts the requests of an operation, repeated ones included', async () => {
    const bank = createDemoBank();
    const session = sessionOf(
      credentials({ at: { operation: 'accounts', request: 2, attempts: 2 }, do: 'unavailable' }),
    );
    const outcomes: string[] = [];
    for (let request = 1; request <= 5; request += 1) {
      outcomes.push(
        await bank.discoverAccounts(session).then(
          () => 'ok',
          (error) => error.code,
        ),
      );
    }
    expect(outcomes).toEqual(['ok', 'PROVIDER_UNAVAILABLE', 'PROVIDER_UNAVAILABLE', 'ok', 'ok']);
  });

  it('counts separately for each connection, and for each account it names', async () => {
    const bank = createDemoBank();
    const step = { at: { operation: 'page', account: 'EUR' }, do: 'time-out' };
    const [tl, euro] = await accountsOf(bank, sessionOf(credentials()));
    const ask = (connectionId: string, account = present(euro)) =>
      bank.fetchPage(sessionOf(credentials(step), { connectionId }), { account, ...WINDOW, cursor: null });
    await expect(ask('one', present(tl))).resolves.toBeDefined();
    await expect(ask('one')).rejects.toMatchObject({ code: 'PROVIDER_TIMEOUT' });
    await expect(ask('two')).rejects.toMatchObject({ code: 'PROVIDER_TIMEOUT' });
    await expect(ask('one')).resolves.toBeDefined();
  });
});

describe('fault script: data', () => {
  it('repeats a page as the next one, rows with an id only, and continues', async () => {
    const pages = await scripted({ at: { operation: 'page', page: 2 }, do: 'repeat-page' });
    const [first, second, third] = (await honest()).map((page) => rowsOf([page]));
    expect(pages.map((page) => rowsOf([page]))).toEqual([first, second, known(second ?? []), third].filter(Boolean));
  });

  it('sends the rows of a page twice', async () => {
    const [page] = await scripted({ at: { operation: 'page', page: 1 }, do: 'send-twice' });
    const [plain] = await honest();
    const rows = rowsOf([present(page)]);
    expect(rows.length).toBe(500 + known(rowsOf([present(plain)])).length);
    expect(new Set(rows)).toEqual(new Set(rowsOf([present(plain)])));
  });

  it('reorders a page without losing a row', async () => {
    const [page] = await scripted({ at: { operation: 'page', page: 1 }, do: 'reorder' });
    const plain = rowsOf([present((await honest())[0])]);
    expect(rowsOf([present(page)])).toEqual(plain.toReversed());
  });

  it('withdraws the first rows that have an id', async () => {
    const [page] = await scripted({ at: { operation: 'page', page: 1 }, do: 'withdraw', count: 3 });
    const plain = rowsOf([present((await honest())[0])]);
    const ids = known(plain)
      .slice(0, 3)
      .map(({ providerId }) => providerId);
    expect(page?.withdrawn).toEqual(ids);
    expect(rowsOf([present(page)])).toEqual(plain.filter(({ providerId }) => !ids.includes(providerId)));
  });

  it('uses ids again for another content', async () => {
    const [page] = await scripted({ at: { operation: 'page', page: 1 }, do: 're-issue', count: 2 });
    const plain = rowsOf([present((await honest())[0])]);
    const changed = rowsOf([present(page)]).filter((row, index) => row.amount !== plain[index]?.amount);
    expect(changed.map(({ providerId }) => providerId)).toEqual(
      known(plain)
        .slice(0, 2)
        .map(({ providerId }) => providerId),
    );
    expect(changed[0]?.amount).toBe(add(known(plain)[0]?.amount ?? '', '1'));
  });

  it('leaves the ids out', async () => {
    const [page, next] = await scripted({ at: { operation: 'page', page: 1 }, do: 'blank-ids' });
    expect(known(rowsOf([present(page)]))).toEqual([]);
    expect(known(rowsOf([present(next)])).length).toBeGreaterThan(100);
  });

  it('changes the list of accounts, and the new one can be read', async () => {
    const bank = createDemoBank();
    const before = await accountsOf(bank, sessionOf(credentials()));
    const after = await accountsOf(
      bank,
      sessionOf(credentials({ at: { operation: 'accounts' }, do: 'change-accounts' })),
    );
    expect(after.map(({ currency }) => currency)).toEqual([
      'GBP',
      ...before
        .slice(0, -1)
        .map(({ currency }) => currency)
        .reverse(),
    ]);
    expect(rowsOf(await pagesOf(bank, sessionOf(credentials()), present(after[0]), WINDOW)).length).toBeGreaterThan(0);
  });
});

describe('fault script: its form', () => {
  const check = (input: unknown) => checkDeclared(DEMO_CREDENTIALS, input);

  it.each([
    [{ at: { operation: 'page', page: 1 }, do: 'explode' }],
    [{ at: { operation: 'page', page: 0 }, do: 'time-out' }],
    [{ at: { operation: 'page' }, do: 'rate-limit' }],
    [{ at: { operation: 'page' }, do: 'withdraw' }],
    [{ at: { operation: 'page' }, do: 'reorder', extra: 1 }],
    [{ at: { operation: 'accounts', page: 1 }, do: 'time-out' }],
    [{ at: { operation: 'accounts' }, do: 'reorder' }],
    [{ do: 'time-out' }],
  ])('refuses %j', (step) => {
    expect(check(credentials(step))).toMatchObject({
      ok: false,
      issues: [{ path: expect.stringMatching(/^script\.steps\.0/) }],
    });
  });

  it('accepts no settings at all, and a whole number as the seed', () => {
    expect(check({})).toEqual({ ok: true, credentials: {} });
    const others = { transactionsPerDay: 20_000, script: { steps: [] } };
    expect(check({ seed: 42, ...others })).toEqual({ ok: true, credentials: { seed: '42', ...others } });
  });
});
