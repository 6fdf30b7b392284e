import { BankError, NetworkError } from '../../../sdk/src/index.ts';

/** A failed call as pages show it. */
export type Failure = {
  readonly code: string;
  readonly message: string;
  /** Empty where no answer came. */
  readonly requestId: string;
  /** The right that is missing, for 403. */
  readonly missing: string | null;
  readonly meta: Readonly<Record<string, unknown>>;
};

/** Of an error, or of a failure that was kept. */
export function failureOf(error: unknown): Failure {
  if (isFailure(error)) return error;
  if (error instanceof BankError) {
    const { code, meta, requestId, status } = error;
    const { required } = meta;
    const missing = status === 403 ? (Array.isArray(required) ? required.join(', ') : String(required ?? '')) : null;
    return { code, message: error.message.slice(code.length + 2), requestId, missing, meta };
  }
  const code = error instanceof NetworkError ? 'NO_ANSWER' : 'UNEXPECTED';
  return {
    code,
    message: error instanceof Error ? error.message : String(error),
    requestId: '',
    missing: null,
    meta: {},
  };
}

function isFailure(error: unknown): error is Failure {
  return typeof error === 'object' && error !== null && !(error instanceof Error) && 'requestId' in error;
}
