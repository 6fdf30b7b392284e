import { type Exchange, ProviderError, type ProviderSession } from '../bank-provider.ts';
import type { DemoCredentials } from './demo-credentials.ts';

const BASE = 'https://api.demo-bank.example/v1';

/** The address that a bank with an API would have for it. */
export const accountsUrl = `${BASE}/accounts`;

export function pageUrl(accountId: string, query: Readonly<Record<string, string>>): string {
  return `${BASE}/accounts/${encodeURIComponent(accountId)}/transactions?${new URLSearchParams(query)}`;
}

/**
 * Performs a request and reports it, with its answer or failure, as the exchange it would be with a bank that has an
 * API.
 * @param body what the body of the answer would hold, made from the result
 * @throws whatever the request throws
 */
export function stated<Result>(
  session: ProviderSession,
  { seed }: DemoCredentials,
  url: string,
  carryOut: () => Result,
  body: (result: Result) => unknown,
): Result {
  session.countRequest();
  const basic = Buffer.from(`${session.connectionId}:${seed}`).toString('base64');
  const headers = { accept: 'application/json', authorization: `Basic ${basic}` };
  const request = { method: 'GET', url, request: { headers, body: null } } as const;
  try {
    const result = carryOut();
    session.exchanged({ ...request, response: answered(200, body(result)) });
    return result;
  } catch (error) {
    session.exchanged({ ...request, response: error instanceof ProviderError ? refused(error) : null });
    throw error;
  }
}

function answered(status: number, body: unknown, more: Readonly<Record<string, string>> = {}): Exchange['response'] {
  return { status, headers: { 'content-type': 'application/json', ...more }, body: JSON.stringify(body) };
}

/** Null when the bank did not answer in time. */
function refused({ code, kind, message, retryAfterMs }: ProviderError): Exchange['response'] {
  if (code === 'PROVIDER_TIMEOUT' || code === 'PROVIDER_REQUEST_ABORTED') return null;
  const status = { transient: 503, 'rate-limited': 429, 'credentials-rejected': 401, permanent: 400 }[kind];
  const wait = retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
  return answered(status, { error: code, message }, wait);
}
