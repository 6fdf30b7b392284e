import { describe, expect, it } from 'vitest';
import {
  AuthenticationError,
  BankError,
  ConflictError,
  isBankError,
  NotFoundError,
  PermissionError,
  RateLimitedError,
  UnavailableError,
  ValidationError,
} from '../../sdk/src/index.ts';
import { errorCodes } from '../../src/http/core/errors.ts';
import { fakeService, refused } from './fake-service.ts';

function failureOf(...answer: Parameters<typeof refused>): Promise<unknown> {
  const { client } = fakeService([refused(...answer)], { maxAttempts: 1 });
  return client.getRule('a').then(
    () => null,
    (error: unknown) => error,
  );
}

const CLASSES = [
  [400, ValidationError],
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [413, ValidationError],
  [422, ValidationError],
  [429, RateLimitedError],
  [500, BankError],
  [503, UnavailableError],
] as const;

describe('a failure', () => {
  it.each(CLASSES)('%i is of the class of its kind', async (status, kind) => {
    const failure = await failureOf(status, 'RULE_NOT_FOUND');
    expect(failure).toBeInstanceOf(kind);
    expect(failure).toBeInstanceOf(BankError);
    expect(failure).toMatchObject({ name: kind.name, status, code: 'RULE_NOT_FOUND', requestId: 'request-1' });
  });

  it.each(Object.entries(errorCodes))('%s keeps its code and its status', async (code, [status]) => {
    expect(await failureOf(status, code)).toMatchObject({ code, status });
  });

  it('says what is wrong with the request', async () => {
    const issues = [{ path: 'name', code: 'too_big', message: 'Too long.' }];
    expect(await failureOf(400, 'VALIDATION_FAILED', {}, { issues })).toMatchObject({ issues });
    expect(await failureOf(400, 'CURSOR_INVALID')).toMatchObject({ issues: [] });
  });

  it('says when to come back', async () => {
    expect(await failureOf(429, 'RATE_LIMITED', { 'retry-after': '7' })).toMatchObject({ retryAfter: 7 });
    expect(await failureOf(429, 'PROVIDER_QUOTA_EXHAUSTED')).toMatchObject({ retryAfter: null });
  });

  it('is recognised by its code', async () => {
    const failure = await failureOf(409, 'RULE_VERSION_CONFLICT', {}, { currentVersion: 3 });
    expect(isBankError(failure)).toBe(true);
    expect(isBankError(failure, 'RULE_VERSION_CONFLICT')).toBe(true);
    expect(isBankError(failure, 'RULE_ARCHIVED', 'RULE_VERSION_CONFLICT')).toBe(true);
    expect(isBankError(failure, 'RULE_ARCHIVED')).toBe(false);
    expect(isBankError(new Error('RULE_VERSION_CONFLICT'), 'RULE_VERSION_CONFLICT')).toBe(false);
    if (isBankError(failure, 'RULE_VERSION_CONFLICT')) failure.code satisfies 'RULE_VERSION_CONFLICT';
  });
});
