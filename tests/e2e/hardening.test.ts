import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createApp } from '../../src/http/core/app.ts';
import { failureSchema } from '../../src/http/core/envelope.ts';
import { loggedPath } from '../../src/http/core/handle-exchange.ts';
import { parseJson } from '../../src/http/core/json.ts';
import { startHttpServer } from '../../src/http/core/server.ts';
import { createLogger } from '../../src/logger.ts';
import { type RawAnswer, sent } from '../support/raw-request.ts';
import { COMPANY, SECRET, startTestService, type TestService } from '../support/test-service.ts';

let api: TestService;
const noise: unknown[][] = [];
beforeAll(async () => {
  for (const method of ['error', 'info', 'log', 'warn'] as const) {
    vi.spyOn(console, method).mockImplementation((...words) => void noise.push(words));
  }
  api = await startTestService();
});
afterAll(async () => {
  await api.stop();
  vi.restoreAllMocks();
});

const raw = (text: string): Promise<RawAnswer> => sent(api.service.url, text);
const get = (target: string, method = 'GET', headers = ''): Promise<RawAnswer> =>
  raw(`${method} ${target} HTTP/1.1\r\nhost: localhost\r\n${headers}connection: close\r\n\r\n`);
const signed = (): string => `x-api-key: ${api.key}\r\nx-api-secret: ${SECRET}\r\nx-company-id: ${COMPANY}\r\n`;

