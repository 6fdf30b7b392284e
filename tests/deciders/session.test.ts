import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact } from '../../src/deciders/decider.ts';
import { isRefusal } from '../../src/deciders/decider.ts';
import { beginSession, endSession, isInForce, refreshSession, session } from '../../src/deciders/session.ts';
import type { SessionFact } from '../../src/events/registry.ts';
import { given } from './given.ts';

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
const having = (...facts: SessionFact[]) => given(session, facts);
const INVALID = { refused: 'AUTHENTICATION_INVALID' };

describe('a session', () => {
  it('begins with a token for 30 days', () => {
    expect(beginSession({ sessionId: 's', userId: 'u', nowMs: NOW })).toEqual([began]);
  });

  it('goes on for 30 days with each refresh, and for 90 in all', () => {
    const afterwards = having(began);
    expect(afterwards((state) => refreshSession(state, 1, NOW + 20 * DAY_MS))).toEqual([refreshed(2, 20, 50)]);
    const old = having(began, refreshed(2, 25, 55), refreshed(3, 50, 80));
    expect(old((state) => refreshSession(state, 3, NOW + 75 * DAY_MS))).toEqual([refreshed(4, 75, 90)]);
  });

  it('ends when a token that was spent is shown', () => {
    const afterwards = having(began, refreshed(2, 1, 31));
    expect(afterwards((state) => refreshSession(state, 1, NOW + 2 * DAY_MS))).toEqual([
      { type: 'SessionEnded', data: { reason: 'token-reused', endedAt: later(2) } },
    ]);
  });

  it.each([
    ['never was', [], 1, 0],
    ['has ended', [began, ended], 1, 2],
    ['is 30 days old', [began], 1, 30],
    ['never gave that token', [began], 2, 1],
  ] as const)('is not refreshed when it %s', (_, facts, generation, day) => {
    const afterwards = having(...(facts as readonly SessionFact[]));
    expect(afterwards((state) => refreshSession(state, generation, NOW + day * DAY_MS))).toEqual(INVALID);
  });

  it('ends once', () => {
    expect(having(began)((state) => endSession(state, NOW + DAY_MS))).toEqual([ended]);
    expect(having(began, ended)((state) => endSession(state, NOW + 2 * DAY_MS))).toEqual([]);
    expect(having()((state) => endSession(state, NOW))).toEqual(INVALID);
  });

  it('whatever tokens are shown in whatever order, has one good token at the most, and none once a spent one was shown', () => {
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
          const outcome = refreshSession(state, generation, nowMs);
          const facts: readonly Fact[] = isRefusal(outcome) ? [] : outcome;
          state = (facts as SessionFact[]).reduce(session.evolve, state);
          const gaveToken = facts.some(({ type }) => type === 'SessionRefreshed');
          expect(gaveToken && spent.has(generation)).toBe(false);
          if (gaveToken) {
            expect(reused).toBe(false);
            spent.add(generation);
          } else if (wasInForce && spent.has(generation)) reused = true;
          const good = [1, 2, 3, 4, 5, 6, 7].filter((one) => {
            const next = refreshSession(state, one, nowMs);
            return !isRefusal(next) && next[0]?.type === 'SessionRefreshed';
          });
          expect(good.length).toBeLessThanOrEqual(reused ? 0 : 1);
          expect(state.expiresAtMs).toBeLessThanOrEqual(NOW + 90 * DAY_MS);
        }
      }),
    );
  });
});
