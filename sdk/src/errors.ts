import type { ErrorCode } from './types.ts';

/** One fault of a request: where, which, and in words. */
export type Issue = { readonly path: string; readonly code: string; readonly message: string };

export type Failure = {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Seconds; null where the answer names none. */
  readonly retryAfter: number | null;
};

/** The service refused the call or failed. Decide by `code`, or by the class; never by `message`. */
export class BankError extends Error {
  override readonly name: string = 'BankError';
  /** A newer service may answer with a code that this version of the client does not list. */
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  readonly meta: Readonly<Record<string, unknown>>;
  /** Seconds after which a retry may succeed; null where the answer names none. */
  readonly retryAfter: number | null;
  constructor({ code, status, message, meta, retryAfter }: Failure) {
    super(`${code}: ${message}`);
    this.code = code;
    this.status = status;
    this.meta = meta;
    this.retryAfter = retryAfter;
  }

  /** To quote when reporting the failure; empty if the answer had none. */
  get requestId(): string {
    return typeof this.meta.requestId === 'string' ? this.meta.requestId : '';
  }
}

/** 401: no credentials, or wrong, expired or revoked ones. */
export class AuthenticationError extends BankError {
  override readonly name = 'AuthenticationError';
}

/** 403: `meta.required` names the scope or role that is missing. */
export class PermissionError extends BankError {
  override readonly name = 'PermissionError';
}

/** 404: no such resource, at least none that the caller may see. */
export class NotFoundError extends BankError {
  override readonly name = 'NotFoundError';
}

/** 409: the state of the resource does not allow it. */
export class ConflictError extends BankError {
  override readonly name = 'ConflictError';
}

/** Any other 4xx: the request is not acceptable as it is. */
export class ValidationError extends BankError {
  override readonly name = 'ValidationError';
  /** The faults of a request that does not match its schema; empty for other codes. */
  get issues(): readonly Issue[] {
    return Array.isArray(this.meta.issues) ? this.meta.issues : [];
  }
}

/** 429: too many requests, or more than the bank allows. */
export class RateLimitedError extends BankError {
  override readonly name = 'RateLimitedError';
}

/** 408 or 503: the service cannot do it now. */
export class UnavailableError extends BankError {
  override readonly name = 'UnavailableError';
}

/** No answer of the service arrived: `cause` is what fetch threw, or `status` that of something in between. */
export class NetworkError extends Error {
  override readonly name = 'NetworkError';
  /** HTTP status of an answer that is not the service's; null without an answer. */
  readonly status: number | null;
  /** Seconds, as that answer asked; null where it did not. */
  readonly retryAfter: number | null;
  constructor(message: string, status: number | null, retryAfter: number | null, options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

const CLASS_BY_STATUS: Readonly<Record<number, new (failure: Failure) => BankError>> = {
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  408: UnavailableError,
  409: ConflictError,
  429: RateLimitedError,
  503: UnavailableError,
};

export function bankError(failure: Failure): BankError {
  const { status } = failure;
  return new (CLASS_BY_STATUS[status] ?? (status < 500 ? ValidationError : BankError))(failure);
}

/** Whether it is a failure of the service, and where codes are given, one of these. */
export function isBankError<Code extends ErrorCode = ErrorCode>(
  error: unknown,
  ...codes: readonly Code[]
): error is BankError & { readonly code: Code } {
  return error instanceof BankError && (codes.length === 0 || (codes as readonly string[]).includes(error.code));
}
