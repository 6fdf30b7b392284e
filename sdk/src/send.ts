import { BankError, bankError, type Failure, NetworkError } from './errors.ts';
import type { CallOptions, ClientOptions } from './options.ts';
import type { ErrorCode } from './types.ts';

/** A call that is ready to be sent, as often as it takes. */
export type Outgoing = {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: string | undefined;
  /** Whether sending it again does nothing twice. */
  readonly isRepeatable: boolean;
  /** Whether a successful answer may be text that is not JSON. */
  readonly isStream: boolean;
  readonly authorization: () => Promise<Readonly<Record<string, string>>>;
};

const TIMEOUT_MS = 60_000;
const ATTEMPTS = 4;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 8_000;
/** An answer that asks for more patience than this is the caller's to handle. */
const LONGEST_RETRY_AFTER_S = 60;

/**
 * Sends it until there is an answer that another attempt cannot change. The result is that of the envelope, or the
 * response itself where it is a stream.
 * @throws BankError, NetworkError, or the reason of the signal
 */
export async function send(
  outgoing: Outgoing,
  { signal, timeoutMs = TIMEOUT_MS, maxAttempts = ATTEMPTS }: CallOptions,
  { fetch = globalThis.fetch, parseJson = JSON.parse }: ClientOptions,
): Promise<{ readonly result: object; readonly response: Response }> {
  signal?.throwIfAborted();
  for (let attempt = 1; ; attempt += 1) {
    // Outside of what is retried: a caller's function that fails is the caller's to mend.
    const authorization = await outgoing.authorization();
    try {
      return await once(outgoing, authorization, { signal, timeoutMs, fetch, parseJson });
    } catch (error) {
      signal?.throwIfAborted();
      const isFailure = error instanceof BankError || error instanceof NetworkError;
      if (!isFailure || attempt >= maxAttempts || !mayRetry(error, outgoing)) throw error;
      await pause(pauseMs(error, attempt), signal);
    }
  }
}

type Means = {
  readonly signal: AbortSignal | undefined;
  readonly timeoutMs: number;
  readonly fetch: NonNullable<ClientOptions['fetch']>;
  readonly parseJson: (text: string) => unknown;
};

async function once(
  { method, url, headers, body, isStream }: Outgoing,
  authorization: Readonly<Record<string, string>>,
  { signal, timeoutMs, fetch, parseJson }: Means,
): Promise<{ readonly result: object; readonly response: Response }> {
  signal?.throwIfAborted();
  const abort = new AbortController();
  const end = (): void => abort.abort(signal?.reason);
  signal?.addEventListener('abort', end, { once: true });
  const timer = setTimeout(() => abort.abort(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  let isHandedOver = false;
  // Without the query, which may hold names and numbers of people.
  const what = `${method} ${url.split('?')[0]}`;
  try {
    const sent = new Headers(headers);
    for (const [name, value] of Object.entries(authorization)) sent.set(name, value);
    // A redirect would take the secret along to wherever it leads.
    const init: RequestInit = { method, headers: sent, redirect: 'error', signal: abort.signal };
    const response = await fetch(url, body === undefined ? init : { ...init, body });
    if (response.ok && isStream && !isJson(response)) {
      isHandedOver = true;
      return { result: response, response };
    }
    const envelope = parsed(await response.text(), parseJson);
    if (response.ok && envelope?.status === true && isObject(envelope.result)) {
      return { result: envelope.result, response };
    }
    if (!response.ok && typeof envelope?.code === 'string') throw bankError(failureOf(response, envelope));
    throw new NetworkError(
      `${what} answered ${response.status}, not as the service does`,
      response.status,
      retryAfterOf(response),
    );
  } catch (error) {
    if (error instanceof BankError || error instanceof NetworkError) throw error;
    throw new NetworkError(`${what} got no answer`, null, null, { cause: error });
  } finally {
    clearTimeout(timer);
    // What is still being read ends with the signal too.
    if (!isHandedOver) signal?.removeEventListener('abort', end);
  }
}

function isJson({ headers }: Response): boolean {
  return (headers.get('content-type') ?? '').startsWith('application/json');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function parsed(text: string, parseJson: (text: string) => unknown): Record<string, unknown> | null {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function failureOf(response: Response, { code, message, meta }: Record<string, unknown>): Failure {
  return {
    status: response.status,
    code: code as ErrorCode,
    message: String(message ?? ''),
    meta: isObject(meta) ? meta : {},
    retryAfter: retryAfterOf(response),
  };
}

function retryAfterOf({ headers }: Response): number | null {
  const text = headers.get('retry-after') ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/**
 * A rate limit names when to come back; the quota of a bank does not, and lasts for hours. What may have been done is
 * only sent again where that does nothing twice. Whether the service is ready is an answer, not a failure to answer.
 */
function mayRetry(error: BankError | NetworkError, { isRepeatable }: Outgoing): boolean {
  const { status, retryAfter } = error;
  if ((retryAfter ?? 0) > LONGEST_RETRY_AFTER_S) return false;
  if (error instanceof NetworkError) {
    return isRepeatable && (status === null || status === 429 || (status >= 502 && status <= 504));
  }
  if (status === 429) return retryAfter !== null;
  if (error.code === 'IDEMPOTENCY_IN_PROGRESS') return true;
  return isRepeatable && (status === 503 || status === 408) && error.code !== 'NOT_READY';
}

/** Doubles, and is spread over its upper half; never shorter than what the answer asked for. */
function pauseMs({ retryAfter }: BankError | NetworkError, attempt: number): number {
  const backoffMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1));
  const jitter = 0.5 + Math.random() / 2;
  const askedMs = (retryAfter ?? 0) * 1_000;
  return askedMs > 0 ? askedMs + (jitter - 0.5) * FIRST_PAUSE_MS : backoffMs * jitter;
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, milliseconds);
    signal?.addEventListener('abort', end, { once: true });
  });
}
