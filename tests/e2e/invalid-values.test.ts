import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import { COMPANY, connectDemoBank, startTestService, type TestService } from '../support/test-service.ts';

let api: TestService;
let accountId = '';
let person: Record<string, string | undefined>;

beforeAll(async () => {
  api = await startTestService();
  accountId = await connectDemoBank(api);
  person = bearer((await signIn(api)).accessToken);
});
afterAll(() => api.stop());

describe('a schedule', () => {
  it.each(['@yearly', '@daily', '@reboot', '* * * *', '0 5 * * * *', '2026-12-01T00:00:00', '0 5 31 2 *', ''])(
    'with the cron line %j is refused, when created and when changed',
    async (cron) => {
      const created = await api.call('POST', '/banks/schedules', { accountId, cron });
      expect([created.status, created.body.code]).toEqual([400, 'VALIDATION_FAILED']);
      const schedule = await api.call<{ id: string }>('POST', '/banks/schedules', { accountId, everyMinutes: 60 });
      const changed = await api.call('PATCH', `/banks/schedules/${schedule.body.result.id}`, { cron });
      expect([changed.status, changed.body.code]).toEqual([400, 'VALIDATION_FAILED']);
    },
  );
});

describe('a time zone', () => {
  it.each(['+03:00', 'UTC+3', 'Mars/Olympus', '', ' Europe/Berlin', 'Europe/Berlin\u0000', '__proto__'])(
    'written %j is refused in every place that takes one',
    async (timezone) => {
      const query = new URLSearchParams({ from: '2026-01-01', to: '2026-02-01', timezone });
      const answers = [
        await api.call('POST', '/banks/schedules', { accountId, everyMinutes: 60, timezone }),
        await api.call('PATCH', '/auth/me', { timezone }, person),
        await api.call('GET', `/banks/analytics/queries/cash-flow/results?${query}`),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        answers.map(() => [400, 'VALIDATION_FAILED']),
      );
    },
  );
});

describe('credentials', () => {
  it('with a member __proto__ are refused, also below another one', async () => {
    for (const body of [
      '{"__proto__":{"seed":"a"}}',
      '{"seed":"a","script":{"__proto__":{}}}',
      '{"script":{"steps":[{"__proto__":1}]}}',
    ]) {
      const { status, body: answer } = await api.call('PUT', `/banks/accounts/${accountId}/credentials`, body);
      expect([body, status, answer.code]).toEqual([body, 400, expect.any(String)]);
    }
  });
});

describe('invalid UTF-8', () => {
  const send = async (path: string, bytes: Uint8Array) => {
    const response = await fetch(`${api.service.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-api-key': api.key,
        'x-api-secret': api.secret,
        'x-company-id': COMPANY,
      },
      body: new Uint8Array(bytes),
    });
    return [response.status, ((await response.json()) as { code: string }).code];
  };

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong form', [0xc0, 0xaf]],
    ['half a character', [0xe2, 0x82]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
  ])('in a body is refused: %s', async (_kind, bytes) => {
    const body = Buffer.concat([Buffer.from('{"bankCode":"demo","title":"'), Buffer.from(bytes), Buffer.from('"}')]);
    expect(await send('/banks/accounts', body)).toEqual([400, 'BODY_MALFORMED']);
  });

  it.each(['%80', '%C0%AF', '%E2%82', '%'])('in a query or a path is refused: %s', async (text) => {
    const { status: inQuery } = await api.call('GET', `/banks/transactions?q=${text}`);
    const { status: inPath } = await api.call('GET', `/banks/transactions/${text}`);
    expect([inQuery, inPath]).toEqual([400, expect.toSatisfy((status) => status === 400 || status === 404)]);
  });
});
