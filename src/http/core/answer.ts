import { utf8Bytes } from '../../shared/utf8-bytes.ts';
import { type ApiError, errorCodes, type Issue } from './errors.ts';

/** An answer to the caller, before it becomes a response of the server. */
export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Null for a status without a body. */
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null;
  /** Keeps the coded forms of a body that is the same every time. */
  readonly codings?: Map<string, Uint8Array<ArrayBuffer>>;
};

/**
 * On every answer unless it says otherwise: OWASP's set for a JSON API, which no browser may cache, frame, sniff or
 * run. They are added when an answer is made, because changing the headers of a finished response costs as much as a
 * whole request.
 */
export const DEFAULT_HEADERS: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=15552000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-frame-options': 'DENY',
  'x-permitted-cross-domain-policies': 'none',
};

const JSON_TYPE = 'application/json; charset=utf-8';

export function jsonAnswer(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': JSON_TYPE, ...headers },
    body: JSON.stringify(body),
  };
}

/** The envelope of a failure; no other members. */
export function failureAnswer(error: ApiError, requestId: string): Answer {
  const [status, message] = errorCodes[error.code];
  const issues = error.meta.issues as readonly Issue[] | undefined;
  const result = issues?.map((issue) => ({
    type: 'field',
    validatorType: issue.code,
    path: issue.path,
    label: issue.message,
  }));
  const body = {
    status: false,
    code: error.code,
    message,
    meta: { requestId, ...error.meta },
    ...(result === undefined ? {} : { result }),
  };
  return jsonAnswer(status, body, error.headers);
}

export function headersOf({ headers }: Answer, more: Readonly<Record<string, string>>): Record<string, string> {
  const all: Record<string, string> = { ...DEFAULT_HEADERS, ...headers, ...more };
  // The one header that both may have, each for its own reason.
  if (headers.vary !== undefined && more.vary !== undefined) all.vary = `${headers.vary}, ${more.vary}`;
  return all;
}

/** From so many characters on, making bytes of a text is faster than leaving that to the socket. */
const LONG_TEXT = 4_096;

export function toResponse(answer: Answer, more: Readonly<Record<string, string>>): Response {
  const { body } = answer;
  const sent = typeof body === 'string' && body.length >= LONG_TEXT ? utf8Bytes(body) : body;
  return new Response(sent, { status: answer.status, headers: headersOf(answer, more) });
}
