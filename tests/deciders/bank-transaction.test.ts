import { describe, expect, it } from 'vitest';
import {
  attachManually,
  bankTransaction,
  evaluateAutomation,
  failAutomation,
  MAX_AUTOMATION_ATTEMPTS,
  type MatchedRule,
  relistTransaction,
  retryAutomation,
  revokeAssignment,
  seeContent,
  withdrawTransaction,
} from '../../src/deciders/bank-transaction.ts';
import type { BankTransactionFact } from '../../src/events/registry.ts';
import { AT, HASH, OTHER_HASH, REFERENCE, recorded, recordedData } from '../support/facts.ts';
import { given as givenFacts } from './given.ts';

const given = (...facts: BankTransactionFact[]) => givenFacts(bankTransaction, facts);

const rule: MatchedRule = {
  ruleId: 'rule',
  ruleVersion: 1,
  snapshotHash: HASH,
  tags: ['a'],
  actions: [{ id: 'action', reference: REFERENCE }],
};

function evaluation(...matched: MatchedRule[]) {
  let ids = 0;
  const newId = (): string => {
    ids += 1;
    return `assignment-${ids}`;
  };
  return { evaluatedAt: AT, rulesInForce: 3, rulesDigest: HASH, matched, newId };
}

function facts(outcome: unknown): BankTransactionFact[] {
  if (!Array.isArray(outcome)) throw new Error(`refused: ${JSON.stringify(outcome)}`);
  return outcome;
}

const types = (outcome: unknown): string[] => facts(outcome).map((fact) => fact.type);

describe('the same stamp again', () => {
  const { subAccountKey, transactionDate, amount, incoming, currency, description, nameSurname, iban, idNo, code } =
    recordedData();
  const content = {
    subAccountKey,
    transactionDate,
    amount,
    incoming,
    currency,
    description,
    nameSurname,
    iban,
    idNo,
    code,
  };
  const seen = { syncId: 'other', accountId: 'connection', seenAt: AT };

  it('with the same content is nothing new', () => {
    expect(given(recorded())((state) => seeContent(state, { ...seen, contentHash: HASH, content }))).toEqual([]);
  });

  it('with other content is noted once, field by field, and the first stays', () => {
    const other = { ...seen, contentHash: OTHER_HASH, content: { ...content, amount: '13' } };
    const noted = facts(given(recorded())((state) => seeContent(state, other)));
    expect(noted).toMatchObject([
      {
        type: 'TransactionContentConflictSeen',
        data: { differences: [{ field: 'amount', recorded: '12.5', seen: '13' }] },
      },
    ]);
    expect(given(recorded(), ...noted)((state) => seeContent(state, other))).toEqual([]);
  });
});

describe('a withdrawal', () => {
  const withdrawal = { syncId: 'sync', withdrawnAt: AT };

  it('marks a recorded row once, and carries its figures', () => {
    const withdrawn = facts(given(recorded())((state) => withdrawTransaction(state, withdrawal)));
    expect(withdrawn).toMatchObject([
      { type: 'TransactionWithdrawn', data: { row: { amount: '12.5', currency: 'EUR' } } },
    ]);
    expect(given(recorded(), ...withdrawn)((state) => withdrawTransaction(state, withdrawal))).toEqual([]);
  });

  it('of a row never recorded is nothing', () => {
    expect(given()((state) => withdrawTransaction(state, withdrawal))).toEqual([]);
  });

  it('is over when the bank lists the row again, once, with what is attached by then', () => {
    const relisting = { syncId: 'later', relistedAt: AT };
    const relist = (...history: BankTransactionFact[]) =>
      facts(given(...history)((state) => relistTransaction(state, relisting)));
    expect(relist()).toEqual([]);
    expect(relist(recorded())).toEqual([]);
    const withdrawn = facts(given(recorded())((state) => withdrawTransaction(state, withdrawal)));
    const attached = facts(
      given(
        recorded(),
        ...withdrawn,
      )((state) =>
        attachManually(state, { assignmentId: 'a', actorId: 'p', reference: REFERENCE, tags: [], attachedAt: AT }),
      ),
    );
    const relisted = relist(recorded(), ...withdrawn, ...attached);
    expect(relisted).toMatchObject([
      {
        type: 'TransactionRelisted',
        data: { row: { amount: '12.5' }, counterparty: { nameSurname: 'Acme' }, referenceKeys: ['erp:invoice:1'] },
      },
    ]);
    expect(relist(recorded(), ...withdrawn, ...relisted)).toEqual([]);
    expect(
      facts(given(recorded(), ...withdrawn, ...relisted)((state) => withdrawTransaction(state, withdrawal))),
    ).toHaveLength(1);
  });

  it('that did not note the counterparty is taken back without it', () => {
    const [withdrawn] = facts(given(recorded())((state) => withdrawTransaction(state, withdrawal)));
    const unnoted = { ...withdrawn, data: { ...withdrawn?.data, fetchedAt: null, counterparty: null } };
    const relisted = given(
      recorded(),
      unnoted as BankTransactionFact,
    )((state) => relistTransaction(state, { syncId: 'later', relistedAt: AT }));
    expect(relisted).toMatchObject([{ data: { fetchedAt: null, counterparty: null } }]);
  });
});

