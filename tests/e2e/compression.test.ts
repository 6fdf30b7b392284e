import { createHash } from 'node:crypto';
import { type IncomingMessage, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codingOf } from '../../src/http/core/compress.ts';
import { signIn } from '../support/signed-in.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Raw = Pick<IncomingMessage, 'headers' | 'trailers'> & { readonly status: number; readonly body: Buffer };

let api: TestService;

/** What is sent, with nothing decoded; optionally only until something has arrived. */
function raw(path: string, headers: Record<string, string> = {}, untilFirst = false): Promise<Raw> {
  const own = { 'x-api-key': api.key, 'x-api-secret': api.secret, 'x-company-id': COMPANY };
  return new Promise((resolve, reject) => {
    const sent = request(`${api.service.url}${path}`, { headers: { ...own, ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      const end = () => {
        const { headers: given, trailers, statusCode: status = 0 } = response;
        resolve({ status, headers: given, trailers, body: Buffer.concat(chunks) });
      };
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        if (!untilFirst) return;
        end();
        response.destroy();
      });
      response.on('end', end);
      response.on('error', (error) => (untilFirst ? undefined : reject(error)));
    });
    sent.on('error', (error) => (untilFirst ? undefined : reject(error)));
    sent.end();
  });
}

const decoded = ({ headers, body }: Raw): string =>
  (headers['content-encoding'] === 'br'
    ? brotliDecompressSync(body)
    : headers['content-encoding'] === 'gzip'
      ? gunzipSync(body)
      : body
  ).toString();

