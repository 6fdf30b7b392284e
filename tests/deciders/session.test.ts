import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/deciders/decider.ts';
import { isRefusal } from '../../src/deciders/decider.ts';
import { beginSession, decideRefreshSession, endSession, isInForce, session } from '../../src/deciders/session.ts';
import type { SessionFact } from '../../src/events/registry.ts';
import { specification } from './specification.ts';

const NOW = Date.parse('2026-03-01T08:00:00.000Z');
const DAY_MS = 86_400_000;
const later = (days: number): string => new Date(NOW + days * DAY_MS).toISOString();

const began: SessionFact = {
  type: 'SessionBegan',
  data: { sessionId: 's', userId: 'u', beganAt: later(0), expiresAt: later(30) },
};
const refreshed = (generation: number, day: number, expiresOn: number): SessionFact => ({
  type: 'SessionRefreshed',
  data: { generation, refreshedAt: later(day), expiresAt: later(expiresOn) },
});
const ended: SessionFact = { type: 'SessionEnded', data: { reason: 'logout', endedAt: later(1) } };
const given = specification(session);

describe('session', () => {
  it('a session begins with a refresh token for 30 days', () => {
    given([])
      .when(() => beginSession({ sessionId: 's', userId: 'u', nowMs: NOW }))
      .then([began]);
  });

  it('a refresh extends the session by 30 days', () => {
    given([began])
      .when((state) => decideRefreshSession(state, 1, NOW + 20 * DAY_MS))
      .then([refreshed(2, 20, 50)]);
  });

  it('a session lasts 90 days at most, however often it is refreshed', () => {
    given([began, refreshed(2, 25, 55), refreshed(3, 50, 80)])
      .when((state) => decideRefreshSession(state, 3, NOW + 75 * DAY_MS))
      .then([refreshed(4, 75, 90)]);
  });

  it('a session ends when a spent refresh token is used again', () => {
    given([began, refreshed(2, 1, 31)])
      .when((state) => decideRefreshSession(state, 1, NOW + 2 * DAY_MS))
      .then([{ type: 'SessionEnded', data: { reason: 'token-reused', endedAt: later(2) } }]);
  });

  it.each([
    ['just before its time is over', 1, 29_999],
    ['by a clock that is behind', 1, -60_000],
  ])('a spent token is forgiven %s, and stays the one before the newest', (_, generation, afterMs) => {
    given([began, refreshed(2, 1, 31)])
      .when((state) => decideRefreshSession(state, generation, NOW + DAY_MS + afterMs, 30_000))
      .thenNothing();
  });

  it.each([
    ['when its time is over', [refreshed(2, 1, 31)], 1, 30_000],
    ['where two were issued since', [refreshed(2, 1, 31), refreshed(3, 1, 31)], 1, 0],
  ] as const)('a spent token ends the session %s', (_, refreshes, generation, afterMs) => {
    given([began, ...refreshes])
      .when((state) => decideRefreshSession(state, generation, NOW + DAY_MS + afterMs, 30_000))
      .then([
        {
          type: 'SessionEnded',
          data: { reason: 'token-reused', endedAt: new Date(NOW + DAY_MS + afterMs).toISOString() },
        },
      ]);
  });

  it('a spent token of a session that has ended is not forgiven', () => {
    given([began, refreshed(2, 1, 31), { type: 'SessionEnded', data: { reason: 'logout', endedAt: later(1) } }])
      .when((state) => decideRefreshSession(state, 1, NOW + DAY_MS, 30_000))
      .thenRefused('AUTHENTICATION_INVALID');
  });

  it.each([
    ['never began', [], 1, 0],
    ['has ended', [began, ended], 1, 2],
    ['was not refreshed for 30 days', [began], 1, 30],
    ['never issued the token', [began], 2, 1],
  ] as const)('a session that %s cannot be refreshed', (_, facts, generation, day) => {
    given(facts)
      .when((state) => decideRefreshSession(state, generation, NOW + day * DAY_MS))
      .thenRefused('AUTHENTICATION_INVALID');
  });

  it('a session ends once', () => {
    given([began])
      .when((state) => endSession(state, NOW + DAY_MS))
      .then([ended])
      .when((state) => endSession(state, NOW + 2 * DAY_MS))
      .thenNothing();
  });

  it('a session that never began cannot be ended', () => {
    given([])
      .when((state) => endSession(state, NOW))
      .thenRefused('AUTHENTICATION_INVALID');
  });

  it('a session has at most one valid refresh token, and none once a spent one was used, in whatever order', () => {
    const shown = fc.array(
      fc.record({ generation: fc.integer({ min: 1, max: 6 }), hours: fc.integer({ max: 400, min: 0 }) }),
    );
    fc.assert(
      fc.property(shown, (attempts) => {
        let nowMs = NOW;
        let state = session.evolve(session.initialState, began);
        let reused = false;
        const spent = new Set<number>();
        for (const { generation, hours } of attempts) {
          nowMs += hours * 3_600_000;
          const wasInForce = isInForce(state, nowMs);
          const outcome = decideRefreshSession(state, generation, nowMs);
          const facts: readonly Fact[] = isRefusal(outcome) ? [] : outcome;
          state = (facts as SessionFact[]).reduce(session.evolve, state);
          const gaveToken = facts.some(({ type }) => type === 'SessionRefreshed');
          expect(gaveToken && spent.has(generation)).toBe(false);
          if (gaveToken) {
            expect(reused).toBe(false);
            spent.add(generation);
          } else if (wasInForce && spent.has(generation)) reused = true;
          const good = [1, 2, 3, 4, 5, 6, 7].filter((one) => {
            const next = decideRefreshSession(state, one, nowMs);
            return !isRefusal(next) && next[0]?.type === 'SessionRefreshed';
          });
          expect(good.length).toBeLessThanOrEqual(reused ? 0 : 1);
          expect(state.expiresAtMs).toBeLessThanOrEqual(NOW + 90 * DAY_MS);
        }
      }),
    );
  });
});
