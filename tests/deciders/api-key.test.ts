import { describe, it } from 'vitest';
import {
  type ApiKeyFact,
  apiKey,
  createKey,
  generationsInForce,
  revokeKey,
  rotateKey,
} from '../../src/deciders/api-key.ts';
import type { EventData } from '../../src/events/registry.ts';
import { specification } from './specification.ts';

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
const given = specification(apiKey);

describe('API key', () => {
  it('a key is created once', () => {
    given([])
      .when((key) => createKey(key, data()))
      .then([created()]);
    given([created()])
      .when((key) => createKey(key, data()))
      .thenNothing();
  });

  it('a key that was never created cannot be rotated, revoked or used', () => {
    given([])
      .when((key) => rotateKey(key, 0, NOW))
      .thenRefused('API_KEY_NOT_FOUND');
    given([])
      .when((key) => revokeKey(key, null, AT))
      .thenRefused('API_KEY_NOT_FOUND');
    given([])
      .asking((key) => generationsInForce(key, NOW))
      .gives([]);
  });

  it('a key is valid until the moment it expires', () => {
    const expiring = given([created(iso(NOW + MINUTE))]);
    expiring.asking((key) => generationsInForce(key, NOW + MINUTE - 1)).gives([1]);
    expiring.asking((key) => generationsInForce(key, NOW + MINUTE)).gives([]);
  });

  it('a key that is revoked has no valid secret, and cannot be rotated or revoked again', () => {
    const gone = given([created(), rotated(2, iso(NOW + MINUTE)), revoked]);
    gone.asking((key) => generationsInForce(key, NOW)).gives([]);
    gone.when((key) => rotateKey(key, 0, NOW)).thenRefused('API_KEY_REVOKED');
    gone.when((key) => revokeKey(key, null, AT)).thenRefused('API_KEY_REVOKED');
  });

  it('a key that has expired can be revoked but not rotated', () => {
    const expired = given([created(iso(NOW - 1))]);
    expired
      .when((key) => revokeKey(key, 'leaked', AT))
      .then([{ type: 'ApiKeyRevoked', data: { reason: 'leaked', revokedAt: AT } }]);
    expired.when((key) => rotateKey(key, 0, NOW)).thenRefused('API_KEY_EXPIRED');
  });

  it('a rotation without grace starts the next generation and invalidates the previous secret at once', () => {
    given([created()])
      .when((key) => rotateKey(key, 0, NOW))
      .then([rotated(2, AT)])
      .asking((key) => generationsInForce(key, NOW))
      .gives([2]);
  });

  it('a rotation with grace keeps the previous secret valid until the grace ends', () => {
    const inGrace = given([created()])
      .when((key) => rotateKey(key, MINUTE, NOW))
      .then([rotated(2, iso(NOW + MINUTE))]);
    inGrace.asking((key) => generationsInForce(key, NOW + MINUTE - 1)).gives([2, 1]);
    inGrace.asking((key) => generationsInForce(key, NOW + MINUTE)).gives([2]);
  });

  it('a second rotation ends the grace of the oldest secret', () => {
    const hour = iso(NOW + 60 * MINUTE);
    given([created(), rotated(2, hour), rotated(3, hour)])
      .asking((key) => generationsInForce(key, NOW))
      .gives([3, 2]);
    given([created(), rotated(2, hour), rotated(3, AT)])
      .asking((key) => generationsInForce(key, NOW))
      .gives([3]);
  });
});
