import { describe, it } from 'vitest';
import {
  attachManually,
  type BankTransactionState,
  bankTransaction,
  decideRetryAutomation,
  decideRevokeAssignment,
  evaluateAutomation,
  failAutomation,
  figuresOf,
  MAX_AUTOMATION_ATTEMPTS,
  type MatchedRule,
  relistTransaction,
  seeContent,
  withdrawTransaction,
} from '../../src/deciders/bank-transaction.ts';
import { AT, HASH, OTHER_HASH, REFERENCE, recorded, recordedData } from '../support/facts.ts';
import { specification } from './specification.ts';

const rule: MatchedRule = {
  ruleId: 'rule',
  ruleVersion: 1,
  snapshotHash: HASH,
  tags: ['a'],
  actions: [{ id: 'action', reference: REFERENCE }],
};
const given = specification(bankTransaction);

/** The decision to evaluate the transaction when these rules match; assignments are numbered from 1. */
function evaluating(...matched: MatchedRule[]) {
  return (state: BankTransactionState) => {
    let ids = 0;
    const newId = (): string => {
      ids += 1;
      return `assignment-${ids}`;
    };
    return evaluateAutomation(state, { evaluatedAt: AT, rulesInForce: 3, rulesDigest: HASH, matched, newId });
  };
}

const evaluated = { type: 'TransactionAutomationEvaluated' } as const;
const attached = { type: 'TransactionAssignmentAttached' } as const;
const revoked = { type: 'TransactionAssignmentRevoked' } as const;

describe('a row with a known stamp', () => {
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

  it('a row with the same content changes nothing', () => {
    given([recorded()])
      .when((transaction) => seeContent(transaction, { ...seen, contentHash: HASH, content }))
      .thenNothing();
  });

  it('a row with other content is recorded once as a conflict, field by field', () => {
    const other = { ...seen, contentHash: OTHER_HASH, content: { ...content, amount: '13' } };
    given([recorded()])
      .when((transaction) => seeContent(transaction, other))
      .then([
        {
          type: 'TransactionContentConflictSeen',
          data: {
            ...seen,
            contentHash: OTHER_HASH,
            differences: [{ field: 'amount', recorded: '12.5', seen: '13' }],
          },
        },
      ])
      .when((transaction) => seeContent(transaction, other))
      .thenNothing();
  });
});

describe('withdrawal', () => {
  const withdrawal = { syncId: 'sync', withdrawnAt: AT };
  const relisting = { syncId: 'later', relistedAt: AT };
  const withdrawn = { type: 'TransactionWithdrawn', data: { row: { amount: '12.5', currency: 'EUR' } } } as const;

  it('a transaction is withdrawn once, with its figures', () => {
    given([recorded()])
      .when((transaction) => withdrawTransaction(transaction, withdrawal))
      .thenLike([withdrawn])
      .when((transaction) => withdrawTransaction(transaction, withdrawal))
      .thenNothing();
  });

  it('a transaction that was never recorded is not withdrawn', () => {
    given([])
      .when((transaction) => withdrawTransaction(transaction, withdrawal))
      .thenNothing();
  });

  it('a transaction that is not withdrawn is not relisted', () => {
    given([])
      .when((transaction) => relistTransaction(transaction, relisting))
      .thenNothing();
    given([recorded()])
      .when((transaction) => relistTransaction(transaction, relisting))
      .thenNothing();
  });

  it('a transaction is relisted with the references that are attached by then', () => {
    const byHand = { assignmentId: 'a', actorId: 'p', reference: REFERENCE, tags: [], attachedAt: AT };
    given([recorded()])
      .when((transaction) => withdrawTransaction(transaction, withdrawal))
      .thenLike([withdrawn])
      .when((transaction) => attachManually(transaction, byHand))
      .thenLike([attached])
      .when((transaction) => relistTransaction(transaction, relisting))
      .thenLike([
        {
          type: 'TransactionRelisted',
          data: { row: { amount: '12.5' }, counterparty: { nameSurname: 'Acme' }, referenceKeys: ['erp:invoice:1'] },
        },
      ]);
  });

  it('a transaction is relisted once, and can be withdrawn again', () => {
    given([recorded()])
      .when((transaction) => withdrawTransaction(transaction, withdrawal))
      .thenLike([withdrawn])
      .when((transaction) => relistTransaction(transaction, relisting))
      .thenLike([{ type: 'TransactionRelisted' }])
      .when((transaction) => relistTransaction(transaction, relisting))
      .thenNothing()
      .when((transaction) => withdrawTransaction(transaction, withdrawal))
      .thenLike([withdrawn]);
  });

  it('a transaction whose withdrawal has no counterparty is relisted without one', () => {
    const row = figuresOf(recordedData());
    const unnoted = { ...withdrawal, row, fetchedAt: null, counterparty: null, referenceKeys: [] };
    given([recorded(), { type: 'TransactionWithdrawn', data: unnoted }])
      .when((transaction) => relistTransaction(transaction, relisting))
      .thenLike([{ type: 'TransactionRelisted', data: { fetchedAt: null, counterparty: null } }]);
  });
});

