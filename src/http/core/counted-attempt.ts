import { hash } from 'node:crypto';
import { ApiError, type ErrorCode } from './errors.ts';
import type { HttpServices } from './http-services.ts';

const WRONG: ReadonlySet<ErrorCode> = new Set(['AUTHENTICATION_INVALID', 'LOGIN_FAILED']);

/**
 * Tries credentials, unless too many from the same address were wrong; keys, tokens and passwords count alike.
 * @throws ApiError RATE_LIMITED, and whatever the attempt throws
 */
export async function countedAttempt<Result>(
  { failedAttempts }: HttpServices,
  address: string,
  credentials: readonly string[],
  attempt: () => Promise<Result>,
): Promise<Result> {
  const digest = hash('sha256', credentials.join('\n'));
  const barredSeconds = failedAttempts.barredFor(address, digest);
  if (barredSeconds !== null) throw new ApiError('RATE_LIMITED', {}, { 'retry-after': String(barredSeconds) });
  try {
    const result = await attempt();
    failedAttempts.succeeded(digest);
    return result;
  } catch (error) {
    if (error instanceof ApiError && WRONG.has(error.code)) failedAttempts.failed(address, digest);
    throw error;
  }
}
