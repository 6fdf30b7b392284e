import type { Position } from './options.ts';

/** What an answer says besides its result. */
export type Answer = {
  /** HTTP status: 202 for work that goes on in the background. */
  readonly status: number;
  /** `x-log-position`, what a later read can include; null without one. */
  readonly position: string | null;
  readonly requestId: string | null;
  /** All of them, such as `location`, `x-sync-id` or `idempotency-replayed`. */
  readonly headers: Headers;
};

const answers = new WeakMap<object, Answer>();

/** Connects the result with the answer it came in, without adding anything to the result. */
export function remember<Result extends object>(result: Result, { status, headers }: Response): Result {
  const [position, requestId] = [headers.get('x-log-position'), headers.get('x-request-id')];
  answers.set(result, { status, position, requestId, headers });
  return result;
}

/**
 * The answer that a method's result came in.
 * @throws TypeError if it is not what a method returned, but a copy or a part of it
 */
export function answerOf(result: object): Answer {
  const answer = answers.get(result);
  if (answer === undefined) throw new TypeError('not a result of the client');
  return answer;
}

/** Null where the result came without a position, so that there is nothing to wait for. */
export function positionOf(position: Position): string | null {
  return typeof position === 'string' ? position : answerOf(position).position;
}
