import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignmentsThen, type ListThen, rulesThen, transactionsThen } from '../../src/audit/lists-then.ts';
import { type BoundsAsOf, pageAsOf, pagesAsOf } from '../../src/audit/page-as-of.ts';
import { changeRule, pauseRule, resumeRule } from '../../src/commands/change-rule.ts';
import { attachAssignment, recordEvaluation, revokeAssignment } from '../../src/commands/change-transaction.ts';
import { type CommandContext, metadataFor } from '../../src/commands/command.ts';
import { coverTransactions } from '../../src/commands/cover-transactions.ts';
import { createRule } from '../../src/commands/create-rule.ts';
import { fold } from '../../src/commands/stream-state.ts';
import { bankTransaction, type MatchedRule } from '../../src/deciders/bank-transaction.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import type { EventLog } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { type AssignmentDocument, assignments } from '../../src/projections/assignments.ts';
import type { Projection } from '../../src/projections/projection.ts';
import { type RuleDocument, rules } from '../../src/projections/rules.ts';
import { transactionDays } from '../../src/projections/transaction-days.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import { openReader, type Reader } from '../../src/queries/reader.ts';
import { keysetOf } from '../../src/readstore/ordering.ts';
import type { Document, Filter, Sort } from '../../src/readstore/read-store.ts';
import { referenceFind } from '../readstore/reference-finds.ts';
import { HASH, REFERENCE, recordedData } from '../support/facts.ts';
import { foldOne } from '../support/recorded-events.ts';
import { ruleDraft } from '../support/rule-draft.ts';
import { contextOn, setClock, smallWorld } from '../support/small-reactor-services.ts';

const POSITIONS = 50;
/** The usual ones, and some that are met at once. */
const BOUNDS: readonly BoundsAsOf[] = [
  { byPosition: 1_000, changedAtOnce: 100, folded: 1_000 },
  { byPosition: 1, changedAtOnce: 2, folded: 1_000 },
  { byPosition: 1_000, changedAtOnce: 1, folded: 1 },
  { byPosition: 1, changedAtOnce: 1, folded: 2 },
];
const reference = (externalId: string) => ({ ...REFERENCE, externalId });
const idOf = (nth: number): string => `t-${nth}`;

type Step = { readonly does: (typeof DOES)[number]; readonly nth: number; readonly what: string };
const DOES = [
  'record',
  'evaluate',
  'attach',
  'revoke',
  'cover',
  'makeRule',
  'editRule',
  'pauseRule',
  'resumeRule',
] as const;

const step: fc.Arbitrary<Step> = fc.record({
  does: fc.constantFrom(...DOES, 'record' as const, 'attach' as const),
  nth: fc.nat(11),
  what: fc.constantFrom('x', 'y', 'z'),
});

/** Does one thing in whatever state things are; what the domain refuses is no step. */
async function carryOut(context: CommandContext, { does, nth, what }: Step, made: string[]): Promise<void> {
  const { log } = context;
  const rule: MatchedRule = {
    ruleId: `rule-${what}`,
    ruleVersion: 1,
    snapshotHash: HASH,
    tags: [what],
    actions: [{ id: 'action', reference: reference(what) }],
  };
  const stream = streamName('bankTransaction', 'tenant', idOf(nth));
  const ruleId = made[nth % Math.max(1, made.length)] ?? '';
  switch (does) {
    case 'record': {
      const transactionDate = `2026-01-0${(nth % 4) + 1}T12:00:00.000Z`;
      const data = recordedData({
        transactionId: idOf(nth),
        amount: String(nth),
        providerStamp: idOf(nth),
        transactionDate,
      });
      const metadata = metadataFor(context, 'TransactionRecorded', 'company');
      const events = [{ id: context.newId(), type: 'TransactionRecorded', data, metadata }];
      await log.append({ stream, expected: 'no-stream', events });
      return;
    }
    case 'evaluate':
      await recordEvaluation(context, idOf(nth), { rulesInForce: 1, rulesDigest: HASH, matched: [rule] });
      return;
    case 'attach':
      await attachAssignment(context, idOf(nth), { reference: reference(what), tags: [what] });
      return;
    case 'revoke': {
      const state = fold(bankTransaction, await log.readStream(stream));
      const assignmentId = state.assignments[0]?.id ?? 'none';
      await revokeAssignment(context, idOf(nth), { assignmentId, reason: null });
      return;
    }
    case 'cover': {
      const events = await log.readStream(stream);
      if (events.length === 0) return;
      const candidate = { transactionId: idOf(nth), revision: events.length - 1, state: fold(bankTransaction, events) };
      await coverTransactions(context, { runId: context.newId(), rule }, [
        { ...candidate, matched: what !== 'z', due: null },
      ]);
      return;
    }
    case 'makeRule': {
      const actions = [{ type: 'attach_reference', reference: reference(what) }] as const;
      const draft = ruleDraft({ name: what, actions, tags: [what] });
      const outcome = await createRule(context, draft, 'active');
      const [created] = outcome.accepted ? outcome.appended : [];
      if (created !== undefined) made.push((created.data as { ruleId: string }).ruleId);
      return;
    }
    default: {
      if (ruleId === '') return;
      const { length: version } = await log.readStream(streamName('transactionRule', 'tenant', ruleId));
      if (does === 'editRule') await changeRule(context, ruleId, version, { tags: [what, String(nth)] });
      else await (does === 'pauseRule' ? pauseRule : resumeRule)(context, ruleId, version);
    }
  }
}

