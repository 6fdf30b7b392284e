import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isKnown } from '../../src/events/registry.ts';
import { seededRandom } from '../support/random.ts';
import {
  automationDone,
  connectDemoBank,
  type Run,
  runEnded,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';
import { holds, type PlainGroup, type PlainTransaction } from './plain-evaluator.ts';

const LONGEST_RUN_MS = 600_000;
const TRANSACTIONS = Number(process.env.RULE_RUN_TRANSACTIONS ?? 10_000);
const RULES = 20;
const PER_DAY = 1_000;
const SEED = 815;

type Rule = { id: string; version: number };
type Match = { transactionId: string; outcome: string; attachedIds: string[] };

let api: TestService;
let rows: PlainTransaction[];
let connection: string;

beforeAll(async () => {
  api = await startTestService({ checkAnswers: false });
  connection = await connectDemoBank(api, { transactionsPerDay: PER_DAY });
  const first = Date.parse('2025-06-01T00:00:00Z');
  const days = TRANSACTIONS / PER_DAY;
  for (let day = 0; day < days; day += 10) {
    const at = (nth: number): string => new Date(first + nth * 86_400_000).toISOString().slice(0, 10);
    await syncAndWait(api, connection, { from: at(day), to: at(Math.min(day + 10, days)) });
  }
  await automationDone(api);
  rows = await all<PlainTransaction>('/banks/transactions?sort=transactionDate');
  expect(rows).toHaveLength(TRANSACTIONS);
}, 240_000);
afterAll(() => api.stop());

async function all<Item>(path: string): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor = ''; ; ) {
    const query = `${path}${path.includes('?') ? '&' : '?'}limit=200${cursor}`;
    const { items, nextCursor } = (await api.call<{ items: Item[]; nextCursor: string | null }>('GET', query)).body
      .result;
    found.push(...items);
    if (nextCursor === null) return found;
    cursor = `&cursor=${nextCursor}`;
  }
}

const random = seededRandom(SEED);
const below = (limit: number): number => Math.floor(random() * limit);
const pick = <Item>(from: readonly Item[]): Item => from[below(from.length)] as Item;

/** A condition about what some row says, so that it neither matches nothing nor everything. */
function randomCondition(): PlainGroup['children'][number] {
  const row = pick(rows);
  const text = (field: string): string => String(row[field] ?? 'x');
  const word = (field: string): string => pick(text(field).split(/\s+/u));
  const amount = Number(row.amount);
  return pick<() => PlainGroup['children'][number]>([
    () => ({ field: 'incoming', operator: 'equals', value: random() < 0.5 }),
    () => ({ field: 'code', operator: pick(['equals', 'not_equals']), value: text('code') }),
    () => ({ field: 'code', operator: pick(['in', 'not_in']), value: [text('code'), 'none', String(pick(rows).code)] }),
    () => ({ field: 'description', operator: pick(['contains', 'not_contains']), value: word('description') }),
    () => ({
      field: 'nameSurname',
      operator: pick(['starts_with', 'contains']),
      value: text('nameSurname').slice(0, 4),
    }),
    () => ({ field: 'nameSurname', operator: pick(['is_empty', 'is_not_empty']) }),
    () => ({ field: 'iban', operator: 'equals', value: text('iban') }),
    () => ({ field: 'idNo', operator: pick(['equals', 'not_equals']), value: text('idNo') }),
    () => ({ field: 'currency', operator: 'equals', value: text('currency') }),
    () => ({ field: 'amount', operator: 'between', value: [amount, Math.round(amount * 300) / 100] }),
    () => ({ field: 'amount', operator: pick(['at_least', 'less_than', 'greater_than', 'at_most']), value: amount }),
    () => ({ field: 'transactionDate', operator: pick(['before', 'after']), value: row.transactionDate }),
    () => ({ field: 'transactionDate', operator: 'day_of_month', value: [1 + below(28), 1 + below(28)] }),
  ])();
}

function randomConditions(depth = 0): PlainGroup {
  const children = Array.from({ length: 1 + below(2) }, () =>
    depth < 2 && random() < 0.4 ? randomConditions(depth + 1) : randomCondition(),
  );
  return { combinator: pick(['all', 'any', 'none']), children };
}

let made = 0;
async function makeRule(conditions: PlainGroup, status: 'active' | 'paused'): Promise<Rule> {
  made += 1;
  const reference = { source: 'hard', entityType: 'rule', externalId: String(made) };
  const draft = { name: `Hard ${made}`, status, conditions, actions: [{ type: 'attach_reference', reference }] };
  const answer = await api.call<Rule>('POST', '/banks/transaction-rules', draft);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.result;
}