describe('an evaluation', () => {
  it('is one list with the assignments it leads to', () => {
    const outcome = given(recorded())((state) => evaluateAutomation(state, evaluation(rule)));
    expect(outcome).toMatchObject([
      {
        type: 'TransactionAutomationEvaluated',
        data: { attempt: 1, matches: [{ ruleId: 'rule', suppressed: false }] },
      },
      {
        type: 'TransactionAssignmentAttached',
        data: { origin: 'rule', originId: 'rule', referenceKey: 'erp:invoice:1' },
      },
    ]);
  });

  it('counts how many assignments were active before each of its own', () => {
    const other = { ...rule, ruleId: 'other', actions: [{ id: 'x', reference: { ...REFERENCE, externalId: '2' } }] };
    const outcome = facts(given(recorded())((state) => evaluateAutomation(state, evaluation(rule, other))));
    expect(outcome.slice(1)).toMatchObject([{ data: { activeBefore: 0 } }, { data: { activeBefore: 1 } }]);
  });

  it('attaches each reference of a rule once', () => {
    const twice = { ...rule, actions: [...rule.actions, { id: 'again', reference: REFERENCE }] };
    expect(types(given(recorded())((state) => evaluateAutomation(state, evaluation(twice))))).toHaveLength(2);
  });

  it('does not happen twice, nor for a legacy row', () => {
    const done = facts(given(recorded())((state) => evaluateAutomation(state, evaluation(rule))));
    expect(given(recorded(), ...done)((state) => evaluateAutomation(state, evaluation(rule)))).toEqual([]);
    expect(given(recorded({ automation: 'legacy' }))((state) => evaluateAutomation(state, evaluation(rule)))).toEqual(
      [],
    );
  });

  it('heeds what a person revoked until the rule does something else', () => {
    const done = facts(given(recorded())((state) => evaluateAutomation(state, evaluation(rule))));
    const revoked = facts(
      given(
        recorded(),
        ...done,
      )((state) => revokeAssignment(state, { assignmentId: 'assignment-1', reason: null, revokedAt: AT })),
    );
    const died: BankTransactionFact = {
      type: 'TransactionAutomationDied',
      data: { attempt: 8, failedAt: AT, code: 'X', message: '' },
    };
    const retried: BankTransactionFact = {
      type: 'TransactionAutomationRetried',
      data: { retriedAt: AT, from: 'dead' },
    };
    const again = given(recorded(), ...done, ...revoked, died, retried);
    expect(again((state) => evaluateAutomation(state, evaluation(rule)))).toMatchObject([
      { type: 'TransactionAutomationEvaluated', data: { matches: [{ suppressed: true }] } },
    ]);
    const changed = { ...rule, snapshotHash: OTHER_HASH };
    expect(types(again((state) => evaluateAutomation(state, evaluation(changed))))).toContain(
      'TransactionAssignmentAttached',
    );
  });
});

describe('a failed evaluation', () => {
  const failure = { failedAt: AT, nextAttemptAt: AT, code: 'X', message: 'y' };

  it('is tried again, and dies of the 8th', () => {
    const history: BankTransactionFact[] = [recorded()];
    for (let attempt = 1; attempt <= MAX_AUTOMATION_ATTEMPTS; attempt += 1) {
      const [fact] = facts(given(...history)((state) => failAutomation(state, failure)));
      if (fact === undefined) throw new Error('nothing happened');
      expect(fact.type).toBe(attempt < 8 ? 'TransactionAutomationFailed' : 'TransactionAutomationDied');
      history.push(fact);
    }
    expect(given(...history)((state) => failAutomation(state, failure))).toEqual([]);
    const retried = facts(given(...history)((state) => retryAutomation(state, AT)));
    expect(retried).toEqual([{ type: 'TransactionAutomationRetried', data: { retriedAt: AT, from: 'dead' } }]);
    const evaluated = given(...history, ...retried)((state) => evaluateAutomation(state, evaluation()));
    expect(evaluated).toMatchObject([{ data: { attempt: 1 } }]);
  });

  it.each(['pending', 'legacy'] as const)('cannot be retried by hand while %s', (automation) => {
    expect(given(recorded({ automation }))((state) => retryAutomation(state, AT))).toEqual({
      refused: 'AUTOMATION_NOT_RETRYABLE',
      meta: { status: automation },
    });
  });
});

describe('assigning by hand', () => {
  const byHand = { assignmentId: 'hand', actorId: 'key', reference: REFERENCE, tags: [], attachedAt: AT };

  it('is refused for the same active reference, and taken again once that is revoked', () => {
    const attached = facts(given(recorded())((state) => attachManually(state, byHand)));
    expect(given(recorded(), ...attached)((state) => attachManually(state, byHand))).toMatchObject({
      refused: 'ASSIGNMENT_EXISTS',
    });
    const revocation = { assignmentId: 'hand', reason: 'no', revokedAt: AT };
    const revoked = facts(given(recorded(), ...attached)((state) => revokeAssignment(state, revocation)));
    expect(given(recorded(), ...attached, ...revoked)((state) => revokeAssignment(state, revocation))).toEqual({
      refused: 'ASSIGNMENT_REVOKED',
    });
    expect(types(given(recorded(), ...attached, ...revoked)((state) => attachManually(state, byHand)))).toHaveLength(1);
  });

  it('stands beside what a rule attached', () => {
    const done = facts(given(recorded())((state) => evaluateAutomation(state, evaluation(rule))));
    expect(types(given(recorded(), ...done)((state) => attachManually(state, byHand)))).toHaveLength(1);
  });

  it('needs a transaction, and an assignment to revoke', () => {
    expect(given()((state) => attachManually(state, byHand))).toEqual({ refused: 'TRANSACTION_NOT_FOUND' });
    const revocation = { assignmentId: 'none', reason: null, revokedAt: AT };
    expect(given(recorded())((state) => revokeAssignment(state, revocation))).toEqual({
      refused: 'ASSIGNMENT_NOT_FOUND',
    });
  });
});
