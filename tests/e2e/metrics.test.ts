import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectDemoBank, startTestService, syncAndWait, type TestService } from '../support/test-service.ts';

const TOKEN = 'a-token-for-the-scraper-of-metrics';

let api: TestService;
beforeAll(async () => {
  api = await startTestService({ environment: { METRICS_TOKEN: TOKEN } });
});
afterAll(() => api.stop());

const scrape = (headers: Record<string, string> = { authorization: `Bearer ${TOKEN}` }): Promise<Response> =>
  fetch(`${api.service.url}/metrics`, { headers });

/** The value of the series, NaN for one that is not there. */
function valueIn(text: string, series: string): number {
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 'none');
}

describe('/metrics', () => {
  it('counts requests by operation and status, appends, events and parts, and names no tenant', async () => {
    const { body } = await api.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Counted' });
    await api.call('GET', `/banks/accounts/${body.result.id}x`);
    await api.call('GET', '/nothing');
    const answer = await scrape();
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(answer.headers.get('content-type')).toContain('text/plain; version=0.0.4');
    const text = await answer.text();
    const requests = (operation: string, status: string): number =>
      valueIn(text, `bank_http_request_duration_seconds_count{operation="${operation}",status="${status}"}`);
    expect([requests('openConnection', '2xx'), requests('getConnection', '4xx'), requests('none', '4xx')]).toEqual([
      1, 1, 1,
    ]);
    expect(valueIn(text, 'bank_log_events_total{type="ConnectionOpened"}')).toBe(1);
    expect(valueIn(text, 'bank_log_append_duration_seconds_count')).toBeGreaterThan(1);
    expect(valueIn(text, 'bank_part_ok{part="event store"}')).toBe(1);
    expect(valueIn(text, 'bank_part_ok{part="projection connections"}')).toBe(1);
    expect(valueIn(text, 'bank_projection_lag_events{part="projection connections"}')).toBeGreaterThanOrEqual(0);
    expect(valueIn(text, 'nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
    expect(valueIn(text, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    for (const secret of [api.tenantId, body.result.id, api.key, TOKEN]) expect(text).not.toContain(secret);
  });

  it('counts what background work appends as well', async () => {
    const { counts } = await syncAndWait(api, await connectDemoBank(api));
    const text = await (await scrape()).text();
    expect(valueIn(text, 'bank_log_events_total{type="SyncCompleted"}')).toBe(1);
    expect(valueIn(text, 'bank_log_events_total{type="TransactionRecorded"}')).toBe(counts.inserted);
  });

  it('requires its token', async () => {
    const codes = await Promise.all(
      [{}, { authorization: 'Bearer wrong' }, { 'x-api-key': api.key, 'x-api-secret': api.secret }].map(
        async (headers) => {
          const answer = await scrape(headers as Record<string, string>);
          return [answer.status, ((await answer.json()) as { code: string }).code];
        },
      ),
    );
    expect(codes).toEqual([
      [401, 'AUTHENTICATION_REQUIRED'],
      [401, 'AUTHENTICATION_INVALID'],
      [401, 'AUTHENTICATION_REQUIRED'],
    ]);
  });

  it('does not exist without a token', async () => {
    const plain = await startTestService();
    const answer = await fetch(`${plain.service.url}/metrics`);
    expect([answer.status, ((await answer.json()) as { code: string }).code]).toEqual([404, 'ROUTE_NOT_FOUND']);
    await plain.stop();
  });
});
