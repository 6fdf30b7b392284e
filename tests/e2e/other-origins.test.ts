import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, KEY, SECRET, startTestService, type TestService } from '../support/test-service.ts';

const LISTED = 'https://app.example.com';
const OTHER = 'https://other.example.com';

let api: TestService;
let closed: TestService;

beforeAll(async () => {
  api = await startTestService({ environment: { CORS_ORIGINS: `${LISTED}, http://localhost:5173` } });
  closed = await startTestService();
});
afterAll(async () => {
  await api.stop();
  await closed.stop();
});

const list = (service: TestService, origin: string): Promise<Answer> =>
  service.call('GET', '/banks/transactions', undefined, { origin });

async function preflight(service: TestService, path: string, origin: string): Promise<Response> {
  const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key' };
  return fetch(`${service.service.url}${path}`, { method: 'OPTIONS', headers });
}

const corsHeaders = (headers: Headers): string[] =>
  [...headers.keys()].filter((name) => name.startsWith('access-control-')).sort();

describe('pages of other origins', () => {
  it('may call where their origin is listed, without cookies', async () => {
    for (const origin of [LISTED, 'http://localhost:5173']) {
      const asked = await preflight(api, '/banks/accounts', origin);
      expect(asked.status).toBe(200);
      expect(asked.headers.get('access-control-allow-origin')).toBe(origin);
      expect(asked.headers.get('access-control-allow-headers')).toContain('x-api-key');
      expect(asked.headers.get('access-control-allow-credentials')).toBeNull();
      const answer = await list(api, origin);
      expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, origin]);
      expect(answer.headers.get('access-control-expose-headers')).toContain('x-log-position');
      expect(answer.headers.get('vary')).toContain('origin');
    }
  });

  it('may read why they were refused', async () => {
    const answer = await api.call('GET', '/banks/nothing', undefined, { origin: LISTED });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([404, LISTED]);
  });

  it('get nothing to read where it is not, nor where the start of it is', async () => {
    for (const origin of [OTHER, 'https://app.example.com.evil.example', 'http://app.example.com', 'null']) {
      expect(corsHeaders((await preflight(api, '/banks/accounts', origin)).headers), origin).toEqual([]);
      const answer = await list(api, origin);
      expect(corsHeaders(answer.headers), origin).toEqual([]);
      expect(answer.headers.get('vary')).toContain('origin');
    }
  });

  it('are none unless some are listed', async () => {
    for (const origin of [LISTED, OTHER]) {
      expect((await preflight(closed, '/banks/accounts', origin)).status).toBe(405);
      const answer = await list(closed, origin);
      expect(corsHeaders(answer.headers)).toEqual([]);
      expect(answer.headers.get('vary')).not.toContain('origin');
    }
  });

  it('never open the session of the console, listed or not', async () => {
    for (const origin of [LISTED, OTHER]) {
      const answer = await api.call('POST', '/auth/session/refresh', undefined, { origin });
      expect([answer.status, answer.body.code]).toEqual([403, 'ORIGIN_REFUSED']);
    }
  });

  it('send keys like any other client', async () => {
    const headers = { origin: LISTED, 'x-api-key': KEY, 'x-api-secret': `${SECRET}x` };
    expect((await api.call('GET', '/banks/transactions', undefined, headers)).status).toBe(401);
  });
});