describe('a request that is not quite HTTP', () => {
  const cases: readonly (readonly [name: string, text: string, status: number, code: string])[] = [
    ['no request line', 'hello\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['no host', 'GET /version HTTP/1.1\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['a host that is none', 'GET /version HTTP/1.1\r\nhost: a b/c\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['a header with a line feed', 'GET / HTTP/1.1\r\nhost: x\r\nx: a\nb\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    [
      'two lengths',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\na',
      400,
      'REQUEST_MALFORMED',
    ],
    [
      'a length and chunks',
      'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
      'REQUEST_MALFORMED',
    ],
    ['a method nobody knows', 'BREW / HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['a target that is no path', 'GET version HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['a backslash', 'GET /a\\b HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['an absolute URL that is none', 'GET http://[/ HTTP/1.1\r\nhost: x\r\n\r\n', 400, 'REQUEST_MALFORMED'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nhost: x\r\n\r\n', 405, 'METHOD_NOT_ALLOWED'],
    ['headers over 16 KiB', `GET / HTTP/1.1\r\nhost: x\r\nx: ${'x'.repeat(17_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  ];
  it.each(cases)('%s gets the closed envelope', async (_, text, status, code) => {
    const answer = await raw(text);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    const { meta } = failureSchema.parse(answer.body);
    expect(answer.headers.get('x-request-id')).toBe(meta?.requestId);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toContain('application/json');
  });

  it('leaves nothing on the console', () => {
    expect(noise).toEqual([]);
  });
});

describe('an unusual request', () => {
  it.each([
    ['OPTIONS', '/banks/accounts', 405, 'METHOD_NOT_ALLOWED'],
    ['OPTIONS', '*', 400, 'REQUEST_MALFORMED'],
    ['TRACE', '/banks/accounts', 405, 'METHOD_NOT_ALLOWED'],
    ['GET', '//banks/accounts', 404, 'ROUTE_NOT_FOUND'],
    ['GET', '/banks/%2e%2e/%2e%2e/etc/passwd', 404, 'ROUTE_NOT_FOUND'],
    ['GET', '/banks/../../etc/passwd', 404, 'ROUTE_NOT_FOUND'],
    ['GET', '/banks/accounts/%00', 404, 'CONNECTION_NOT_FOUND'],
    ['GET', '/banks/accounts/%zz', 404, 'CONNECTION_NOT_FOUND'],
    ['GET', '/banks/accounts/%c3%28', 404, 'CONNECTION_NOT_FOUND'],
    ['GET', '/banks/accounts/a%2fb', 404, 'CONNECTION_NOT_FOUND'],
    ['GET', '/banks/accounts?limit=%zz', 400, 'VALIDATION_FAILED'],
    ['GET', '/banks/accounts?%00=1', 400, 'QUERY_PARAMETER_UNKNOWN'],
    ['GET', '/banks/accounts?__proto__=1', 400, 'QUERY_PARAMETER_UNKNOWN'],
    ['GET', '/banks/accounts?constructor=1', 400, 'QUERY_PARAMETER_UNKNOWN'],
  ])('%s %s answers %i %s', async (method, target, status, code) => {
    const { status: got, body } = await get(target, method, signed());
    expect([got, body.code]).toEqual([status, code]);
    failureSchema.parse(body);
  });

  it('HEAD answers as GET without a body', async () => {
    const answer = await fetch(`${api.service.url}/version`, { method: 'HEAD' });
    expect([answer.status, await answer.text()]).toEqual([200, '']);
  });

  it('an absolute URL and HTTP/1.0 without a host are taken', async () => {
    expect((await get('http://elsewhere.example/version')).status).toBe(200);
    expect((await raw('GET /version HTTP/1.0\r\n\r\n')).status).toBe(200);
  });

  it.each(['100-continue', 'miracles'])('Expect: %s is answered in the end', async (expectation) => {
    const body = '{"bankCode":"demo","title":"Expected"}';
    const headers = `${signed()}content-type: application/json\r\ncontent-length: ${body.length}\r\nexpect: ${expectation}\r\n`;
    const { status } = await raw(
      `POST /banks/accounts HTTP/1.1\r\nhost: x\r\n${headers}connection: close\r\n\r\n${body}`,
    );
    expect(status).toBe(201);
  });

  it('an incomplete body is not an internal error', async () => {
    const before = api.logLines.length;
    const { hostname, port } = new URL(api.service.url);
    const socket = connect(Number(port), hostname);
    socket.write(
      `POST /banks/accounts HTTP/1.1\r\nhost: x\r\n${signed()}content-type: application/json\r\ncontent-length: 99\r\n\r\n{"bank`,
    );
    await wait(100);
    socket.destroy();
    await wait(100);
    const lines = api.logLines.slice(before).map((line) => JSON.parse(line));
    expect(lines.filter((line) => line.msg === 'request failed')).toEqual([]);
  });

  it('a body that arrives too slowly is answered and the connection closed', async () => {
    const { httpServices: services } = api.service;
    const limits = { headersMs: 100, requestMs: 100, checkMs: 20 };
    const server = await startHttpServer({
      fetch: createApp(services).fetch,
      host: '127.0.0.1',
      port: 0,
      services,
      limits,
    });
    const text = `POST /banks/accounts HTTP/1.1\r\nhost: x\r\n${signed()}content-type: application/json\r\ncontent-length: 99\r\n\r\n{"bank`;
    const answer = await sent(`http://127.0.0.1:${server.port}`, text);
    expect([answer.status, answer.body.code]).toEqual([408, 'REQUEST_TIMEOUT']);
    await server.close();
  });

  it('no answer names the server, and none may be kept, except that of a page until it is asked for again', async () => {
    for (const path of ['/version', '/nothing', '/openapi.json', '/docs']) {
      const { headers } = await fetch(`${api.service.url}${path}`);
      expect([headers.get('server'), headers.get('x-powered-by')]).toEqual([null, null]);
      expect([path, headers.get('cache-control')]).toEqual([path, path === '/docs' ? 'no-cache' : 'no-store']);
    }
  });

  it('all of it left nothing on the console', () => {
    expect(noise).toEqual([]);
  });
});

describe('a JSON body', () => {
  const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

  it.each([
    ['65 levels', deep(65)],
    ['100,000 levels', deep(100_000)],
    ['a name twice', '{"bankCode":"demo","title":"a","title":"b"}'],
    ['a name twice, once escaped', '{"bankCode":"demo","title":"a","\\u0074itle":"b"}'],
    ['half a surrogate pair', '{"bankCode":"demo","title":"a\\ud800"}'],
    ['half a surrogate pair in a name', '{"bankCode":"demo","title":"a","\\uDC00":1}'],
    ['a name twice inside', '{"bankCode":"demo","title":[{"a":1,"b":{"a":1},"a":2}]}'],
  ])('with %s is malformed', async (_, text) => {
    const { status, body } = await api.call('POST', '/banks/accounts', text);
    expect([status, body.code]).toEqual([400, 'BODY_MALFORMED']);
  });

  it.each(['__proto__', 'constructor', 'prototype', 'toString'])('with %s has an unknown property', async (name) => {
    const text = `{"bankCode":"demo","title":"x","${name}":{"polluted":true}}`;
    const { status, body } = await api.call('POST', '/banks/accounts', text);
    expect([status, body.code]).toEqual([400, 'VALIDATION_FAILED']);
    expect(JSON.stringify(body.meta)).toContain(name);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('of any other kind is what JSON.parse makes of it', () => {
    expect(parseJson(deep(64))).toEqual(JSON.parse(deep(64)));
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(parseJson(text)).toEqual(JSON.parse(text));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ab1 ') }), (text) => {
        const outcome = (parse: (text: string) => unknown): unknown => {
          try {
            return parse(text);
          } catch {
            return SyntaxError;
          }
        };
        const [ours, theirs] = [outcome(parseJson), outcome(JSON.parse)];
        if (theirs === SyntaxError) expect(ours).toBe(SyntaxError);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the log', () => {
  it('holds no secret that was planted in a body, header, query or path', async () => {
    const planted = 'bcs_planted-secret-0123456789';
    const before = api.logLines.length;
    await api.call('POST', `/banks/accounts?token=${planted}`, { bankCode: 'demo', title: planted, secret: planted });
    await api.call('GET', `/banks/accounts/${planted}`, undefined, {
      authorization: `Bearer ${planted}`,
      'user-agent': planted,
    });
    await api.call('GET', '/banks/accounts', undefined, { 'x-api-secret': planted });
    await get(`/banks/accounts/user:${planted}@host`, 'GET', signed());
    const lines = api.logLines.slice(before);
    expect(lines.length).toBeGreaterThanOrEqual(4);
    expect(lines.join('')).not.toContain('planted-secret');
  });

  it('keeps ids in paths, and no other text from outside', () => {
    expect(loggedPath('/banks/accounts/0198f2c4-1111-7abc-8def-0123456789ab/sync')).toBe(
      '/banks/accounts/0198f2c4-1111-7abc-8def-0123456789ab/sync',
    );
    expect(loggedPath(`/banks/accounts/${'x'.repeat(65)}`)).toBe('/banks/accounts/[removed]');
    expect(loggedPath('/eyJhbGciOiJIUzI1NiJ9.e30.sig')).toBe('/[removed]');
  });

  it('masks passwords wherever an error carries them', () => {
    const lines: string[] = [];
    const logger = createLogger('info', { write: (line: string) => void lines.push(line) });
    const url = 'mongodb://service:planted-password@db1:27017/banks';
    const error = Object.assign(new Error(`cannot reach ${url}`, { cause: new Error(url) }), {
      url,
      options: { deep: { url } },
    });
    logger.error(
      { err: error, secret: 'planted-secret', call: { apiSecret: 'planted-secret', token: 'planted-token' } },
      url,
    );
    logger.info({ header: 'Bearer planted-token', note: 'bcs_planted-secret_abc bcr_planted.planted' }, 'x');
    expect(lines.join('')).not.toContain('planted');
    expect(lines.map((line) => JSON.parse(line).level)).toEqual(['error', 'info']);
    expect(lines[0]).toContain('db1:27017');
  });
});
