import { describe, it } from 'vitest';
import { history } from '../../src/projections/history.ts';
import { logMoments } from '../../src/projections/log-moments.ts';
import { seals } from '../../src/projections/seals.ts';
import { AT, createdRule } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { recordedEvent } from '../support/recorded-events.ts';

const rule = (fact: { readonly type: string; readonly data: unknown }) =>
  recordedEvent('transactionRule', 'history-rule', fact);
const created = rule(createdRule());
const paused = rule({ type: 'RulePaused', data: { version: 2, pausedAt: AT } });

describe('history', () => {
  it('the history lists each event under its position, with its entity, actor and request', () => {
    const ofRule = { entityType: 'rule', entityId: 'history-rule', companyId: 'company', actorId: 'key' } as const;
    given(history, [created, paused]).thenDocuments(
      [
        { ...ofRule, eventType: 'RuleCreated', position: created.position, revision: 0, correlationId: 'request' },
        { ...ofRule, eventType: 'RulePaused', position: paused.position, revision: 1, eventId: paused.id },
      ],
      ({ revision }) => revision,
    );
  });

  it('an event of no company and of no entity that people see is listed all the same', () => {
    const event = recordedEvent('session', 'session', { type: 'SessionEnded', data: { endedAt: AT } });
    given(history, [{ ...event, metadata: { ...event.metadata, companyId: null } }])
      .then({ entityType: null, entityId: 'session', eventType: 'SessionEnded' })
      .thenOf((document) => 'companyId' in document, false);
  });
});

describe('moments of the log', () => {
  it('a minute has the position of its first event', () => {
    const at = (recordedAt: string) => ({ ...rule({ type: 'RuleResumed', data: {} }), recordedAt });
    const [first, second, third] = [
      at('2026-01-05T10:00:00.000Z'),
      at('2026-01-05T10:00:59.999Z'),
      at('2026-01-05T10:01:00.000Z'),
    ];
    given(logMoments, [first, second, third]).thenDocuments(
      [
        { minute: '2026-01-05T10:00', firstPosition: first.position, firstRecordedAt: first.recordedAt },
        { minute: '2026-01-05T10:01', firstPosition: third.position, firstRecordedAt: third.recordedAt },
      ],
      ({ minute }) => Date.parse(`${minute}Z`),
    );
  });
});

describe('seals', () => {
  it('a seal is listed with what it covers and where it is, without the fingerprints of its events', () => {
    const covers = { ordinal: 1, eventCount: 2, totalCount: 2, toPosition: paused.position, root: 'root' };
    const sealed = { ...covers, publicKey: 'key', sealedAt: AT };
    const data = { ...sealed, fingerprints: 'AAAA', previousHash: null, signature: 'signature' };
    given(seals, [recordedEvent('seal', 'seals', { type: 'TenantSealed', data })])
      .then({ ...sealed, revision: 0 })
      .thenOf((document) => 'fingerprints' in document, false);
  });
});