type Question = { readonly filter: Filter; readonly sort: Sort };
type List<D extends Document & { tenantId: string }> = {
  readonly list: ListThen<D>;
  readonly questions: readonly Question[];
};

const lists: readonly List<never>[] = [
  {
    list: transactionsThen,
    questions: [
      { filter: [], sort: [{ field: 'amountKey', direction: 'desc' }] },
      {
        filter: [{ field: 'referenceKeys', op: 'has', value: 'erp:invoice:x' }],
        sort: [{ field: 'transactionDate', direction: 'asc' }],
      },
      {
        filter: [{ field: 'automation.status', op: 'eq', value: 'pending' }],
        sort: [{ field: 'amountKey', direction: 'asc' }],
      },
      {
        filter: [{ field: 'assigned', op: 'eq', value: false }],
        sort: [{ field: 'transactionDate', direction: 'desc' }],
      },
      { filter: [], sort: [{ field: 'transactionDate', direction: 'desc' }] },
      {
        filter: [{ field: 'transactionDate', op: 'gte', value: '2026-01-02' }],
        sort: [{ field: 'transactionDate', direction: 'asc' }],
      },
    ],
  } satisfies List<TransactionDocument>,
  {
    list: assignmentsThen,
    questions: [
      { filter: [{ field: 'status', op: 'eq', value: 'active' }], sort: [{ field: 'createdAt', direction: 'desc' }] },
      { filter: [{ field: 'tags', op: 'has', value: 'y' }], sort: [{ field: 'createdAt', direction: 'desc' }] },
    ],
  } satisfies List<AssignmentDocument>,
  {
    list: rulesThen,
    questions: [
      { filter: [{ field: 'status', op: 'eq', value: 'paused' }], sort: [{ field: 'createdAt', direction: 'asc' }] },
      { filter: [{ field: 'tags', op: 'has', value: 'x' }], sort: [{ field: 'createdAt', direction: 'asc' }] },
    ],
  } satisfies List<RuleDocument>,
] as unknown as readonly List<never>[];

async function everyEvent(log: EventLog): Promise<RecordedEvent[]> {
  return [...(await log.readAll({ after: '', limit: 100_000 })).events];
}

describe('a list as of a position', () => {
  it('equals a plain fold of the events up to the position, page by page, whatever happened since', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 90 }), fc.integer(), async (steps, seed) => {
        const clock = setClock('2026-02-01T00:00:00.000Z');
        const { services, runner, stop } = await smallWorld(clock, [transactions, transactionDays, assignments, rules]);
        try {
          const context = contextOn(services.log, clock);
          const made: string[] = [];
          for (const one of steps) {
            clock.pass(1_000);
            await carryOut(context, one, made);
          }
          const events = await everyEvent(services.log);
          await runner.waitFor(
            ['transactions', 'transaction-days', 'assignments', 'rules'],
            await services.log.head(),
            10_000,
          );
          const reader = openReader(services.readModels, 'tenant', null);
          for (let nth = 0; nth < Math.min(POSITIONS, events.length); nth += 1) {
            const at = Math.abs((seed + nth * 7_919) % events.length);
            const position = events[at]?.position ?? '';
            const until = events.slice(0, at + 1);
            for (const { list, questions } of lists) {
              const stood = foldOne((list as { projection: Projection<Document> }).projection, until);
              for (const question of questions) {
                const expected = referenceFind(stood.values(), { ...question, limit: 1_000 });
                const found: Document[] = [];
                const bounds = BOUNDS[nth % BOUNDS.length];
                for (let after: (string | number)[] | null | undefined; after !== null; ) {
                  const asked = { list, ...question, limit: 2, after, position, bounds };
                  const page = await pageAsOf(services.log, reader, asked as never);
                  found.push(...(page.items as Document[]));
                  after = page.after;
                }
                expect(found).toEqual(expected);
                expect(found.map(keysetOf(question.sort))).toEqual(expected.map(keysetOf(question.sort)));
                const walk = { list, ...question, pageSize: 2, position, bounds };
                const walked: Document[] = [];
                for await (const page of pagesAsOf(services.log, reader, walk as never)) walked.push(...page);
                expect(walked).toEqual(expected);
              }
            }
          }
        } finally {
          await stop();
        }
      }),
      { numRuns: 40 },
    );
  });
});