const digestOf = (body: Buffer | string): string => `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;

beforeAll(async () => {
  api = await startTestService();
  const connection = await connectDemoBank(api, { seed: 'compression', transactionsPerDay: 40 });
  await syncAndWait(api, connection, { from: '2026-03-01', to: '2026-03-21' });
  await automationDone(api);
});
afterAll(() => api.stop());

describe('accept-encoding', () => {
  it.each([
    ['br, gzip', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['GZIP;q=0.5, br;q=0.1', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', null],
    ['identity', null],
    ['deflate, zstd', null],
    ['br;q=nonsense', null],
    ['', null],
    [undefined, null],
  ])('%s asks for %s', (accepted, coding) => {
    expect(codingOf(accepted)).toBe(coding);
  });

  it.each([
    '/banks/transactions?limit=200',
    '/banks/transactions/export',
    '/banks/audit/history?limit=200',
    '/banks/analytics/queries/cash-flow/results?from=2026-03-01&to=2026-03-21&format=csv',
    '/openapi.json',
  ])('is respected by %s, whose content is the same', async (path) => {
    const plain = await raw(path);
    expect(plain.headers['content-encoding']).toBeUndefined();
    for (const coding of ['br', 'gzip']) {
      const coded = await raw(path, { 'accept-encoding': coding });
      expect([coded.status, coded.headers['content-encoding']]).toEqual([200, coding]);
      expect(coded.headers.vary).toContain('accept-encoding');
      const same = (text: string) => text.replaceAll(/"(requestId|generatedAt)":"[^"]*"/g, '');
      expect(same(decoded(coded))).toBe(same(decoded(plain)));
      expect(coded.body.length).toBeLessThan(plain.body.length / 2);
    }
  });

  it('leaves small answers and failures, tokens and streams of events as they are', async () => {
    const accepts = { 'accept-encoding': 'br, gzip' };
    for (const path of ['/version', '/banks/transactions?limit=1&q=nothing', '/banks/nothing']) {
      expect((await raw(path, accepts)).headers['content-encoding']).toBeUndefined();
    }
    const { accessToken } = await signIn(api);
    for (let nth = 0; nth < 12; nth += 1) {
      await api.call('POST', '/auth/companies', { name: `Company ${nth}` }, { authorization: `Bearer ${accessToken}` });
    }
    const companies = () =>
      raw('/auth/companies', { ...accepts, authorization: `Bearer ${accessToken}`, 'x-company-id': '' });
    const { headers } = await eventually(companies, ({ body }) => body.length > 1_400);
    expect(headers['content-encoding']).toBeUndefined();
    const events = await raw('/banks/changes', { ...accepts, accept: 'text/event-stream' }, true);
    expect([events.headers['content-type'], events.headers['content-encoding']]).toEqual([
      'text/event-stream',
      undefined,
    ]);
    expect(events.body.toString()).toContain('retry:');
  });

  it('leaves the digest of an export right: of what was sent, and of the text by a name of its own', async () => {
    const plain = await raw('/banks/transactions/export');
    expect(plain.trailers['repr-digest']).toBe(digestOf(plain.body));
    expect(plain.trailers['unencoded-digest']).toBeUndefined();
    for (const coding of ['br', 'gzip']) {
      const coded = await raw('/banks/transactions/export', { 'accept-encoding': coding });
      expect(coded.trailers['repr-digest']).toBe(digestOf(coded.body));
      expect(coded.trailers['unencoded-digest']).toBe(plain.trailers['repr-digest']);
      expect(coded.trailers['x-row-count']).toBe(plain.trailers['x-row-count']);
      expect(coded.headers.trailer).toBe('x-row-count, repr-digest, unencoded-digest');
      expect(decoded(coded)).toBe(plain.body.toString());
    }
  });

  it('does not keep a place of the tenant when a client leaves a compressed export', async () => {
    for (let nth = 0; nth < 30; nth += 1) {
      const left = await raw('/banks/transactions/export', { 'accept-encoding': 'gzip' }, true);
      expect([left.status, left.headers['content-encoding']]).toEqual([200, 'gzip']);
    }
    const whole = await eventually(
      () => raw('/banks/transactions/export', { 'accept-encoding': 'gzip' }),
      ({ status }) => status === 200,
    );
    expect(decoded(whole).split('\r\n').length).toBeGreaterThan(700);
  });
});

describe('etag', () => {
  it('of a single resource is answered with 304 until it changes', async () => {
    const made = await api.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'First' });
    const path = `/banks/accounts/${made.body.result.id}`;
    const position = { 'x-min-log-position': made.headers.get('x-log-position') ?? '' };
    const first = await raw(path, position);
    const etag = first.headers.etag ?? '';
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/);
    for (const asked of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const same = await raw(path, { 'if-none-match': asked });
      expect([asked, same.status, same.body.length, same.headers.etag]).toEqual([asked, 304, 0, etag]);
      expect(same.headers['content-type']).toBeUndefined();
      expect(same.headers['x-request-id']).toBeDefined();
    }
    expect((await raw(path, { 'if-none-match': '"other"' })).status).toBe(200);
    const changed = await api.call('PATCH', path, { title: 'Second' });
    const later = { 'x-min-log-position': changed.headers.get('x-log-position') ?? '', 'if-none-match': etag };
    const next = await raw(path, later);
    expect([next.status, next.headers.etag === etag]).toEqual([200, false]);
  });

  it('does not show a resource to who may not see it', async () => {
    const list = await api.call<{ items: { id: string }[] }>('GET', '/banks/transactions?limit=1');
    const path = `/banks/transactions/${list.body.result.items[0]?.id}`;
    const { headers } = await raw(path);
    const asked = { 'if-none-match': headers.etag ?? '' };
    expect((await raw(path, asked)).status).toBe(304);
    expect((await raw(path, { ...asked, 'x-api-secret': 'wrong' })).status).toBe(401);
    expect((await raw(path, { 'if-none-match': '*', 'x-api-secret': 'wrong' })).status).toBe(401);
    expect((await raw('/banks/transactions/unknown', { 'if-none-match': '*' })).status).toBe(404);
    const admin = { authorization: `Bearer ${(await signIn(api)).accessToken}` };
    const company = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Second' }, admin);
    await api.service.httpServices.waitFor(['companies'], company.headers.get('x-log-position') ?? '', 100_000);
    const other = { ...asked, 'x-company-id': company.body.result.id };
    expect((await raw(path, other)).status).toBe(404);
  });

  it('is on no list, since a list has pages', async () => {
    expect((await raw('/banks/transactions?limit=1')).headers.etag).toBeUndefined();
  });
});
