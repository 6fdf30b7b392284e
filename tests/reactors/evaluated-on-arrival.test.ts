import { expect, it } from 'vitest';
import { archiveRule, changeRule, pauseRule, resumeRule } from '../../src/commands/change-rule.ts';
import { retryAutomation, revokeAssignment } from '../../src/commands/change-transaction.ts';
import { holdSync } from '../../src/commands/continue-sync.ts';
import { createRule } from '../../src/commands/create-rule.ts';
import { recordSyncPage, type SyncPage } from '../../src/commands/record-sync-page.ts';
import { stampRows } from '../../src/deciders/transaction-stamp.ts';
import type { RecordedEvent } from '../../src/events/event.ts';
import { type EventLog, LOG_START } from '../../src/log/log.ts';
import { streamName } from '../../src/log/streams.ts';
import { ruleVersions } from '../../src/projections/rules.ts';
import { type TransactionDocument, transactions } from '../../src/projections/transactions.ts';
import { explainAutomation } from '../../src/queries/explanation.ts';
import { openRuleBook, type RuleBook } from '../../src/queries/rule-book.ts';
import { dueTransactions, runAutomation } from '../../src/reactors/run-automation.ts';
import { openArrivalsOf } from '../../src/reactors/syncs/open-arrivals.ts';
import { computedId, repeatableIds } from '../../src/shared/ids.ts';
import { AT, plannedSync, REFERENCE, requestedSync } from '../support/facts.ts';
import { seededRandom } from '../support/random.ts';
import { ruleDraft } from '../support/rule-draft.ts';
import { contextOn, setClock, smallWorld } from '../support/small-reactor-services.ts';

const HISTORIES = 20;
const STEPS = 30;
const WORDS = ['rent', 'salary', 'fee', 'invoice', 'poison'] as const;
const KNOWS_NOTHING = async () => new Map();

/** What differs between two ways to the same result: who made an id, and where in the log something is. */
function comparable(value: unknown): unknown {
  const text = JSON.stringify(value, (key, inner) =>
    ['position', '_position', 'recordedPosition', 'recordedAt', 'assignmentId'].includes(key) ? '' : inner,
  );
  return JSON.parse(text);
}

