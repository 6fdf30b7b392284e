import type { EventData, TenancyFact } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type ApiKeyFact = Extract<TenancyFact, { readonly type: `ApiKey${string}` }>;

export type ApiKeyState = {
  /** Null before the key was created. */
  readonly created: EventData<'ApiKeyCreated'> | null;
  /** Of the newest secret; the first one's is 1. */
  readonly generation: number;
  /** Until when the secret before the newest still works. */
  readonly graceUntilMs: number;
  readonly revoked: boolean;
};

const initialState: ApiKeyState = { created: null, generation: 0, graceUntilMs: 0, revoked: false };

function evolve(state: ApiKeyState, fact: ApiKeyFact): ApiKeyState {
  switch (fact.type) {
    case 'ApiKeyCreated':
      return { ...state, created: fact.data, generation: 1 };
    case 'ApiKeyRotated':
      return { ...state, generation: fact.data.generation, graceUntilMs: Date.parse(fact.data.graceUntil) };
    case 'ApiKeyRevoked':
      return { ...state, revoked: true };
  }
}

export const apiKey: Decider<ApiKeyState, ApiKeyFact> = { initialState, evolve };

export type ApiKeyOutcome = readonly ApiKeyFact[] | Refusal;

const NOT_FOUND: Refusal = { refused: 'API_KEY_NOT_FOUND' };
const REVOKED: Refusal = { refused: 'API_KEY_REVOKED' };

function isExpired({ created }: ApiKeyState, nowMs: number): boolean {
  return created !== null && created.expiresAt !== null && Date.parse(created.expiresAt) <= nowMs;
}

/**
 * The generations whose secret is valid now, the newest first; none for a key that is revoked, expired or was never
 * created.
 */
export function generationsInForce(state: ApiKeyState, nowMs: number): readonly number[] {
  const { created, generation, graceUntilMs, revoked } = state;
  if (created === null || revoked || isExpired(state, nowMs)) return [];
  return graceUntilMs > nowMs ? [generation, generation - 1] : [generation];
}

export function createKey(state: ApiKeyState, created: EventData<'ApiKeyCreated'>): ApiKeyOutcome {
  return state.created === null ? [{ type: 'ApiKeyCreated', data: created }] : [];
}

/** An older secret's grace period ends: at most two secrets are valid. An expired key cannot be rotated. */
export function rotateKey(state: ApiKeyState, graceMs: number, nowMs: number): ApiKeyOutcome {
  if (state.created === null) return NOT_FOUND;
  if (state.revoked) return REVOKED;
  if (isExpired(state, nowMs)) return { refused: 'API_KEY_EXPIRED' };
  const graceUntil = new Date(nowMs + graceMs).toISOString();
  const rotatedAt = new Date(nowMs).toISOString();
  return [{ type: 'ApiKeyRotated', data: { generation: state.generation + 1, graceUntil, rotatedAt } }];
}

/** For an expired key too: a key revoked for a reason says so. */
export function revokeKey(state: ApiKeyState, reason: string | null, revokedAt: string): ApiKeyOutcome {
  if (state.created === null) return NOT_FOUND;
  return state.revoked ? REVOKED : [{ type: 'ApiKeyRevoked', data: { reason, revokedAt } }];
}