describe('automation', () => {
  it('an evaluation is recorded together with the assignments it leads to', () => {
    given([recorded()])
      .when(evaluating(rule))
      .thenLike([
        { ...evaluated, data: { attempt: 1, matches: [{ ruleId: 'rule', suppressed: false }] } },
        { ...attached, data: { origin: 'rule', originId: 'rule', referenceKey: 'erp:invoice:1' } },
      ]);
  });

  it('an assignment counts the assignments that were active before it', () => {
    const other = { ...rule, ruleId: 'other', actions: [{ id: 'x', reference: { ...REFERENCE, externalId: '2' } }] };
    given([recorded()])
      .when(evaluating(rule, other))
      .thenLike([evaluated, { ...attached, data: { activeBefore: 0 } }, { ...attached, data: { activeBefore: 1 } }]);
  });

  it('a reference that a rule names twice is attached once', () => {
    given([recorded()])
      .when(evaluating({ ...rule, actions: [...rule.actions, { id: 'again', reference: REFERENCE }] }))
      .thenLike([evaluated, { ...attached, data: { referenceKey: 'erp:invoice:1' } }]);
  });

  it('a transaction is evaluated once', () => {
    given([recorded()]).when(evaluating(rule)).thenLike([evaluated, attached]).when(evaluating(rule)).thenNothing();
  });

  it('a legacy transaction is not evaluated', () => {
    given([recorded({ automation: 'legacy' })])
      .when(evaluating(rule))
      .thenNothing();
  });

  it('a rule whose assignment a person revoked is suppressed until it does something else', () => {
    const revocation = { assignmentId: 'assignment-1', reason: null, revokedAt: AT };
    const { recordedFacts } = given([recorded()])
      .when(evaluating(rule))
      .thenLike([evaluated, { ...attached, data: { assignmentId: 'assignment-1' } }])
      .when((transaction) => decideRevokeAssignment(transaction, revocation))
      .thenLike([{ ...revoked, data: { by: 'person' } }]);
    const waitingAgain = given([
      ...recordedFacts,
      { type: 'TransactionAutomationDied', data: { attempt: 8, failedAt: AT, code: 'X', message: '' } },
      { type: 'TransactionAutomationRetried', data: { retriedAt: AT, from: 'dead' } },
    ]);
    waitingAgain.when(evaluating(rule)).thenLike([{ ...evaluated, data: { matches: [{ suppressed: true }] } }]);
    waitingAgain
      .when(evaluating({ ...rule, snapshotHash: OTHER_HASH }))
      .thenLike([{ ...evaluated, data: { matches: [{ suppressed: false }] } }, attached]);
  });

  const failure = { failedAt: AT, nextAttemptAt: AT, code: 'X', message: 'y' };

  /** After as many attempts as there may be, each of which failed. */
  function afterEveryAttempt() {
    let history = given([recorded()]);
    for (let attempt = 1; attempt < MAX_AUTOMATION_ATTEMPTS; attempt += 1) {
      history = history
        .when((transaction) => failAutomation(transaction, failure))
        .then([{ type: 'TransactionAutomationFailed', data: { attempt, ...failure } }]);
    }
    return history
      .when((transaction) => failAutomation(transaction, failure))
      .then([{ type: 'TransactionAutomationDied', data: { attempt: 8, failedAt: AT, code: 'X', message: 'y' } }]);
  }

  it('an automation that fails is tried again and dies at its 8th attempt', () => {
    afterEveryAttempt()
      .when((transaction) => failAutomation(transaction, failure))
      .thenNothing();
  });

  it('an automation that died can be retried, and its attempts are counted from 1', () => {
    afterEveryAttempt()
      .when((transaction) => decideRetryAutomation(transaction, AT))
      .then([{ type: 'TransactionAutomationRetried', data: { retriedAt: AT, from: 'dead' } }])
      .when(evaluating())
      .thenLike([{ ...evaluated, data: { attempt: 1 } }]);
  });

  it.each(['pending', 'legacy'] as const)('an automation that is %s cannot be retried', (automation) => {
    given([recorded({ automation })])
      .when((transaction) => decideRetryAutomation(transaction, AT))
      .thenRefused('AUTOMATION_NOT_RETRYABLE', { status: automation });
  });
});

