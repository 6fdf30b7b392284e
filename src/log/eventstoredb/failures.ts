import { LogUnavailable } from '../log.ts';

/** A definite refusal by the server; a retry would get the same answer. */
export class Refused extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'Refused';
  }
}

const FINAL_TYPES = new Set(['access-denied', 'invalid-argument', 'stream-deleted', 'unsupported']);
const UNIMPLEMENTED = 12;

function field(error: unknown, name: 'type' | 'code'): unknown {
  return typeof error === 'object' && error !== null && name in error ? Reflect.get(error, name) : undefined;
}

export function isStreamNotFound(error: unknown): boolean {
  return field(error, 'type') === 'stream-not-found';
}

/** A fault of this process, not an answer of the server. */
export function isOwnFault(error: unknown): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

/**
 * Anything without a definite answer of the server is retried: unavailable, timeout, cancelled, "Server Is Not Ready",
 * a raw gRPC error.
 */
export function isFinal(error: unknown): boolean {
  if (error instanceof Refused || isOwnFault(error)) return true;
  return FINAL_TYPES.has(String(field(error, 'type'))) || field(error, 'code') === UNIMPLEMENTED;
}

function describe(error: unknown): string {
  const text = error instanceof Error && error.message !== '' ? error.message : String(field(error, 'type') ?? error);
  return text.slice(0, 300);
}

export function unavailable(what: string, cause: unknown): LogUnavailable {
  if (cause instanceof LogUnavailable) return cause;
  return new LogUnavailable(`EventStoreDB: ${what}: ${describe(cause)}`, { cause });
}
