import { expect, it } from 'vitest';
import { createDemoBank } from '../../../src/providers/demo/demo-bank.ts';
import { accountsOf, pagesOf, present, sessionOf } from '../sessions.ts';

const WINDOW = { fromDay: '2025-06-01', toDay: '2025-06-03' };

it('reports each request as it would be sent, with the rows it returned', async () => {
  const bank = createDemoBank();
  const session = sessionOf({ seed: 'wire' });
  const account = present((await accountsOf(bank, session))[0]);
  const pages = await pagesOf(bank, session, account, WINDOW);
  expect(session.exchanges).toHaveLength(session.requests());
  const last = present(session.exchanges.at(-1));
  expect(last.url).toContain(`/accounts/${account.providerAccountId}/transactions?from=2025-06-01&to=2025-06-03`);
  expect(last.request.headers.authorization).toBe(`Basic ${Buffer.from('connection-a:wire').toString('base64')}`);
  expect(last.response?.status).toBe(200);
  const rows = pages.at(-1)?.listings.flatMap((listing) => listing.rows);
  expect(JSON.parse(String(last.response?.body))).toMatchObject({ rows });
});

it.each([
  ['unavailable', 503, {}],
  ['reject-credentials', 401, {}],
  ['rate-limit', 429, { retryAfterMs: 1_500 }],
  ['time-out', undefined, {}],
])('%s is stated as the bank would have answered', async (fault, status, more) => {
  const script = { steps: [{ at: { operation: 'accounts' }, do: fault, ...more }] };
  const session = sessionOf({ seed: 'wire', script });
  await expect(createDemoBank().discoverAccounts(session)).rejects.toThrow();
  const [exchange] = session.exchanges;
  expect(exchange?.response?.status).toBe(status);
  if (status === 429) expect(exchange?.response?.headers).toMatchObject({ 'retry-after': '2' });
});