async function started(path: string, body: object): Promise<string> {
  const answer = await api.call<Run>('POST', path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.result.id;
}
const preview = async ({ id }: Rule): Promise<Run> =>
  runEnded(api, await started(`/banks/transaction-rules/${id}/preview-runs`, {}), LONGEST_RUN_MS);
const startBackfill = ({ id }: Rule, previewRunId: string): Promise<string> =>
  started(`/banks/transaction-rules/${id}/backfill-runs`, { previewRunId });

describe(`on ${TRANSACTIONS} transactions with ${RULES} random rules`, () => {
  it('a preview finds what a plain reading of the conditions finds, and its backfill attaches just that', async () => {
    let busy = 0;
    for (let nth = 0; nth < RULES; nth += 1) {
      const conditions = randomConditions();
      const expected = rows.filter((row) => holds(row, conditions)).map(({ id }) => id);
      const rule = await makeRule(conditions, 'paused');
      const found = await preview(rule);
      expect([nth, conditions, found.status, found.candidateCount]).toEqual([
        nth,
        conditions,
        'completed',
        TRANSACTIONS,
      ]);
      expect([nth, conditions, found.matchedCount]).toEqual([nth, conditions, expected.length]);
      const run = await runEnded(api, await startBackfill(rule, found.id), LONGEST_RUN_MS);
      expect([nth, run.matchedCount, run.attachedCount]).toEqual([nth, found.matchedCount, expected.length]);
      if (expected.length > 0 && expected.length < TRANSACTIONS) busy += 1;
      if (nth % 5 !== 0) continue;
      const again = await preview(rule);
      const second = await runEnded(api, await startBackfill(rule, again.id), LONGEST_RUN_MS);
      expect([second.matchedCount, second.attachedCount]).toEqual([expected.length, 0]);
      const matches = await all<Match>(`/banks/rule-runs/${run.id}/matches?outcome=attached`);
      expect(matches.map(({ transactionId }) => transactionId).sort()).toEqual(expected.toSorted());
    }
    expect(busy).toBeGreaterThan(RULES / 2);
  });

  it('covers each transaction once while rows come in, rules change and people work', async () => {
    const conditions: PlainGroup = {
      combinator: 'all',
      children: [{ field: 'incoming', operator: 'equals', value: true }],
    };
    const rule = await makeRule(conditions, 'active');
    const snapshot = rows.length;
    const found = await preview(rule);
    const id = await startBackfill(rule, found.id);
    let version = rule.version;
    let injected = 0;
    const incoming = rows.filter(({ incoming: into }) => into === true);
    const working = (async () => {
      for (;;) {
        const run = (await api.call<Run>('GET', `/banks/rule-runs/${id}`)).body.result;
        if (['completed', 'dead', 'cancelled'].includes(run?.status)) return;
        injected += 1;
        const row = pick(incoming);
        await api.call('POST', `/banks/transactions/${row.id}/assignments`, {
          reference: { source: 'hand', entityType: 'note', externalId: String(injected) },
        });
        const path = `/banks/transactions/${pick(incoming).id}/assignments`;
        const { items } = (
          await api.call<{ items: { id: string; status: string; ruleId: string | null }[] }>('GET', path)
        ).body.result;
        const mine = items.find((one) => one.status === 'active' && one.ruleId === rule.id);
        if (mine !== undefined) await api.call('POST', `${path}/${mine.id}/revoke`, { reason: 'by a person' });
        const change = injected % 2 === 0 ? 'resume' : 'pause';
        const changed = await api.call<Rule>('PATCH', `/banks/transaction-rules/${rule.id}/${change}`, { version });
        if (changed.status === 200) ({ version } = changed.body.result);
      }
    })();
    const day = (nth: number): string =>
      new Date(Date.parse('2026-01-01T00:00:00Z') + nth * 86_400_000).toISOString().slice(0, 10);
    await syncAndWait(api, connection, { from: day(0), to: day(2) });
    await working;
    const run = await runEnded(api, id, LONGEST_RUN_MS);
    await automationDone(api);
    expect(injected).toBeGreaterThan(0);
    expect(run).toMatchObject({ status: 'completed', candidateCount: snapshot });
    await everyoneCoveredOnce(rule.id, new Set(rows.map((row) => row.id)));
  });
});

/**
 * Reads the log: what a rule attached to a transaction was attached by one of the two and once, and never again after a
 * person took it away.
 */
async function everyoneCoveredOnce(ruleId: string, candidates: ReadonlySet<string>): Promise<void> {
  const attachedBy = new Map<string, string[]>();
  const takenAway = new Set<string>();
  const { log } = api.service;
  for (let after = ''; ; ) {
    const batch = await log.readAll({ after, limit: 1_000, categories: ['bankTransaction'] });
    for (const event of batch.events.filter(isKnown)) {
      if (event.type === 'TransactionAssignmentAttached' && event.data.ruleId === ruleId) {
        expect(takenAway.has(event.stream)).toBe(false);
        attachedBy.set(event.stream, [
          ...(attachedBy.get(event.stream) ?? []),
          event.data.runId === null ? 'live' : 'run',
        ]);
      }
      if (event.type === 'TransactionAssignmentRevoked' && event.data.ruleId === ruleId) takenAway.add(event.stream);
    }
    if (batch.caughtUp) break;
    after = batch.position;
    await wait(0);
  }
  expect(takenAway.size).toBeGreaterThan(0);
  expect([...attachedBy.values()].filter((by) => by.length !== 1)).toEqual([]);
  const byRun = [...attachedBy].filter(([, [by]]) => by === 'run').map(([stream]) => stream.split('_')[1] ?? '');
  expect(byRun.every((id) => candidates.has(id))).toBe(true);
  const live = [...attachedBy].filter(([, [by]]) => by === 'live').map(([stream]) => stream.split('_')[1] ?? '');
  expect(live.some((id) => candidates.has(id))).toBe(false);
}
