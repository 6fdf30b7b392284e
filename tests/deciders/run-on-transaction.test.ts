import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attachManually,
  type BankTransactionState,
  bankTransaction,
  decideRevokeAssignment,
  evaluateAutomation,
  type MatchedRule,
} from '../../src/deciders/bank-transaction.ts';
import { isRefusal } from '../../src/deciders/decider.ts';
import {
  afterFacts,
  coverageResult,
  coverByRun,
  undoingResult,
  undoOnTransaction,
} from '../../src/deciders/run-on-transaction.ts';
import type { BankTransactionFact } from '../../src/events/registry.ts';
import { AT, REFERENCE, recorded } from '../support/facts.ts';
import { specification } from './specification.ts';

const HASHES = ['a', 'b'].map((letter) => letter.repeat(64));
const reference = (externalId: string) => ({ ...REFERENCE, externalId });

/** Two rules of two versions each, which want references out of three. */
const ruleArbitrary: fc.Arbitrary<MatchedRule> = fc.record({
  ruleId: fc.constantFrom('rule-1', 'rule-2'),
  ruleVersion: fc.constantFrom(1, 2),
  snapshotHash: fc.constantFrom(...HASHES),
  tags: fc.constantFrom([], ['t']),
  actions: fc
    .uniqueArray(fc.constantFrom('x', 'y', 'z'), { minLength: 1, maxLength: 3 })
    .map((ids) => ids.map((id) => ({ id, reference: reference(id) }))),
});

type Step =
  | { readonly does: 'evaluate'; readonly rules: readonly MatchedRule[] }
  | { readonly does: 'attach'; readonly externalId: string }
  | { readonly does: 'revoke'; readonly nth: number }
  | { readonly does: 'cover'; readonly rule: MatchedRule; readonly matched: boolean };

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    does: fc.constant('evaluate' as const),
    rules: fc.uniqueArray(ruleArbitrary, { maxLength: 2, selector: ({ ruleId }) => ruleId }),
  }),
  fc.record({ does: fc.constant('attach' as const), externalId: fc.constantFrom('x', 'y', 'z') }),
  fc.record({ does: fc.constant('revoke' as const), nth: fc.nat(9) }),
  fc.record({ does: fc.constant('cover' as const), rule: ruleArbitrary, matched: fc.boolean() }),
);

function coverage(runId: string, rule: MatchedRule, matched: boolean) {
  return { runId, rule, matched, by: 'backfill', at: AT, assignmentId: (part: string) => `${runId}/${part}` } as const;
}

function stateAfter(steps: readonly Step[]): BankTransactionState {
  let state = afterFacts(bankTransaction.initialState, [recorded()]);
  for (const [index, step] of steps.entries()) {
    const id = `s${index}`;
    let made = 0;
    const newId = (): string => {
      made += 1;
      return `${id}/${made}`;
    };
    const outcome = (() => {
      switch (step.does) {
        case 'evaluate':
          return evaluateAutomation(state, {
            evaluatedAt: AT,
            rulesInForce: 1,
            rulesDigest: HASHES[0] ?? '',
            matched: step.rules,
            newId,
          });
        case 'attach':
          return attachManually(state, {
            assignmentId: id,
            actorId: 'person',
            reference: reference(step.externalId),
            tags: [],
            attachedAt: AT,
          });
        case 'revoke': {
          const assignmentId = state.assignments[step.nth]?.id ?? 'none';
          return decideRevokeAssignment(state, { assignmentId, reason: null, revokedAt: AT });
        }
        case 'cover':
          return coverByRun(state, coverage(id, step.rule, step.matched));
      }
    })();
    if (!isRefusal(outcome)) state = afterFacts(state, outcome as readonly BankTransactionFact[]);
  }
  return state;
}

const anyState = fc.array(stepArbitrary, { maxLength: 8 }).map(stateAfter);

/** What a reader sees of the assignments, except ids and times. */
function held({ assignments }: BankTransactionState): string[] {
  return assignments
    .filter(({ active }) => active)
    .map(({ origin, ruleId, referenceKey }) => `${origin} ${ruleId} ${referenceKey}`)
    .sort();
}

