import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';
import { COMPANY, KEY, SECRET } from '../support/test-service.ts';
import type { MeasureAsked, Measured } from './request-memory-child.ts';

const CHILD = fileURLToPath(new URL('./request-memory-child.ts', import.meta.url));
/** A fraction of what `npm start` gives, so that a request that gathers a history ends the process. */
const HEAP = ['--expose-gc', '--max-semi-space-size=4', '--max-old-space-size=160'];
const ROWS = 36_000;
const PER_DAY = 3_000;
/** One request comes to its end; many at once hold what they hold long before. */
const [ONE_LASTS_MS, ALL_LAST_MS] = [200_000, 6_000];
/** What a request may hold. */
const MOST_MB = 32;
/** So many costly requests of a tenant are carried out at once, and what waits holds nothing. */
const PLACES = 2;

const folder = mkdtempSync(join(tmpdir(), 'bank-memory-'));
let child: ServiceChild;
/** A position before the backfill changed every row. */
let before: string;

beforeAll(async () => {
  child = await startServiceChild({ DATA_DIR: folder, LOG_LEVEL: 'info' });
  before = await fill();
  await child.kill('SIGTERM');
  child = await startServiceChild({ DATA_DIR: folder }, { main: CHILD, options: HEAP });
  await caughtUp();
});
afterAll(async () => {
  await child.kill();
  rmSync(folder, { recursive: true, force: true });
});

async function until(reached: () => Promise<boolean>): Promise<void> {
  while (!(await reached())) await pause(50);
}

/** Rows that a backfill has attached a reference to. @returns the position before it */
async function fill(): Promise<string> {
  const opened = await child.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Memory' });
  const path = `/banks/accounts/${opened.result.id}`;
  await child.call('PUT', `${path}/credentials`, { seed: 'memory', transactionsPerDay: PER_DAY });
  await child.call('POST', `${path}/setup`, undefined, { prefer: 'wait=20' });
  await child.call('POST', `${path}/sync`, { from: '2026-01-01', to: day(ROWS / PER_DAY) });
  type Syncs = { items: { status: string }[] };
  await until(async () => (await child.call<Syncs>('GET', `${path}/syncs`)).result.items[0]?.status === 'completed');
  const pending = '/banks/transactions?automationStatus=pending&limit=1';
  await until(async () => (await child.call<{ items: unknown[] }>('GET', pending)).result.items.length === 0);
  const reference = { source: 'hard', entityType: 'memory', externalId: 'every row' };
  const rule = await child.call<{ id: string }>('POST', '/banks/transaction-rules', {
    name: 'Every row',
    status: 'paused',
    conditions: { combinator: 'any', children: [true, false].map(incoming) },
    actions: [{ type: 'attach_reference', reference }],
  });
  const rulePath = `/banks/transaction-rules/${rule.result.id}`;
  const preview = await ended(`${rulePath}/preview-runs`, {});
  const moment = new Date().toISOString();
  await pause(10);
  const run = await ended(`${rulePath}/backfill-runs`, { previewRunId: preview.id });
  expect(run.attachedCount).toBe(ROWS);
  return moment;
}

function incoming(value: boolean): object {
  return { field: 'incoming', operator: 'equals', value };
}

function day(nth: number): string {
  return new Date(Date.parse('2026-01-01') + nth * 86_400_000).toISOString().slice(0, 10);
}

type Run = { id: string; status: string; attachedCount: number };
async function ended(path: string, body: object): Promise<Run> {
  const { result } = await child.call<Run>('POST', path, body);
  let run = result;
  await until(async () => {
    const shown = await child.call<Run | undefined>('GET', `/banks/rule-runs/${result.id}`);
    run = shown.result ?? run;
    return shown.status === 200 && run.status === 'completed';
  });
  return run;
}

async function caughtUp(): Promise<void> {
  await until(async () => (await fetch(`${child.url}/health/ready`)).ok);
}

const ATTEMPTS = 3;

/**
 * By how many MB memory grows during the work, the least of some attempts where the first ones grow it too much: what a
 * request holds it holds each time, while sealing and other work in the background only add to it.
 */
async function leastGrown(work: () => Promise<void>, mostMb: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < ATTEMPTS && least >= mostMb; attempt += 1) {
    await ask('begin');
    await work();
    least = Math.min(least, (await ask('end')).grownMb);
  }
  return least;
}

async function ask(message: MeasureAsked): Promise<Measured> {
  return child.ask(message) as Promise<Measured>;
}

/**
 * Reads the answer to its end without keeping it, or as far as it comes in time.
 * @returns its status; 0 where the time was over before
 */
async function read(withinMs: number, path: string, body?: object): Promise<number> {
  const signal = AbortSignal.timeout(withinMs);
  try {
    const response = await fetch(`${child.url}${path.replace('{before}', before)}`, {
      signal,
      headers: {
        'x-api-key': KEY,
        'x-api-secret': SECRET,
        'x-company-id': COMPANY,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    for await (const _ of response.body ?? []);
    return response.status;
  } catch (error) {
    if (signal.aborted) return 0;
    throw error;
  }
}

const DRAFT = {
  conditions: { combinator: 'all', children: [{ field: 'description', operator: 'contains', value: 'a' }] },
};

type Load = [what: string, times: number, path: string, body?: object];
const LOADS: Load[] = [
  ['lists as of a moment', 6, '/banks/transactions?limit=200&asOf={before}'],
  ['lists of what was unassigned', 6, '/banks/transactions?limit=200&assigned=false&asOf={before}'],
  ['lists of what was assigned', 6, '/banks/transactions?limit=200&assigned=true&sort=amount&asOf={before}'],
  ['lists of assignments', 6, '/banks/assignments?limit=200&asOf={before}'],
  ['integrity checks', 20, '/banks/audit/integrity'],
  ['exports', 6, '/banks/transactions/export'],
  ['exports as of a moment', 6, '/banks/transactions/export?asOf={before}'],
  ['exports of the history', 4, '/banks/audit/history/export'],
  ['searches without an index', 20, '/banks/transactions?limit=200&code=nothing&currency=XXX&sort=amount'],
  ['searches for words', 20, '/banks/transactions?limit=200&q=kira'],
  ['evaluations of a draft', 20, '/banks/transaction-rules/evaluate', DRAFT],
  ['analytics', 20, '/banks/analytics/queries/top-counterparties/results?from=2026-01-01&to=2026-01-31'],
  ['analytics as of a moment', 6, '/banks/analytics/queries/cash-flow/results?asOf={before}'],
];

describe(`over ${ROWS} rows that a backfill has changed`, () => {
  it.each(LOADS)('%s, %i at once, hold what they may', async (_what, times, path, body) => {
    // What the first request of its kind brings, such as compiled code, stays.
    await read(ALL_LAST_MS, path, body);
    const one = await leastGrown(async () => {
      expect(await read(ONE_LASTS_MS, path, body)).toBe(200);
    }, MOST_MB);
    expect(one).toBeLessThan(MOST_MB);
    const all = await leastGrown(async () => {
      const statuses = await Promise.all(Array.from({ length: times }, () => read(ALL_LAST_MS, path, body)));
      expect(statuses.filter((status) => ![0, 200].includes(status))).toEqual([]);
    }, MOST_MB * PLACES);
    expect(all).toBeLessThan(MOST_MB * PLACES);
  });
});
