import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { analyticsQueries } from '../../src/analytics/catalogue.ts';
import { COMMON_PARAMETERS } from '../../src/analytics/query.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import type { Append, EventLog } from '../../src/log/log.ts';
import { ACCOUNTS, analyticsHistory } from '../support/analytics-history.ts';
import { type NaiveId, type NaiveQuestion, naiveAnalytics } from '../support/naive-analytics.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import { type Answer, COMPANY, eventually, startTestService, type TestService } from '../support/test-service.ts';

/** 100000 for the full size. */
const ROWS = Number(process.env.ANALYTICS_ROWS ?? 1_000);
const MANY_MS = 15 * 60_000;

type Row = Record<string, string | number | null>;
type Result = {
  parameters: Record<string, unknown>;
  rows: Row[];
  totals: Row[];
  columns: { name: string }[];
  logPosition: string;
  generatedAt: string;
};

let api: TestService;
let otherCompany: string;
let appends: Append[];
const half = (): number => Math.floor(appends.length / 2);

beforeAll(async () => {
  api = await startTestService();
  const admin = bearer((await signIn(api)).accessToken);
  const made = await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Two' }, admin);
  otherCompany = made.body.result.id;
  const companyOf = (name: string): string => (name === 'company-one' ? COMPANY : otherCompany);
  appends = analyticsHistory({ seed: 7, rows: ROWS, tenantId: api.tenantId, companyOf, legacy: true });
  // The log is never one tenant's alone.
  await plant(api.service.log, analyticsHistory({ seed: 8, rows: 30, tenantId: randomUUID(), legacy: true }));
  await plant(api.service.log, appends.slice(0, half()));
  await visible();
  // A connection that stood idle all the while may be cut off by now.
  await api.call('GET', '/health/live').catch(() => {});
}, MANY_MS);
afterAll(() => api.stop());

async function plant(log: EventLog, all: readonly Append[]): Promise<void> {
  let batch: Append[] = [];
  const flush = async (): Promise<void> => {
    if (batch.length > 0) await log.appendMany(batch);
    batch = [];
  };
  for (const append of all) {
    if (batch.length === 500 || batch.some(({ stream }) => stream === append.stream)) await flush();
    batch.push(append);
  }
  await flush();
}

async function visible(): Promise<void> {
  const { httpServices: services, log } = api.service;
  const names = [...new Set(analyticsQueries.flatMap(({ reads }) => reads.map(({ name }) => name))), 'log-moments'];
  expect(await services.waitFor(names, await log.head(), MANY_MS)).toBe(true);
}

async function wholeLog(): Promise<RecordedEvent[]> {
  const events: RecordedEvent[] = [];
  for (let after = ''; ; ) {
    const batch = await api.service.log.readAll({ after, limit: 10_000 });
    events.push(...batch.events);
    after = batch.position;
    if (batch.caughtUp) return events;
  }
}

function ours(events: readonly RecordedEvent[]): RecordedEvent[] {
  return events.filter(({ metadata }) => metadata.tenantId === api.tenantId);
}

function pathOf(id: string, asked: Record<string, unknown>): string {
  const given = Object.entries(asked).filter(([, value]) => value !== undefined);
  return `/banks/analytics/queries/${id}/results?${new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))}`;
}

const everyCompany = { 'x-company-id': undefined };

async function ask(id: string, asked: Record<string, unknown>, headers: Record<string, string | undefined> = {}) {
  const answer = await eventually(
    () => api.call<Result>('GET', pathOf(id, asked), undefined, { ...everyCompany, ...headers }),
    // As a client does: while rows come in, a slow store may be too far behind for a moment.
    ({ body }) => body.code !== 'READ_MODEL_BEHIND',
    60_000,
  );
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(answer.headers.get('x-log-position')).toBe(answer.body.result.logPosition);
  return answer.body.result;
}

function takenBy(id: string, asked: Record<string, unknown>): Record<string, unknown> {
  const takes = new Set<string>(analyticsQueries.find((one) => one.id === id)?.takes);
  return Object.fromEntries(Object.entries(asked).filter(([name]) => takes.has(name)));
}

/** From the events of our tenant alone. */
function naively(events: readonly RecordedEvent[], position: string, id: string, asked: Record<string, unknown>) {
  const upTo = ours(events).filter((event) => event.position <= position);
  const whole = { from: '', to: '', interval: 'day', timezone: 'UTC', ...takenBy(id, asked) } as NaiveQuestion;
  return { rows: naiveAnalytics(upTo)[id as NaiveId](whole), totals: naiveAnalytics(upTo)['cash-flow-totals'](whole) };
}