describe('a backfill on a transaction', () => {
  const given = specification(bankTransaction);
  const rule: MatchedRule = {
    ruleId: 'rule-1',
    ruleVersion: 1,
    snapshotHash: 'a'.repeat(64),
    tags: [],
    actions: [{ id: 'x', reference: reference('x') }],
  };
  const covering = (runId: string, of: MatchedRule, matched: boolean) => (transaction: BankTransactionState) =>
    coverByRun(transaction, coverage(runId, of, matched));
  const attached = (runId: string, externalId: string) =>
    ({
      type: 'TransactionAssignmentAttached',
      data: { assignmentId: `${runId}/erp:invoice:${externalId}`, ruleId: 'rule-1', runId },
    }) as const;
  const revoked = (by: string, assignmentId: string) =>
    ({ type: 'TransactionAssignmentRevoked', data: { assignmentId, by: 'backfill', runId: by } }) as const;

  it('a backfill attaches the references of a rule that matches, once', () => {
    given([recorded()])
      .when(covering('run', rule, true))
      .thenLike([attached('run', 'x')])
      .when(covering('run', rule, true))
      .thenNothing();
  });

  it('a backfill replaces the references that the rule does not name any more', () => {
    const changed = { ...rule, ruleVersion: 2, actions: [{ id: 'y', reference: reference('y') }] };
    given([recorded()])
      .when(covering('first', rule, true))
      .thenLike([attached('first', 'x')])
      .when(covering('second', changed, true))
      .thenLike([revoked('second', 'first/erp:invoice:x'), attached('second', 'y')]);
  });

  it('a backfill revokes the references of a rule that does not match any more', () => {
    given([recorded()])
      .when(covering('first', rule, true))
      .thenLike([attached('first', 'x')])
      .when(covering('second', rule, false))
      .thenLike([revoked('second', 'first/erp:invoice:x')]);
  });

  it('a backfill attaches again what another backfill revoked', () => {
    given([recorded()])
      .when(covering('first', rule, true))
      .thenLike([attached('first', 'x')])
      .when(covering('second', rule, false))
      .thenLike([revoked('second', 'first/erp:invoice:x')])
      .when(covering('third', rule, true))
      .thenLike([attached('third', 'x')]);
  });

  it('a backfill attaches nothing that a person revoked', () => {
    const revocation = { assignmentId: 'first/erp:invoice:x', reason: null, revokedAt: AT };
    given([recorded()])
      .when(covering('first', rule, true))
      .thenLike([attached('first', 'x')])
      .when((transaction) => decideRevokeAssignment(transaction, revocation))
      .thenLike([{ type: 'TransactionAssignmentRevoked', data: { by: 'person' } }])
      .when(covering('second', rule, true))
      .thenNothing();
  });
});

describe('a backfill on any transaction', () => {
  it('a backfill leaves exactly the references that the rule names, unless a person revoked them', () => {
    fc.assert(
      fc.property(anyState, ruleArbitrary, fc.boolean(), (before, rule, matched) => {
        const cover = coverage('run', rule, matched);
        const after = afterFacts(before, coverByRun(before, cover));
        const result = coverageResult(after, 'transaction', cover);
        const mine = after.assignments.filter((one) => one.active && one.ruleId === rule.ruleId);
        if (result?.outcome === 'suppressed') {
          expect(after).toEqual(before);
          return;
        }
        const wanted = matched ? rule.actions.map((action) => `erp:invoice:${action.reference.externalId}`) : [];
        expect(mine.map((one) => one.referenceKey).sort()).toEqual(wanted.sort());
        const others = (state: BankTransactionState) => state.assignments.filter((one) => one.ruleId !== rule.ruleId);
        expect(others(after)).toEqual(others(before));
      }),
    );
  });

  it('a backfill that is repeated changes nothing and has the same result', () => {
    fc.assert(
      fc.property(anyState, ruleArbitrary, fc.boolean(), (before, rule, matched) => {
        const cover = coverage('run', rule, matched);
        const after = afterFacts(before, coverByRun(before, cover));
        expect(coverByRun(after, cover)).toEqual([]);
        expect(coverageResult(afterFacts(after, []), 'transaction', cover)).toEqual(
          coverageResult(after, 'transaction', cover),
        );
      }),
    );
  });

  it('a revert restores what was attached before the backfill, and its own revert what was attached after it', () => {
    fc.assert(
      fc.property(anyState, ruleArbitrary, fc.boolean(), (before, rule, matched) => {
        const cover = coverage('run', rule, matched);
        const covered = afterFacts(before, coverByRun(before, cover));
        const undo = (state: BankTransactionState, of: string, runId: string): BankTransactionState => {
          const { attachedIds, revokedIds } = undoingResult(state, 'transaction', of);
          const undoing = {
            runId,
            by: 'revert',
            at: AT,
            assignmentId: (part: string) => `${runId}/${part}`,
            attachedIds,
            revokedIds,
          } as const;
          const after = afterFacts(state, undoOnTransaction(state, undoing));
          expect(undoOnTransaction(after, undoing)).toEqual([]);
          return after;
        };
        const undone = undo(covered, 'run', 'revert');
        const suppressed = before.suppressed.size > 0;
        // What a person sent away before stays away, also where the run had revoked an older version's.
        if (!suppressed) expect(held(undone)).toEqual(held(before));
        const redone = undo(undone, 'revert', 'revert of revert');
        if (!suppressed) expect(held(redone)).toEqual(held(covered));
      }),
    );
  });

  it('a change counts the assignments that were active before it', () => {
    fc.assert(
      fc.property(anyState, ruleArbitrary, fc.boolean(), (before, rule, matched) => {
        let active = before.assignments.filter((one) => one.active).length;
        for (const fact of coverByRun(before, coverage('run', rule, matched))) {
          if (fact.type !== 'TransactionAssignmentAttached' && fact.type !== 'TransactionAssignmentRevoked') continue;
          expect(fact.data.activeBefore).toBe(active);
          active += fact.type === 'TransactionAssignmentAttached' ? 1 : -1;
        }
      }),
    );
  });
});