describe('a walk through a list as of a position', () => {
  it.each(['asc', 'desc'] as const)(
    'looks for each run of days once, however small its pages are (%s)',
    async (direction) => {
      const clock = setClock('2026-02-01T00:00:00.000Z');
      const { services, runner, stop } = await smallWorld(clock, [transactions, transactionDays]);
      try {
        const context = contextOn(services.log, clock);
        const record = (nth: number) => carryOut(context, { does: 'record', nth, what: 'x' }, []);
        // Four days, the third of which has rows only since; 20 rows each.
        for (let nth = 0; nth < 80; nth += 1) if (nth % 4 !== 2) await record(nth);
        const position = await services.log.head();
        for (let nth = 2; nth < 80; nth += 4) await record(nth);
        await runner.waitFor(['transactions', 'transaction-days'], await services.log.head(), 10_000);
        const reader = openReader(services.readModels, 'tenant', null);
        let looked = 0;
        const watched: Reader = {
          ...reader,
          page: (projection, options) => {
            if (projection.name === transactionDays.name) looked += 1;
            return reader.page(projection, options);
          },
        };
        const walk = { list: transactionsThen, filter: [], sort: [{ field: 'transactionDate', direction }] } as const;
        let [pages, rows] = [0, 0];
        for await (const page of pagesAsOf(services.log, watched, { ...walk, position, pageSize: 3 })) {
          pages += 1;
          rows += page.length;
        }
        expect(rows).toBe(60);
        expect(pages).toBeGreaterThanOrEqual(20);
        // Two runs, and once more at the page that begins in the first and ends in the second.
        expect(looked).toBeLessThanOrEqual(4);
      } finally {
        await stop();
      }
    },
  );
});

describe('a walk that has looked into a later run of days', () => {
  it('still holds the rest of the run before', async () => {
    const clock = setClock('2026-02-01T00:00:00.000Z');
    const { services, runner, stop } = await smallWorld(clock, [transactions, transactionDays]);
    try {
      const context = contextOn(services.log, clock);
      const record = (nth: number) => carryOut(context, { does: 'record', nth, what: 'x' }, []);
      for (const nth of [0, 12, 4, 2, 6, 22, 26]) await record(nth);
      const position = await services.log.head();
      // The day between, and the first rows of the first day.
      await record(1);
      for (const nth of [0, 12]) await carryOut(context, { does: 'attach', nth, what: 'x' }, []);
      await runner.waitFor(['transactions', 'transaction-days'], await services.log.head(), 10_000);
      const reader = openReader(services.readModels, 'tenant', null);
      const walk = {
        list: transactionsThen,
        filter: [{ field: 'assigned', op: 'eq', value: false }],
        sort: [{ field: 'transactionDate', direction: 'asc' }],
        position,
        pageSize: 2,
      } as const;
      const found: string[] = [];
      for await (const page of pagesAsOf(services.log, reader, walk)) found.push(...page.map(({ id }) => id));
      expect(found).toEqual(['t-0', 't-12', 't-4', 't-2', 't-22', 't-26', 't-6']);
    } finally {
      await stop();
    }
  });
});