// Balances of a life with gaps are held against their own rules in tests/analytics.
const ids = analyticsQueries.map(({ id }) => id).filter((id) => id !== 'balance-history');
const RANGE = { from: '2026-02-20', to: '2026-04-22' };

describe('analytics over HTTP', () => {
  it('answers exactly for the position it names, also during a sync', { timeout: MANY_MS }, async () => {
    const rest = plant(api.service.log, appends.slice(half()));
    const answers: { id: string; asked: Record<string, unknown>; result: Result }[] = [];
    for (const timezone of ['Europe/Berlin', 'UTC', 'Australia/Lord_Howe']) {
      for (const id of ids) {
        const asked = { ...RANGE, timezone, interval: 'week' };
        answers.push({ id, asked, result: await ask(id, takenBy(id, asked)) });
      }
    }
    await rest;
    const events = await wholeLog();
    for (const { id, asked, result } of answers) {
      expect(result.rows, id).toEqual(naively(events, result.logPosition, id, asked).rows);
    }
    expect(answers.some(({ result }) => result.logPosition !== events.at(-1)?.position)).toBe(true);
  });

  it('gives every figure in every currency and time zone', { timeout: MANY_MS }, async () => {
    await visible();
    const events = await wholeLog();
    for (const timezone of ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/New_York']) {
      for (const id of ids) {
        const groupBy = timezone === 'UTC' ? 'subAccount' : undefined;
        const asked = {
          ...RANGE,
          timezone,
          interval: 'day',
          groupBy,
          limit: id === 'top-counterparties' ? 5 : undefined,
        };
        const result = await ask(id, takenBy(id, asked));
        const naive = naively(events, result.logPosition, id, asked);
        expect(result.rows.length, id).toBeGreaterThan(0);
        expect(result.rows, id).toEqual(naive.rows);
        if (id === 'cash-flow') expect(result.totals).toEqual(naive.totals);
      }
    }
    const { rows } = await ask('cash-flow', { ...RANGE, interval: 'month' });
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(['EUR', 'JPY', 'TRY', 'USD']));
  });

  it('answers as it was known then', { timeout: MANY_MS }, async () => {
    await visible();
    const events = await wholeLog();
    const own = ours(events);
    for (const share of [0.3, 0.7]) {
      const moment = own[Math.floor(own.length * share)]?.recordedAt ?? '';
      const position = events.findLast(({ recordedAt }) => recordedAt <= moment)?.position ?? '';
      for (const id of ids) {
        const asked = { ...RANGE, timezone: 'Europe/Berlin', interval: 'month' };
        const result = await ask(id, { ...takenBy(id, asked), asOf: moment });
        expect(result.logPosition).toBe(position);
        expect(result.rows, id).toEqual(naively(events, position, id, asked).rows);
      }
    }
  });

  it('is narrowed to a company, and to accounts and banks', async () => {
    const companies = async (headers: Record<string, string>, more = {}): Promise<unknown[]> => {
      const { rows } = await ask('cash-flow', { ...RANGE, interval: 'month', groupBy: 'company', ...more }, headers);
      return [...new Set(rows.map(({ companyId, currency }) => `${companyId} ${currency}`))].sort();
    };
    expect(await companies({ 'x-company-id': COMPANY })).toEqual([`${COMPANY} EUR`, `${COMPANY} TRY`]);
    expect(await companies({ 'x-company-id': otherCompany })).toEqual([`${otherCompany} JPY`, `${otherCompany} USD`]);
    expect(await companies({}, { accountIds: ACCOUNTS[0].accountId })).toEqual([`${COMPANY} EUR`, `${COMPANY} TRY`]);
    expect(await companies({}, { bankCodes: 'other,none', currency: 'USD' })).toEqual([`${otherCompany} USD`]);
    const balances = await ask('balance-history', { ...RANGE, interval: 'month' }, { 'x-company-id': otherCompany });
    expect(new Set(balances.rows.map(({ subAccountKey }) => subAccountKey))).toEqual(new Set(['usd', 'jpy']));
  });

  it('streams the same rows as CSV, the same bytes for the same position', async () => {
    const { rows, logPosition } = await ask('cash-flow', { ...RANGE, timezone: 'Europe/Berlin' });
    const csv = async (): Promise<{ text: string; headers: Headers }> => {
      const path = pathOf('cash-flow', { ...RANGE, timezone: 'Europe/Berlin', format: 'csv' });
      const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret };
      const response = await fetch(`${api.service.url}${path}`, { headers });
      expect(response.status).toBe(200);
      return { text: await response.text(), headers: response.headers };
    };
    const first = await csv();
    expect(first.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(first.headers.get('x-log-position')).toBe(logPosition);
    expect((await csv()).text).toBe(first.text);
    const [header, ...lines] = first.text.split('\r\n').slice(0, -1);
    expect(header).toBe('period,currency,inflow,outflow,net,count');
    const cells = rows.map(({ period, currency, ...figures }) => [period, currency, ...Object.values(figures)]);
    const read = lines.map((line) => line.split(',').map((cell, place) => (place < 2 ? cell : Number(cell))));
    expect(read).toEqual(cells);
  });

  it('shows the catalogue, and takes of each question only what it lists', async () => {
    type Query = { id: string; parameters: { properties: object }; columns: { name: string }[]; chart: string };
    const { items } = (await api.call<{ items: Query[] }>('GET', '/banks/analytics/queries')).body.result;
    expect(items.map(({ id }) => id)).toEqual(analyticsQueries.map(({ id }) => id));
    for (const { id, parameters, columns } of items) {
      const one = await api.call<Query>('GET', `/banks/analytics/queries/${id}`);
      expect(one.body.result).toMatchObject({ id, parameters, columns });
      const result = await ask(id, {});
      expect(result.columns).toEqual(columns);
      const others = ['from', 'interval', 'groupBy', 'limit', 'accountIds'].filter(
        (name) => !Object.hasOwn(parameters.properties, name),
      );
      expect(parameters.properties).toHaveProperty('format');
      const [other] = others;
      if (other === undefined) continue;
      const value = { from: '2026-01-01', interval: 'day', groupBy: 'account', limit: '1', accountIds: 'x' }[other];
      const refused = await api.call('GET', pathOf(id, { [other]: value }));
      expect([refused.status, refused.body.code], id).toEqual([400, 'QUERY_PARAMETER_UNKNOWN']);
      expect(refused.body.meta?.reasons).toEqual({ [other]: expect.stringMatching(/^[A-Z].*\.$/) });
    }
  });

  it('takes of each question every common parameter, or says why it does not', () => {
    for (const { id, takes, lacks } of analyticsQueries) {
      const missing = COMMON_PARAMETERS.filter((name) => !takes.includes(name));
      expect(Object.keys(lacks).sort(), id).toEqual(missing.toSorted());
    }
  });

  it('adds references up over all time unless an interval is given', async () => {
    const whole = await ask('reference-totals', {});
    expect(whole.columns.map(({ name }) => name)).toEqual([
      'referenceKey',
      'label',
      'currency',
      'inflow',
      'outflow',
      'count',
    ]);
    expect(whole.parameters.interval).toBeNull();
    const parts = await ask('reference-totals', { interval: 'month', groupBy: 'account' });
    expect(parts.columns.map(({ name }) => name).slice(0, 3)).toEqual(['period', 'accountId', 'referenceKey']);
  });

  it.each([
    ['another time zone than the services has', { timezone: 'Mars/Olympus' }, 400, 'VALIDATION_FAILED'],
    ['an offset, which is no time zone', { timezone: '+03:07' }, 400, 'VALIDATION_FAILED'],
    ['a day that is none', { from: '2026-02-30' }, 400, 'VALIDATION_FAILED'],
    ['days that end before they begin', { from: '2026-03-02', to: '2026-03-01' }, 400, 'DATE_RANGE_INVALID'],
    ['more than ten years', { from: '2006-03-02', to: '2026-03-01' }, 400, 'DATE_RANGE_INVALID'],
    ['a moment to come', { asOf: '9999-01-01' }, 400, 'DATE_RANGE_INVALID'],
    ['an unknown parameter', { since: '2026-01-01' }, 400, 'QUERY_PARAMETER_UNKNOWN'],
  ])('refuses %s', async (_, asked, status, code) => {
    const refused: Answer = await api.call('GET', pathOf('cash-flow', asked));
    expect([refused.status, refused.body.code]).toEqual([status, code]);
  });

  it('needs the right to read analytics', async () => {
    const admin = bearer((await signIn(api)).accessToken);
    const body = { name: 'Rules alone', scopes: ['rules:read'] };
    const made = await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', body, admin);
    const { key, secret } = made.body.result;
    const refused = await api.call('GET', pathOf('cash-flow', {}), undefined, {
      'x-api-key': key,
      'x-api-secret': secret,
    });
    expect([refused.status, refused.body.code]).toEqual([403, 'PERMISSION_DENIED']);
  });
});
