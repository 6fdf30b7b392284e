import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pauseRule } from '../../src/commands/change-rule.ts';
import { retryAutomation } from '../../src/commands/change-transaction.ts';
import { createRule } from '../../src/commands/create-rule.ts';
import { LOG_START } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { ruleVersions } from '../../src/projections/rules.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import { openRuleBook, type RuleBook } from '../../src/queries/rule-book.ts';
import { dueTransactions, runAutomation } from '../../src/reactors/run-automation.ts';
import { leaseNames } from '../../src/readstore/lease-names.ts';
import type { Leases, ReadStore } from '../../src/readstore/read-store.ts';
import { documentId } from '../../src/shared/ids.ts';
import { AT, REFERENCE, recorded } from '../support/facts.ts';
import { contextOn, type SetClock, type SmallWorld, setClock, smallWorld } from '../support/small-reactor-services.ts';

let clock: SetClock;
let small: SmallWorld;
beforeEach(async () => {
  clock = setClock(AT);
  small = await smallWorld(clock);
});
afterEach(() => small.stop());

const context = () => contextOn(small.services.log, clock);
const visible = async (): Promise<void> => {
  const head = await small.services.log.head();
  expect(await small.runner.waitFor([transactions.name, ruleVersions.name], head, 100_000)).toBe(true);
};

async function arrive(id: string, incoming = true): Promise<void> {
  const { actor, tenantId, companyId, correlationId } = context();
  const metadata = { schemaVersion: 1, tenantId, companyId, actor, correlationId, causationId: null };
  const fetchedAt = new Date(clock.now()).toISOString();
  const event = { id: small.services.newId(), ...recorded({ transactionId: id, fetchedAt, incoming }), metadata };
  await small.services.log.append({
    stream: streamName('bankTransaction', 'tenant', id),
    expected: 'no-stream',
    events: [event],
  });
  await visible();
}

/** The rule matches what is incoming, and attaches so many references. */
async function newRule(externalId: string, effectiveFrom: string | null = null, references = 1): Promise<string> {
  const outcome = await createRule(
    context(),
    {
      name: externalId,
      description: null,
      conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
      actions: Array.from({ length: references }, (_, index) => ({
        type: 'attach_reference' as const,
        reference: { ...REFERENCE, externalId: index === 0 ? externalId : `${externalId} ${index}` },
      })),
      tags: [],
      effectiveFrom,
    },
    'active',
  );
  const first = outcome.accepted ? (outcome.events[0]?.data as { ruleId: string }) : { ruleId: '' };
  return first.ruleId;
}

async function turn(ruleBook: RuleBook = openRuleBook(small.services.readModels)): Promise<boolean> {
  const worked = await runAutomation(small.services, dueTransactions(small.services), ruleBook, small.runner.waitFor);
  await visible();
  return worked;
}

async function stood(id: string): Promise<TransactionDocument> {
  const document = await small.services.readModels.of(transactions).get(documentId('tenant', id));
  if (document === undefined) throw new Error('no such transaction');
  return document;
}

function withLeases(leases: Leases): ReadStore {
  return new Proxy(small.services.readStore, {
    get: (store, name) => (name === 'leases' ? leases : Reflect.get(store, name, store)),
  });
}

const broken: RuleBook = {
  open: async () => ({
    inForce: () => {
      throw new Error('planted');
    },
  }),
};