describe('what a list as of a position looks at', () => {
  const QUESTIONS = [
    { filter: [], sort: [{ field: 'transactionDate', direction: 'desc' }] },
    {
      filter: [{ field: 'assigned', op: 'eq', value: false }],
      sort: [{ field: 'transactionDate', direction: 'desc' }],
    },
  ] as const satisfies readonly Question[];

  async function recordRows(context: CommandContext, from: number, to: number): Promise<void> {
    for (let nth = from; nth < to; nth += 1) await carryOut(context, { does: 'record', nth, what: 'x' }, []);
  }

  it.each(QUESTIONS)(
    'is streams of the page only, and of nobody else, however much came since (%j)',
    async (question) => {
      const clock = setClock('2026-02-01T00:00:00.000Z');
      const { services, runner, stop } = await smallWorld(clock, [transactions, transactionDays]);
      try {
        const mine = contextOn(services.log, clock);
        const other = { ...mine, tenantId: 'another' };
        await recordRows(mine, 0, 30);
        const position = await services.log.head();
        await recordRows(mine, 30, 400);
        for (let nth = 0; nth < 30; nth += 3) await carryOut(mine, { does: 'attach', nth, what: 'x' }, []);
        await recordRows(other, 400, 500);
        await runner.waitFor(['transactions', 'transaction-days'], await services.log.head(), 100_000);
        const read: string[] = [];
        const watched: EventLog = {
          ...services.log,
          readStreamPositions: (stream, options) => {
            read.push(stream);
            return services.log.readStreamPositions(stream, options);
          },
          readAll: () => Promise.reject(new Error('the whole log was asked for')),
        };
        const reader = openReader(services.readModels, 'tenant', null);
        const page = await pageAsOf(watched, reader, { list: transactionsThen, ...question, limit: 10, position });
        expect(page.items).toHaveLength(10);
        expect(page.items.every(({ assigned }) => !assigned)).toBe(true);
        expect(read.length).toBeLessThanOrEqual(10);
        expect(read.filter((stream) => !stream.startsWith('bankTransaction-tenant_'))).toEqual([]);
      } finally {
        await stop();
      }
    },
  );

  it('is bounded where little matches: the page ends early, with a cursor', async () => {
    const clock = setClock('2026-02-01T00:00:00.000Z');
    const { services, runner, stop } = await smallWorld(clock, [transactions, transactionDays]);
    try {
      const context = contextOn(services.log, clock);
      await recordRows(context, 0, 30);
      await carryOut(context, { does: 'attach', nth: 29, what: 'z' }, []);
      const position = await services.log.head();
      for (let nth = 0; nth < 30; nth += 1) await carryOut(context, { does: 'attach', nth, what: 'x' }, []);
      await runner.waitFor(['transactions', 'transaction-days'], await services.log.head(), 100_000);
      let read = 0;
      const watched: EventLog = {
        ...services.log,
        readStreamPositions: (stream, options) => {
          read += 1;
          return services.log.readStreamPositions(stream, options);
        },
      };
      const question = {
        list: transactionsThen,
        filter: [{ field: 'tags', op: 'has', value: 'z' }],
        sort: [{ field: 'amountKey', direction: 'asc' }],
        limit: 5,
        position,
        bounds: { byPosition: 1_000, changedAtOnce: 4, folded: 8 },
      } as const;
      const reader = openReader(services.readModels, 'tenant', null);
      const found: string[] = [];
      let pages = 0;
      for (let after: (string | number)[] | null | undefined; after !== null; pages += 1) {
        read = 0;
        const page = await pageAsOf(watched, reader, { ...question, ...(after && { after }) });
        expect(read).toBeLessThanOrEqual(8);
        found.push(...page.items.map(({ id }) => id));
        after = page.after;
      }
      expect(found).toEqual(['t-29']);
      expect(pages).toBeGreaterThan(3);
    } finally {
      await stop();
    }
  });

  it('is all that matched then, though rows change while it is looked at', async () => {
    const clock = setClock('2026-02-01T00:00:00.000Z');
    const { services, runner, stop } = await smallWorld(clock, [transactions, transactionDays]);
    try {
      const context = contextOn(services.log, clock);
      await recordRows(context, 0, 40);
      const position = await services.log.head();
      await runner.waitFor(['transactions', 'transaction-days'], position, 100_000);
      const reader = openReader(services.readModels, 'tenant', null);
      let next = 0;
      // Before each look at the read model two more rows change.
      const moving = {
        ...reader,
        page: async (...asked: Parameters<typeof reader.page>) => {
          for (const nth of [next, 39 - next]) await carryOut(context, { does: 'attach', nth, what: 'x' }, []);
          next = (next + 1) % 20;
          await runner.waitFor(['transactions', 'transaction-days'], await services.log.head(), 100_000);
          return reader.page(...asked);
        },
      } as typeof reader;
      const found: string[] = [];
      const bounds = { byPosition: 3, changedAtOnce: 2, folded: 1_000 };
      for (let after: (string | number)[] | null | undefined; after !== null; ) {
        const asked = { list: transactionsThen, ...QUESTIONS[1], limit: 7, position, bounds, ...(after && { after }) };
        const page = await pageAsOf(services.log, moving, asked);
        found.push(...page.items.map(({ id }) => id));
        after = page.after;
      }
      expect(found).toHaveLength(40);
      expect(new Set(found).size).toBe(40);
    } finally {
      await stop();
    }
  });
});
