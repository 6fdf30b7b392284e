import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import { sessions } from '../../src/projections/sessions.ts';
import { users } from '../../src/projections/users.ts';
import { endOfSession } from '../../src/queries/sessions.ts';
import { AT } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

const DAY_MS = 86_400_000;
const later = (days: number): string => new Date(Date.parse(AT) + days * DAY_MS).toISOString();
const expiresAt = later(30);

const began = (sessionId: string, more: object = {}) =>
  recordedEvent('session', sessionId, {
    type: 'SessionBegan',
    data: { sessionId, userId: 'ada', beganAt: AT, expiresAt, ...more },
  });
const refreshed = () =>
  recordedEvent('session', 'one', {
    type: 'SessionRefreshed',
    data: { generation: 2, refreshedAt: later(1), expiresAt: later(31) },
  });
const over = (reason: 'logout' | 'token-reused') =>
  recordedEvent('session', 'one', { type: 'SessionEnded', data: { reason, endedAt: later(2) } });
const ada = recordedEvent('user', 'ada', {
  type: 'UserCreated',
  data: { userId: 'ada', email: 'ada@example.com', role: 'admin', displayName: null, createdAt: AT },
});
const replaced = recordedEvent('user', 'ada', { type: 'UserPasswordReplaced', data: { replacedAt: later(3) } });
const disabled = recordedEvent('user', 'ada', { type: 'UserDisabled', data: { disabledAt: later(4) } });
const enabled = recordedEvent('user', 'ada', { type: 'UserEnabled', data: { enabledAt: later(5) } });

/** In the order in which the log has them. */
function endAfter(events: readonly RecordedEvent[], now: string) {
  const placed = events.map((event, index) => ({ ...event, position: String(index + 1).padStart(16, '0') }));
  const [session] = foldOne(
    sessions,
    placed.filter(({ stream }) => stream.startsWith('session')),
  ).values();
  const [user] = foldOne(
    users,
    placed.filter(({ stream }) => stream.startsWith('user')),
  ).values();
  if (session === undefined) throw new Error('no session');
  return endOfSession(session, user, Date.parse(now));
}

const ACTOR = began('any').metadata.actor.id;

describe('sessions', () => {
  it('a session has what its sign-in said, and is open', () => {
    given(sessions, [began('one', { userAgent: 'curl/8' })]).then({
      ...{ id: 'one', userId: 'ada', userAgent: 'curl/8', beganAt: AT, refreshedAt: AT, expiresAt, endedAt: null },
    });
  });

  it('one of an earlier release has no user agent', () => {
    given(sessions, [began('one')]).then({ userAgent: null });
  });

  it('a refresh moves its last use and its end', () => {
    given(sessions, [began('one'), refreshed()]).then({ beganAt: AT, refreshedAt: later(1), expiresAt: later(31) });
  });

  it('a logout has an actor, and a token that was used twice has none', () => {
    given(sessions, [began('one'), over('logout')]).then({
      ...{ endedAt: later(2), endedReason: 'logout', endedBy: ACTOR },
    });
    given(sessions, [began('one'), over('token-reused')]).then({ endedReason: 'token-reused', endedBy: null });
  });
});

describe('the end of a session', () => {
  it('is none while it is open', () => {
    expect(endAfter([ada, began('one')], later(29))).toBeNull();
  });

  it('is its time, where nothing came before', () => {
    expect(endAfter([ada, began('one')], expiresAt)).toEqual({ at: expiresAt, reason: 'expired', by: null });
  });

  it('is what ended all sessions of its user, also once the user is active again', () => {
    expect(endAfter([ada, began('one'), replaced], later(4))).toMatchObject({
      at: later(3),
      reason: 'password-replaced',
    });
    expect(endAfter([ada, began('one'), disabled, enabled], later(6))).toMatchObject({
      ...{ at: later(4), reason: 'user-disabled' },
    });
  });

  it('is not what came before it in the log, whatever the clocks say', () => {
    expect(endAfter([ada, replaced, disabled, enabled, began('one')], later(6))).toBeNull();
  });

  it('is the first of several', () => {
    expect(endAfter([ada, began('one'), over('logout'), replaced], later(40))).toMatchObject({ reason: 'logout' });
    expect(endAfter([ada, began('one'), replaced], later(40))).toMatchObject({ reason: 'password-replaced' });
  });
});