describe('live automation', () => {
  it('uses the rules in force where the transaction was recorded, however late it runs', async () => {
    const before = await newRule('BEFORE');
    await newRule('NOT YET', '2026-02-01T00:00:00.000Z');
    await arrive('t');
    await newRule('AFTER');
    await pauseRule(context(), before, 1);
    await visible();
    expect(await turn()).toBe(true);
    expect(await stood('t')).toMatchObject({
      automation: { status: 'completed' },
      referenceKeys: ['erp:invoice:BEFORE'],
    });
    expect(await turn()).toBe(false);
    await arrive('u');
    await turn();
    expect((await stood('u')).referenceKeys).toEqual(['erp:invoice:AFTER']);
  });

  it('retries a failure after a growing pause, is dead after the 8th, and can be retried manually', async () => {
    await arrive('t');
    const pauses: number[] = [];
    for (let attempt = 1; attempt < 8; attempt += 1) {
      expect(await turn(broken)).toBe(true);
      const { automation } = await stood('t');
      expect(automation).toMatchObject({ status: 'retry', attempts: attempt, lastError: 'EVALUATION_FAILED: Error' });
      expect(await turn(broken)).toBe(false);
      const waitMs = Date.parse(automation.nextAttemptAt ?? '') - clock.now();
      pauses.push(waitMs);
      clock.pass(waitMs);
    }
    await turn(broken);
    expect((await stood('t')).automation).toMatchObject({ status: 'dead', attempts: 8, nextAttemptAt: null });
    expect(pauses).toEqual([30, 60, 120, 240, 480, 960, 1920].map((seconds) => seconds * 750));
    clock.pass(86_400_000);
    expect(await turn()).toBe(false);
    await retryAutomation(context(), 't');
    await visible();
    await turn();
    expect((await stood('t')).automation).toMatchObject({ status: 'completed', attempts: 1, lastError: null });
  });

  it('records a failure where rules attach more than one append takes, and evaluates everything else', async () => {
    for (let rule = 0; rule < 300; rule += 1) await newRule(`MANY ${rule}`, null, 5);
    await arrive('incoming');
    await arrive('outgoing', false);
    expect(await turn()).toBe(true);
    expect((await stood('outgoing')).automation).toMatchObject({ status: 'completed' });
    const lastError = expect.stringMatching(/^EVALUATION_TOO_LARGE: 1500 assignments/);
    expect(await stood('incoming')).toMatchObject({ automation: { status: 'retry', lastError }, referenceKeys: [] });
    expect(await turn()).toBe(false);
  });

  it('does not process what another worker holds, until its lease has expired', async () => {
    await arrive('t');
    const { leases } = small.services.readStore;
    await leases.acquireMany([leaseNames.automation('tenant')], 'worker-two', 30_000, clock.now());
    expect(await turn()).toBe(false);
    expect((await stood('t')).automation.status).toBe('pending');
    clock.pass(30_001);
    expect(await turn()).toBe(true);
    expect((await stood('t')).automation.status).toBe('completed');
  });

  it('takes one lease for all of a tenant, and gives it back', async () => {
    for (const id of ['t', 'u', 'v']) await arrive(id);
    const { leases } = small.services.readStore;
    const taken: (readonly string[])[] = [];
    const acquireMany: typeof leases.acquireMany = (names, ...of) => {
      taken.push(names);
      return leases.acquireMany(names, ...of);
    };
    const services = { ...small.services, readStore: withLeases({ ...leases, acquireMany }) };
    const due = dueTransactions(services);
    expect(await runAutomation(services, due, openRuleBook(services.readModels), small.runner.waitFor)).toBe(true);
    expect(taken).toEqual([[leaseNames.automation('tenant')]]);
    expect(await leases.getMany([leaseNames.automation('tenant')])).toEqual(new Map());
  });

  it('appends nothing once its lease has run out and another worker has held it, and does once it holds it again', async () => {
    await arrive('t');
    const { leases } = small.services.readStore;
    const name = leaseNames.automation('tenant');
    const rules = openRuleBook(small.services.readModels);
    const slow = (meanwhile: () => Promise<unknown>): RuleBook => ({
      open: async (...of) => {
        clock.pass(30_001);
        await meanwhile();
        return rules.open(...of);
      },
    });
    const takenOver = async () => {
      await leases.acquireMany([name], 'worker-two', 30_000, clock.now());
      await leases.releaseMany([name], 'worker-two');
    };
    expect(await turn(slow(takenOver))).toBe(false);
    expect((await stood('t')).automation.status).toBe('pending');
    expect(await turn(slow(async () => {}))).toBe(true);
    expect((await stood('t')).automation.status).toBe('completed');
  });

  it('writes the evaluation and its assignments as one, once', async () => {
    await newRule('ONE');
    await newRule('TWO');
    await arrive('t');
    await Promise.all([turn(), turn()]);
    const { events } = await small.services.log.readAll({ after: LOG_START, limit: 100 });
    const types = events.filter((event) => event.stream.startsWith('bankTransaction')).map((event) => event.type);
    expect(types).toEqual([
      'TransactionRecorded',
      'TransactionAutomationEvaluated',
      'TransactionAssignmentAttached',
      'TransactionAssignmentAttached',
    ]);
  });
});
