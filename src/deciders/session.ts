import type { SessionFact } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type SessionState = {
  /** Null before the login. */
  readonly session: { readonly id: string; readonly userId: string; readonly beganAtMs: number } | null;
  /** Of the one refresh token that is valid. */
  readonly generation: number;
  /** When that token was issued. */
  readonly issuedAtMs: number;
  readonly expiresAtMs: number;
  readonly ended: 'logout' | 'token-reused' | null;
};

const initialState: SessionState = {
  session: null,
  generation: 0,
  issuedAtMs: 0,
  expiresAtMs: 0,
  ended: null,
};

function evolve(state: SessionState, fact: SessionFact): SessionState {
  switch (fact.type) {
    case 'SessionBegan': {
      const { sessionId: id, userId, beganAt, expiresAt } = fact.data;
      const began = { id, userId, beganAtMs: Date.parse(beganAt) };
      return {
        session: began,
        generation: 1,
        issuedAtMs: began.beganAtMs,
        expiresAtMs: Date.parse(expiresAt),
        ended: null,
      };
    }
    case 'SessionRefreshed': {
      const { generation, refreshedAt, expiresAt } = fact.data;
      return { ...state, generation, issuedAtMs: Date.parse(refreshedAt), expiresAtMs: Date.parse(expiresAt) };
    }
    case 'SessionEnded':
      return { ...state, ended: fact.data.reason };
  }
}

export const session: Decider<SessionState, SessionFact> = { initialState, evolve };

export type SessionOutcome = readonly SessionFact[] | Refusal;

const DAY_MS = 86_400_000;
/** A refresh token is valid for this long after the login or refresh that issued it. */
export const UNUSED_FOR_MS = 30 * DAY_MS;
/** After this long a person signs in again, however often the session was refreshed. */
export const WHOLE_LIFE_MS = 90 * DAY_MS;

const INVALID: Refusal = { refused: 'AUTHENTICATION_INVALID' };

const iso = (epochMs: number): string => new Date(epochMs).toISOString();

function expiryOf(beganAtMs: number, nowMs: number): string {
  return iso(Math.min(nowMs + UNUSED_FOR_MS, beganAtMs + WHOLE_LIFE_MS));
}

export function isInForce(state: SessionState, nowMs: number): boolean {
  return state.session !== null && state.ended === null && state.expiresAtMs > nowMs;
}

/** @param began `userAgent` in the form that the event takes; absent where the client gave none */
export function beginSession(began: {
  sessionId: string;
  userId: string;
  userAgent?: string;
  nowMs: number;
}): SessionOutcome {
  const { nowMs, ...of } = began;
  const data = { ...of, beganAt: iso(nowMs), expiresAt: expiryOf(nowMs, nowMs) };
  return [{ type: 'SessionBegan', data }];
}

/**
 * The token of the present generation is exchanged for the next one. An older one was already exchanged, so two parties
 * hold it: which of them stole it is unknown, and the whole session ends.
 *
 * @param forgivenMs for this long after an exchange, a second one of the same token changes nothing: its holder may not
 *   have seen the answer, and is to get the present token again
 */
export function decideRefreshSession(
  state: SessionState,
  generation: number,
  nowMs: number,
  forgivenMs = 0,
): SessionOutcome {
  if (state.session === null || !isInForce(state, nowMs) || generation > state.generation) return INVALID;
  if (generation < state.generation) {
    if (generation === state.generation - 1 && nowMs - state.issuedAtMs < forgivenMs) return [];
    return [{ type: 'SessionEnded', data: { reason: 'token-reused', endedAt: iso(nowMs) } }];
  }
  const expiresAt = expiryOf(state.session.beganAtMs, nowMs);
  return [{ type: 'SessionRefreshed', data: { generation: state.generation + 1, refreshedAt: iso(nowMs), expiresAt } }];
}

export function endSession(state: SessionState, nowMs: number): SessionOutcome {
  if (state.session === null) return INVALID;
  if (!isInForce(state, nowMs)) return [];
  return [{ type: 'SessionEnded', data: { reason: 'logout', endedAt: iso(nowMs) } }];
}
