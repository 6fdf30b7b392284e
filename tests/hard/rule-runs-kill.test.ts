import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { openEmbeddedStores } from '../../src/readstore/embedded/two-files.ts';
import { seededRandom } from '../support/random.ts';
import { modelsUnlikeRebuild } from '../support/read-model-check.ts';
import { type ServiceChild, startServiceChild } from '../support/service-child.ts';

const KILLS = 25;
const SEED = 20_261_121;
const SHORTEST_MS = 20;
const LONGEST_MS = 260;

type Run = {
  id: string;
  status: string;
  candidateCount: number;
  processedCount: number;
  matchedCount: number;
  attachedCount: number;
  revokedCount: number;
};
type List<Item> = { items: Item[]; nextCursor: string | null };
type Match = { transactionId: string; outcome: string };
type Assignment = {
  transactionId: string;
  origin: string;
  ruleId: string | null;
  referenceKey: string;
  status: string;
};

const folder = mkdtempSync(join(tmpdir(), 'bank-runs-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const INCOMING = { field: 'incoming', operator: 'equals', value: true };
const LARGE = { field: 'amount', operator: 'at_least', value: 10_000 };
const all = (...children: object[]) => ({ combinator: 'all', children });
const reference = { source: 'erp', entityType: 'ledger', externalId: 'income' };
let ruleId: string;

async function items<Item>(child: ServiceChild, path: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query: string = `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor === '' ? '' : `&cursor=${cursor}`}`;
    const { result } = await child.call<List<Item>>('GET', query);
    found.push(...result.items);
    cursor = result.nextCursor;
  }
  return found;
}

/** Thousands of transactions that live automation is done with, a paused rule, and what people have done by hand. */
async function fill(dataDir: string): Promise<void> {
  const child = await startServiceChild({ DATA_DIR: dataDir });
  const opened = await child.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Runs' });
  const account = `/banks/accounts/${opened.result.id}`;
  await child.call('PUT', `${account}/credentials`, { seed: 'runs', transactionsPerDay: 300 });
  await child.call('POST', `${account}/setup`, undefined, { prefer: 'wait=20' });
  await child.call('POST', `${account}/sync`, { from: '2026-01-01', to: '2026-01-21' }, { prefer: 'wait=30' });
  for (;;) {
    const pending = await child.call<List<unknown>>('GET', '/banks/transactions?automationStatus=pending&limit=1');
    if (pending.result.items.length === 0) break;
    await wait(50);
  }
  const rule = {
    name: 'Income',
    status: 'paused',
    conditions: all(INCOMING),
    actions: [{ type: 'attach_reference', reference }],
  };
  ruleId = (await child.call<{ id: string }>('POST', '/banks/transaction-rules', rule)).result.id;
  for (const { id } of (await child.call<List<{ id: string }>>('GET', '/banks/transactions?limit=50')).result.items) {
    await child.call('POST', `/banks/transactions/${id}/assignments`, { reference });
  }
  expect(await child.kill('SIGTERM')).toBe(0);
}

/** What is done one after the other; each gives the run to wait for, found again when it was begun already. */
const steps: readonly ((child: ServiceChild, runs: readonly string[]) => Promise<string>)[] = [
  (child) => begin(child, `/banks/transaction-rules/${ruleId}/preview-runs`, {}, 'first-preview'),
  (child, [preview]) =>
    begin(child, `/banks/transaction-rules/${ruleId}/backfill-runs`, { previewRunId: preview }, 'first-backfill'),
  async (child) => {
    const change = { version: 1, conditions: all(INCOMING, LARGE) };
    await child.call('PATCH', `/banks/transaction-rules/${ruleId}`, change, { 'idempotency-key': 'the-edit' });
    return begin(child, `/banks/transaction-rules/${ruleId}/preview-runs`, {}, 'second-preview');
  },
  (child, [, , preview]) =>
    begin(child, `/banks/transaction-rules/${ruleId}/backfill-runs`, { previewRunId: preview }, 'second-backfill'),
  (child, [, , , backfill]) => begin(child, `/banks/rule-runs/${backfill}/revert`, {}, 'the-revert'),
];

async function begin(child: ServiceChild, path: string, body: object, key: string): Promise<string> {
  const begun = await child.call<{ id: string }>('POST', path, body, { 'idempotency-key': key });
  expect([key, begun.status]).toEqual([key, 201]);
  return begun.result.id;
}

async function ended(child: ServiceChild, id: string): Promise<boolean> {
  const { status, result } = await child.call<Run>('GET', `/banks/rule-runs/${id}`);
  return status === 200 && result.status === 'completed';
}

/** Everything that a reader can see at the end, except times and ids of new things. */
async function endState(child: ServiceChild, runs: readonly string[]) {
  const figures = await Promise.all(
    runs.map(async (id) => {
      const { result } = await child.call<Run>('GET', `/banks/rule-runs/${id}`);
      const { candidateCount, processedCount, matchedCount, attachedCount, revokedCount } = result;
      const matches = await items<Match>(child, `/banks/rule-runs/${id}/matches`);
      const outcomes = matches.map(({ transactionId, outcome }) => `${transactionId} ${outcome}`);
      return { candidateCount, processedCount, matchedCount, attachedCount, revokedCount, outcomes };
    }),
  );
  const assignments = await items<Assignment>(child, `/banks/assignments?referenceKey=erp:ledger:income`);
  const held = assignments
    .map(({ transactionId, origin, ruleId: by, status }) => `${transactionId} ${origin} ${by} ${status}`)
    .sort();
  return { figures, held };
}

async function undisturbed(dataDir: string) {
  const child = await startServiceChild({ DATA_DIR: dataDir });
  const runs: string[] = [];
  for (const step of steps) {
    const id = await step(child, runs);
    while (!(await ended(child, id))) await wait(20);
    runs.push(id);
  }
  await settled(child);
  const state = await endState(child, runs);
  expect(await child.kill('SIGTERM')).toBe(0);
  return state;
}

async function settled(child: ServiceChild): Promise<void> {
  for (;;) {
    const { result } = await child.call<{ parts?: { lagEvents?: number }[] }>('GET', '/health/ready');
    if (result?.parts?.every(({ lagEvents = 0 }) => lagEvents === 0)) return;
    await wait(20);
  }
}

describe('kill -9 at 25 seeded moments of previews, backfills and a revert', () => {
  beforeAll(() => fill(join(folder, 'filled')));

  it('ends as without any kill', async () => {
    cpSync(join(folder, 'filled'), join(folder, 'calm'), { recursive: true });
    cpSync(join(folder, 'filled'), join(folder, 'killed'), { recursive: true });
    const expected = await undisturbed(join(folder, 'calm'));
    expect(expected.figures[1]?.attachedCount).toBeGreaterThan(1_000);
    expect(expected.figures[3]?.revokedCount).toBeGreaterThan(500);

    const dataDir = join(folder, 'killed');
    const random = seededRandom(SEED);
    const runs: string[] = [];
    let at = 0;
    let kills = 0;
    while (at < steps.length) {
      const child = await startServiceChild({ DATA_DIR: dataDir });
      try {
        const id = await steps[at]?.(child, runs);
        if (id === undefined) break;
        // Of five runs each must be met several times: a run goes on only as far as the kills let it.
        const left = kills < KILLS && kills < ((at + 1) * KILLS) / steps.length;
        if (left) {
          await wait(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));
        } else {
          while (!(await ended(child, id))) await wait(20);
          runs.push(id);
          at += 1;
          if (at === steps.length) await settled(child);
          if (at === steps.length) expect(await endState(child, runs)).toEqual(expected);
        }
        if (left) kills += 1;
      } finally {
        await child.kill(at === steps.length ? 'SIGTERM' : 'SIGKILL');
      }
    }
    expect(kills).toBe(KILLS);

    const log = openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
    const readStore = openEmbeddedStores(dataDir);
    try {
      await log.verify();
      expect(await modelsUnlikeRebuild(log, readStore)).toEqual([]);
    } finally {
      await readStore.close();
      await log.close();
    }
  });
});