/** A seeded history of rules that change before, between and during pages of rows; the same whatever the way. */
async function live(seed: number, isOnArrival: boolean) {
  const random = seededRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item;
  const clock = setClock(AT);
  const small = await smallWorld(clock);
  const { log } = small.services;
  const newId = repeatableIds(`${seed}`, Date.parse(AT));
  let duringPage: (() => Promise<void>) | null = null;
  /** Rules change when the rows of a page have been evaluated but not recorded. */
  async function beforeRows(): Promise<void> {
    const change = duringPage;
    duringPage = null;
    await change?.();
  }
  const watched: EventLog = new Proxy(log, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== 'function') return found;
      if (name !== 'appendMany' && name !== 'appendManyUnless') return found.bind(target);
      return async (...args: unknown[]) => {
        await beforeRows();
        return found.apply(target, args);
      };
    },
  });
  const context = { ...contextOn(log, clock), newId };
  const services = { ...small.services, log: watched };
  const stored = openRuleBook(services.readModels);
  let poisonUntil = '';
  /** Evaluations of some rows fail for a while. */
  const ruleBook: RuleBook = {
    async open(tenantId, companyId) {
      const rules = await stored.open(tenantId, companyId);
      return {
        inForce(position, arrivedAt) {
          const set = rules.inForce(position, arrivedAt);
          const matching: typeof set.matching = (prepared) => {
            const isPoison = prepared.subject.description?.includes('poison') === true;
            if (isPoison && new Date(clock.now()).toISOString() < poisonUntil) throw new Error('planted');
            return set.matching(prepared);
          };
          return { ...set, matching };
        },
      };
    },
  };
  const visible = async (): Promise<void> => {
    const head = await log.head();
    expect(await small.runner.waitFor([transactions.name, ruleVersions.name], head, 100_000)).toBe(true);
  };
  const rules: { id: string; version: number; status: 'active' | 'paused' }[] = [];

  const conditions = () => ({
    combinator: 'any' as const,
    children: [
      { field: 'description' as const, operator: 'contains' as const, value: pick(WORDS) },
      random() < 0.5
        ? { field: 'amount' as const, operator: 'at_least' as const, value: Math.ceil(random() * 900) }
        : { field: 'balance' as const, operator: 'at_most' as const, value: 50 },
    ],
  });
  const actions = () =>
    Array.from({ length: 1 + Math.floor(random() * 2) }, () => ({
      type: 'attach_reference' as const,
      reference: { ...REFERENCE, externalId: `${Math.ceil(random() * 5)}` },
    }));

  async function changeRules(): Promise<void> {
    const rule = random() < 0.3 ? undefined : pick(rules);
    if (rule === undefined) {
      const effectiveFrom = random() < 0.2 ? '2026-01-05T10:10:00.000Z' : null;
      const draft = ruleDraft({
        name: `Rule ${rules.length}`,
        conditions: conditions(),
        actions: actions(),
        effectiveFrom,
      });
      const created = await createRule(context, draft, random() < 0.8 ? 'active' : 'paused');
      const data = created.accepted ? (created.events[0]?.data as { ruleId: string; status: 'active' }) : null;
      if (data === null) throw new Error('no rule was created');
      rules.push({ id: data.ruleId, version: 1, status: data.status });
      return;
    }
    const toggle = rule.status === 'active' ? pauseRule : resumeRule;
    const change = pick(['toggle', 'toggle', 'change', 'archive'] as const);
    const changed =
      change === 'toggle'
        ? await toggle(context, rule.id, rule.version)
        : change === 'change'
          ? await changeRule(context, rule.id, rule.version, { conditions: conditions() })
          : await archiveRule(context, rule.id, rule.version);
    if (!changed.accepted) throw new Error(changed.refused);
    if (changed.appended.length > 0) rule.version += 1;
    if (change === 'toggle') rule.status = rule.status === 'active' ? 'paused' : 'active';
    if (change === 'archive') rules.splice(rules.indexOf(rule), 1);
  }

  let rowsMade = 0;
  async function recordPage(nth: number): Promise<void> {
    const syncId = computedId('sync', String(seed), String(nth));
    const metadata = { schemaVersion: 1, tenantId: 'tenant', companyId: 'company', correlationId: 'request' };
    const events = [requestedSync({ syncId }), plannedSync(1)].map((fact, index) => ({
      id: computedId(syncId, String(index)),
      ...fact,
      metadata: { ...metadata, actor: context.actor, causationId: null },
    }));
    await log.append({ stream: streamName('syncRun', 'tenant', syncId), expected: 'no-stream', events });
    // What a page does to its own rows besides recording them comes before or after the evaluation, by chance.
    const recordedBefore = rowsMade;
    const rows = Array.from({ length: Math.ceil(random() * 12) }, () => {
      rowsMade += 1;
      const isListedAgain = recordedBefore > 0 && random() < 0.1;
      const providerId = `row ${isListedAgain ? 1 + Math.floor(random() * recordedBefore) : rowsMade}`;
      const isBalanceKnown = random() < 0.7;
      return {
        providerId,
        discriminator: null,
        transactionDate: AT,
        amount: String(Math.ceil(random() * 1_000)),
        incoming: random() < 0.5,
        balance: isBalanceKnown ? '100' : null,
        currency: 'EUR',
        description: `${pick(WORDS)} ${pick(WORDS)}`,
        nameSurname: null,
        iban: null,
        idNo: '',
        code: null,
        findAI: false,
      };
    });
    const { knownTo, rules: rulesAtHand } = atHand;
    const openArrivals = openArrivalsOf(
      services,
      {
        ruleBook: { open: async () => rulesAtHand },
        knownTo: () => knownTo,
      },
      { tenantId: 'tenant', companyId: 'company', syncId },
    );
    const sync = {
      ...contextOn(watched, clock),
      actor: { type: 'system', id: 'sync' },
      correlationId: syncId,
    } as const;
    const page = {
      accountId: 'connection',
      bankCode: 'demo',
      subAccountKey: 'account',
      automation: random() < 0.9 ? ('pending' as const) : ('legacy' as const),
      page: 1,
      window: 0,
      cursor: null,
      nextCursor: null,
      requests: 1,
      rows: stampRows('account', 'window', rows, new Map()),
      withdrawn: recordedBefore > 0 && random() < 0.1 ? [`row ${recordedBefore}`] : [],
      statedBalances: [],
      faults: [],
    } satisfies SyncPage;
    const isRepeated = random() < 0.2;
    for (let time = 0; time < (isRepeated ? 2 : 1); time += 1) {
      await recordSyncPage(
        sync,
        await holdSync(sync, syncId),
        page,
        KNOWS_NOTHING,
        undefined,
        isOnArrival ? openArrivals : undefined,
      );
    }
    await beforeRows();
  }

  /** What a sync has at hand: as it is now, or as it was at an earlier page where the read model is behind. */
  async function rulesNow() {
    await visible();
    const knownTo = small.runner.standings().find(({ name }) => name === ruleVersions.name)?.position;
    return { knownTo, rules: await ruleBook.open('tenant', 'company') };
  }

  async function automate(): Promise<void> {
    await visible();
    const due = dueTransactions(services);
    while (await runAutomation(services, due, ruleBook, small.runner.waitFor)) await visible();
  }

  async function touchOne(): Promise<void> {
    const all = await documents();
    const one = all[Math.floor(random() * all.length)];
    const active = one?.assignments.find(({ status }) => status === 'active');
    if (one?.automation.status === 'retry') await retryAutomation(context, one.id);
    else if (one !== undefined && active !== undefined) {
      await revokeAssignment(context, one.id, { assignmentId: active.id, reason: null });
    }
  }

  async function documents(): Promise<TransactionDocument[]> {
    const sort = [{ field: '_id', direction: 'asc' }] as const;
    return services.readModels.of(transactions).find({ filter: [], sort, limit: 1_000 });
  }

  let atHand = await rulesNow();
  for (let step = 0; step < STEPS; step += 1) {
    const isSeen = random() < 0.7;
    const during = random() < 0.3;
    const what = random();
    if (what < 0.3) await changeRules();
    else if (what < 0.8) {
      if (isSeen) atHand = await rulesNow();
      if (during) duringPage = changeRules;
      await recordPage(step);
      await automate();
    } else if (what < 0.9) await touchOne();
    else poisonUntil = new Date(clock.now() + 90_000).toISOString();
    await automate();
    clock.pass(Math.floor(random() * 60_000));
  }
  clock.pass(86_400_000);
  await automate();

  const { events } = await log.readAll({ after: LOG_START, limit: 10_000 });
  const streams = Map.groupBy(
    events.filter(({ stream }) => stream.startsWith('bankTransaction')),
    ({ stream }) => stream,
  );
  const results = [];
  for (const document of await documents()) {
    const own = streams.get(streamName('bankTransaction', 'tenant', document.id)) ?? [];
    const explanation = await explainAutomation(ruleBook, document, own);
    const { assignments, automation, ...rest } = document;
    results.push(
      comparable({
        ...rest,
        automation,
        assignments: assignments.map(({ id, ...assignment }) => assignment),
        explanation,
        events: own.map(({ id, ...event }) => event),
      }),
    );
  }
  await small.stop();
  return { results, ...together([...streams.values()], events) };
}

