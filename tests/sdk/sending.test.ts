import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isBankError, NetworkError } from '../../sdk/src/index.ts';
import { broken, done, fakeService, refused } from './fake-service.ts';

const RULE = { name: 'Rent', conditions: { children: [] }, actions: [] };

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** What came of it, with every pause between attempts passed. */
async function settled<T>(call: Promise<T>): Promise<T | { readonly error: unknown }> {
  const outcome = call.catch((error: unknown) => ({ error }));
  await vi.runAllTimersAsync();
  return outcome;
}

async function failureOf(call: Promise<unknown>): Promise<unknown> {
  return ((await settled(call)) as { error: unknown }).error;
}

describe('what is sent', () => {
  it('is the path, the query, the body and the headers of the operation', async () => {
    const { client, sent } = fakeService([done()], { baseUrl: 'https://bank.example/api/', company: 'acme' });
    await client.listTransactions({ incoming: true, currency: 'EUR', q: 'a & b' });
    await client.attachAssignment('tx/1?', { reference: { source: 'erp', entityType: 'account', externalId: '1' } });
    await client.syncConnection('a', {}, { wait: 20, company: 'other' });
    expect(sent.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'GET https://bank.example/api/banks/transactions?incoming=true&currency=EUR&q=a+%26+b',
      'POST https://bank.example/api/banks/transactions/tx%2F1%3F/assignments',
      'POST https://bank.example/api/banks/accounts/a/sync',
    ]);
    const [list, attach, sync] = sent;
    expect(Object.fromEntries(list?.headers ?? [])).toEqual({
      'x-api-key': 'key',
      'x-api-secret': 'secret',
      'x-company-id': 'acme',
    });
    expect(list?.body).toBeUndefined();
    expect(JSON.parse(attach?.body ?? '')).toEqual({
      reference: { source: 'erp', entityType: 'account', externalId: '1' },
    });
    expect(attach?.headers.get('content-type')).toBe('application/json');
    expect([sync?.headers.get('prefer'), sync?.headers.get('x-company-id')]).toEqual(['wait=20', 'other']);
  });

  it('repeats a parameter that has several values, and leaves out one that is undefined', async () => {
    const { client, sent } = fakeService([done()]);
    const query = { accountIds: ['a', 'b'], currency: undefined };
    await client.getAnalyticsResults('cash-flow', query as { accountIds: string[] });
    expect(sent[0]?.url).toBe(
      'https://bank.example/banks/analytics/queries/cash-flow/results?accountIds=a&accountIds=b',
    );
  });

  it.each(['', '.', '..', undefined])(
    'never takes %j for an id, which would be the address of something else',
    async (id) => {
      const { client, sent } = fakeService([done()]);
      await expect(client.getTransaction(id as string)).rejects.toThrow(TypeError);
      expect(sent).toEqual([]);
    },
  );

  it('has no credentials where anyone may call, so that a token can be got by the client itself', async () => {
    const accessToken = vi.fn(() => 'token');
    const { client, sent } = fakeService([done()], { apiKey: undefined, apiSecret: undefined, accessToken } as never);
    await client.logIn({ email: 'a@example.com', password: 'p' });
    await client.getMe();
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual([null, 'Bearer token']);
    expect(accessToken).toHaveBeenCalledTimes(1);
  });

  it('never follows a redirect, which would take the secret along', async () => {
    const { client, sent } = fakeService([done()]);
    await client.getConnection('a');
    expect(sent[0]?.init.redirect).toBe('error');
  });
});

