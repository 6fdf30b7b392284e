import { describe, expect, it } from 'vitest';
import { apiKey, createKey, generationsInForce, revokeKey, rotateKey } from '../../src/deciders/api-key.ts';
import type { EventData, TenancyFact } from '../../src/events/registry.ts';

type ApiKeyFact = Extract<TenancyFact, { type: `ApiKey${string}` }>;

const AT = '2026-01-05T10:00:00.000Z';
const NOW = Date.parse(AT);
const MINUTE = 60_000;
const iso = (ms: number): string => new Date(ms).toISOString();

const data = (expiresAt: string | null = null): EventData<'ApiKeyCreated'> => ({
  apiKeyId: 'k',
  key: 'bck_12345678',
  name: 'Key',
  scopes: ['rules:read'],
  companies: null,
  expiresAt,
  createdAt: AT,
});
const created = (expiresAt?: string): ApiKeyFact => ({ type: 'ApiKeyCreated', data: data(expiresAt) });
const rotated = (generation: number, graceUntil: string): ApiKeyFact => ({
  type: 'ApiKeyRotated',
  data: { generation, graceUntil, rotatedAt: AT },
});
const revoked: ApiKeyFact = { type: 'ApiKeyRevoked', data: { reason: null, revokedAt: AT } };
const stateAfter = (...facts: ApiKeyFact[]) => facts.reduce(apiKey.evolve, apiKey.initialState);

describe('a key', () => {
  it('is created once', () => {
    expect(createKey(stateAfter(), data())).toEqual([created()]);
    expect(createKey(stateAfter(created()), data())).toEqual([]);
  });

  it('is not there before it was created', () => {
    expect(rotateKey(stateAfter(), 0, NOW)).toEqual({ refused: 'API_KEY_NOT_FOUND' });
    expect(revokeKey(stateAfter(), null, AT)).toEqual({ refused: 'API_KEY_NOT_FOUND' });
    expect(generationsInForce(stateAfter(), NOW)).toEqual([]);
  });

  it('is opened until it expires, and not in that moment any more', () => {
    const state = stateAfter(created(iso(NOW + MINUTE)));
    expect(generationsInForce(state, NOW + MINUTE - 1)).toEqual([1]);
    expect(generationsInForce(state, NOW + MINUTE)).toEqual([]);
  });

  it('once revoked is opened by nothing, and neither rotated nor revoked again', () => {
    const state = stateAfter(created(), rotated(2, iso(NOW + MINUTE)), revoked);
    expect(generationsInForce(state, NOW)).toEqual([]);
    expect(rotateKey(state, 0, NOW)).toEqual({ refused: 'API_KEY_REVOKED' });
    expect(revokeKey(state, null, AT)).toEqual({ refused: 'API_KEY_REVOKED' });
  });

  it('that has expired is revoked still, and not rotated any more', () => {
    const state = stateAfter(created(iso(NOW - 1)));
    expect(revokeKey(state, 'leaked', AT)).toEqual([
      { type: 'ApiKeyRevoked', data: { reason: 'leaked', revokedAt: AT } },
    ]);
    expect(rotateKey(state, 0, NOW)).toEqual({ refused: 'API_KEY_EXPIRED' });
  });
});

describe('a rotation', () => {
  it('counts generations up, and leaves the secret before no moment without grace', () => {
    expect(rotateKey(stateAfter(created()), 0, NOW)).toEqual([rotated(2, AT)]);
    expect(generationsInForce(stateAfter(created(), rotated(2, AT)), NOW)).toEqual([2]);
  });

  it('leaves the secret before until the grace is over', () => {
    const [fact] = rotateKey(stateAfter(created()), MINUTE, NOW) as ApiKeyFact[];
    const state = stateAfter(created(), fact as ApiKeyFact);
    expect(generationsInForce(state, NOW + MINUTE - 1)).toEqual([2, 1]);
    expect(generationsInForce(state, NOW + MINUTE)).toEqual([2]);
  });

  it('ends the grace of an older secret', () => {
    const hour = iso(NOW + 60 * MINUTE);
    expect(generationsInForce(stateAfter(created(), rotated(2, hour), rotated(3, hour)), NOW)).toEqual([3, 2]);
    expect(generationsInForce(stateAfter(created(), rotated(2, hour), rotated(3, AT)), NOW)).toEqual([3]);
  });
});