/** How many rows were recorded together with their evaluation, and how many others automation evaluated. */
function together(streams: readonly (readonly RecordedEvent[])[], events: readonly RecordedEvent[]) {
  const place = new Map(events.map(({ id }, index) => [id, index]));
  const evaluated = streams.filter((own) => own[1]?.type === 'TransactionAutomationEvaluated');
  const atOnce = evaluated.filter(
    ([first, second]) => (place.get(second?.id ?? '') ?? 0) === (place.get(first?.id ?? '') ?? 0) + 1,
  ).length;
  return { atOnce, later: evaluated.length - atOnce };
}

it(`gives the same as automation does afterwards, in ${HISTORIES} histories of changing rules`, async () => {
  let atOnce = 0;
  let later = 0;
  let assigned = 0;
  let failed = 0;
  for (let seed = 1; seed <= HISTORIES; seed += 1) {
    const [onArrival, afterwards] = [await live(seed, true), await live(seed, false)];
    expect(onArrival.results).toEqual(afterwards.results);
    const text = JSON.stringify(onArrival.results);
    assigned += text.split('"TransactionAssignmentAttached"').length - 1;
    failed += text.split('"TransactionAutomationFailed"').length - 1;
    atOnce += onArrival.atOnce;
    later += onArrival.later;
  }
  // Both ways were taken, rules matched and evaluations failed: histories without them prove nothing.
  for (const often of [atOnce, later, assigned, failed]) expect(often).toBeGreaterThan(50);
});