describe('a repeated attempt', () => {
  it.each([
    ['a broken link', broken()],
    ['503', refused(503, 'DEPENDENCY_UNAVAILABLE', { 'retry-after': '1' })],
    ['429', refused(429, 'RATE_LIMITED', { 'retry-after': '1' })],
    ['an attempt that still runs', refused(409, 'IDEMPOTENCY_IN_PROGRESS', { 'retry-after': '1' })],
    ['a gateway', () => new Response('<html>', { status: 502 })],
  ] as const)('follows %s, with the same key and body', async (_, failure) => {
    const { client, sent } = fakeService([failure, failure, done()]);
    expect(await settled(client.createRule(RULE as never))).toEqual({ id: 'one' });
    expect(sent).toHaveLength(3);
    const [first] = sent;
    expect(first?.headers.get('idempotency-key')).toMatch(/^[0-9a-f]{32}$/);
    for (const { headers, body } of sent) {
      expect(headers.get('idempotency-key')).toBe(first?.headers.get('idempotency-key'));
      expect(body).toBe(first?.body);
    }
  });

  it('has a key of its own for each call, or the one that the caller gives', async () => {
    const { client, sent } = fakeService([done()]);
    await client.createRule(RULE as never);
    await client.createRule(RULE as never);
    await client.createRule(RULE as never, { idempotencyKey: 'mine' });
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect(new Set(keys).size).toBe(3);
    expect(keys[2]).toBe('mine');
  });

  it('is not made where it could do something twice', async () => {
    const { client, sent } = fakeService([broken()]);
    const failure = await failureOf(client.replacePassword({ currentPassword: 'a', newPassword: 'b' } as never));
    expect(failure).toBeInstanceOf(NetworkError);
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['a fault of the service', refused(500, 'INTERNAL_ERROR')],
    ['a conflict', refused(409, 'RULE_VERSION_CONFLICT')],
    ['the quota of a bank, which lasts for hours', refused(429, 'PROVIDER_QUOTA_EXHAUSTED')],
    ['more patience than a minute', refused(429, 'RATE_LIMITED', { 'retry-after': '61' })],
    ['a readiness that is an answer', refused(503, 'NOT_READY')],
  ] as const)('is not made after %s', async (_, failure) => {
    const { client, sent } = fakeService([failure]);
    expect(isBankError(await failureOf(client.syncConnection('a')))).toBe(true);
    expect(sent).toHaveLength(1);
  });

  it('is one of four at the most, or of as many as the caller wants', async () => {
    const { client, sent } = fakeService([broken()]);
    expect(await failureOf(client.getRule('a'))).toMatchObject({ cause: new TypeError('fetch failed'), status: null });
    expect(sent).toHaveLength(4);
    await failureOf(client.getRule('a', { maxAttempts: 2 }));
    expect(sent).toHaveLength(6);
  });

  it('waits as long as the answer asks, and else longer each time', async () => {
    const at: number[] = [];
    const start = Date.now();
    const noted = (answer: ReturnType<typeof done>) => (sent: Parameters<typeof answer>[0]) => {
      at.push(Date.now() - start);
      return answer(sent);
    };
    const { client } = fakeService([
      noted(broken()),
      noted(broken()),
      noted(refused(503, 'READ_MODEL_BEHIND', { 'retry-after': '5' })),
      noted(done()),
    ]);
    await settled(client.getRule('a'));
    const [, second = 0, third = 0, fourth = 0] = at;
    expect([second, third - second, fourth - third]).toEqual([375, 750, 5_125]);
  });

  it('asks for the token anew', async () => {
    let count = 0;
    const accessToken = () => `token-${++count}`;
    const options = { apiKey: undefined, apiSecret: undefined, accessToken } as never;
    const { client, sent } = fakeService([broken(), done()], options);
    await settled(client.getMe());
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer token-1', 'Bearer token-2']);
  });
});

describe('a call', () => {
  /** As fetch does: rejects once its signal says so. */
  const silence = ({ init: { signal } }: { init: RequestInit }) =>
    new Promise<Response>((_, reject) => {
      if (signal?.aborted) reject(signal.reason);
      signal?.addEventListener('abort', () => reject(signal.reason));
    });

  it('ends when its signal says so, during an attempt', async () => {
    const { client, sent } = fakeService([silence]);
    const stop = new AbortController();
    const call = client.getRule('a', { signal: stop.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    stop.abort(new Error('enough'));
    expect(await call).toEqual(new Error('enough'));
    expect(sent).toHaveLength(1);
  });

  it('ends when its signal says so, between attempts and before the first', async () => {
    const { client, sent } = fakeService([refused(503, 'DEPENDENCY_UNAVAILABLE', { 'retry-after': '60' })]);
    const stop = new AbortController();
    const call = client.getRule('a', { signal: stop.signal }).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(10_000);
    stop.abort(new Error('enough'));
    expect(await call).toEqual(new Error('enough'));
    expect(await client.getRule('a', { signal: stop.signal }).catch((error: unknown) => error)).toEqual(
      new Error('enough'),
    );
    expect(sent).toHaveLength(1);
  });

  it('has a time for each attempt', async () => {
    const { client, sent } = fakeService([silence, done()]);
    expect(await settled(client.getRule('a', { timeoutMs: 1_000 }))).toEqual({ id: 'one' });
    expect(sent).toHaveLength(2);
    expect(await failureOf(fakeService([silence]).client.getRule('a'))).toMatchObject({
      cause: new Error('no answer within 60000 ms'),
    });
  });

  it('leaves nothing behind at the signal that it was given', async () => {
    const { client } = fakeService([broken(), done()]);
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, 'addEventListener'), vi.spyOn(signal, 'removeEventListener')];
    await settled(client.getRule('a', { signal }));
    expect(added.mock.calls.length).toBe(3);
    expect(removed.mock.calls.length).toBe(3);
  });

  it('keeps all digits of an amount if the caller reads JSON so', async () => {
    const answer = () => {
      const headers = { 'content-type': 'application/json' };
      return new Response('{"status":true,"result":{"amount":12345678901234567.89}}', { headers });
    };
    const parseJson = (text: string): unknown =>
      JSON.parse(text, (_name, value, context?: { source?: string }) =>
        typeof value === 'number' ? (context?.source ?? value) : value,
      );
    const { client } = fakeService([answer], { parseJson });
    expect(await client.getTransaction('a')).toEqual({ amount: '12345678901234567.89' });
    expect(await fakeService([answer]).client.getTransaction('a')).toEqual({ amount: 12345678901234568 });
  });

  it('does not take the answer of something in between for one of the service', async () => {
    const portal = () => new Response('<html>Sign in to the network</html>', { status: 200 });
    const failure = await failureOf(fakeService([portal]).client.listTransactions({ iban: 'TR1' }));
    expect(failure).toBeInstanceOf(NetworkError);
    expect(String(failure)).toBe(
      'NetworkError: GET https://bank.example/banks/transactions answered 200, not as the service does',
    );
  });
});