describe('manual assignment', () => {
  const byHand = { assignmentId: 'hand', actorId: 'key', reference: REFERENCE, tags: [], attachedAt: AT };
  const attachedByHand = { ...attached, data: { assignmentId: 'hand', origin: 'manual', originId: 'key' } } as const;
  const revocation = { assignmentId: 'hand', reason: 'no', revokedAt: AT };

  it('a reference that is attached manually cannot be attached manually again', () => {
    given([recorded()])
      .when((transaction) => attachManually(transaction, byHand))
      .thenLike([attachedByHand])
      .when((transaction) => attachManually(transaction, byHand))
      .thenRefused('ASSIGNMENT_EXISTS', { assignmentId: 'hand' });
  });

  it('an assignment that is revoked cannot be revoked again, but its reference can be attached again', () => {
    const afterRevocation = given([recorded()])
      .when((transaction) => attachManually(transaction, byHand))
      .thenLike([attachedByHand])
      .when((transaction) => decideRevokeAssignment(transaction, revocation))
      .thenLike([{ ...revoked, data: revocation }]);
    afterRevocation
      .when((transaction) => decideRevokeAssignment(transaction, revocation))
      .thenRefused('ASSIGNMENT_REVOKED');
    afterRevocation.when((transaction) => attachManually(transaction, byHand)).thenLike([attachedByHand]);
  });

  it('a reference that a rule attached can be attached manually as well', () => {
    given([recorded()])
      .when(evaluating(rule))
      .thenLike([evaluated, attached])
      .when((transaction) => attachManually(transaction, byHand))
      .thenLike([attachedByHand]);
  });

  it('a transaction takes 1,000 assignments in its lifetime, however many of them are revoked', () => {
    const before = bankTransaction.evolve(bankTransaction.initialState, recorded());
    const once = attachManually(before, byHand);
    if ('refused' in once) throw new Error(once.refused);
    const attachments = Array.from({ length: 1_000 }, (_, n) =>
      once.map((fact) => ({ ...fact, data: { ...fact.data, assignmentId: `hand-${n}` } }) as typeof fact),
    ).flat();
    const revokedOnce = decideRevokeAssignment(once.reduce(bankTransaction.evolve, before), revocation);
    if ('refused' in revokedOnce) throw new Error(revokedOnce.refused);
    const revocations = attachments.flatMap((_, n) =>
      revokedOnce.map((fact) => ({ ...fact, data: { ...fact.data, assignmentId: `hand-${n}` } }) as typeof fact),
    );
    given([recorded(), ...attachments.slice(1), ...revocations])
      .when((transaction) => attachManually(transaction, byHand))
      .thenLike([attachedByHand]);
    given([recorded(), ...attachments, ...revocations])
      .when((transaction) => attachManually(transaction, byHand))
      .thenRefused('TENANT_LIMIT_REACHED', { what: 'assignments of a transaction', limit: 1_000 });
  });

  it('a transaction that was never recorded takes no assignment', () => {
    given([])
      .when((transaction) => attachManually(transaction, byHand))
      .thenRefused('TRANSACTION_NOT_FOUND');
  });

  it('an assignment that does not exist cannot be revoked', () => {
    given([recorded()])
      .when((transaction) => decideRevokeAssignment(transaction, { ...revocation, assignmentId: 'none', reason: null }))
      .thenRefused('ASSIGNMENT_NOT_FOUND');
  });
});
