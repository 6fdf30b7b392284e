import { openRepetition } from '../../commands/repetition.ts';
import { sha256 } from '../../shared/hash.ts';
import { repeatableIds } from '../../shared/ids.ts';
import type { Claim } from '../../traffic/request-claims.ts';
import { type Answer, failureAnswer } from './answer.ts';
import { ApiError, type ErrorCode } from './errors.ts';
import { type Exchange, toApiError } from './handle-exchange.ts';
import { type Call, type Operation, takesIdempotencyKey } from './operation.ts';

type AnyCall = Call<never, never, never>;

/** Refusals that say nothing about the request: the same one may be accepted later. */
const PASSING: ReadonlySet<ErrorCode> = new Set(['CONCURRENT_CHANGE', 'TENANT_BUSY', 'TENANT_LIMIT_REACHED']);

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Executes a request once per idempotency key: the same request again gets the first answer. A 5xx is not kept, nor is
 * a temporary refusal, such as CONCURRENT_CHANGE; the repetition then continues what was started. @throws ApiError
 * HEADER_INVALID, IDEMPOTENCY_IN_PROGRESS, IDEMPOTENCY_KEY_REUSED and whatever the execution throws
 */
export async function onlyOnce(
  operation: Operation,
  exchange: Exchange,
  call: AnyCall,
  carryOut: (call: AnyCall) => Promise<Answer>,
): Promise<Answer> {
  const key = takesIdempotencyKey(operation) ? exchange.context.req.header('idempotency-key') : undefined;
  if (key === undefined) return carryOut(call);
  if (!KEY.test(key)) throw new ApiError('HEADER_INVALID', { header: 'idempotency-key' });
  const whose = operation.access === 'anyone' ? null : call.caller.tenantId;
  const claimed = await exchange.services.requestClaims.claim(whose, key, sameness(exchange, call));
  switch (claimed.outcome) {
    case 'claimed':
      return underClaim(claimed.claim, whose === null, exchange, call, carryOut);
    case 'answered': {
      const { status, headers, body } = claimed.answer;
      return { status, headers: { ...headers, 'idempotency-replayed': 'true' }, body };
    }
    case 'running':
      throw new ApiError('IDEMPOTENCY_IN_PROGRESS', {}, { 'retry-after': '1' });
    case 'other-request':
      throw new ApiError('IDEMPOTENCY_KEY_REUSED');
  }
}

/** Two requests are the same when the same caller sends the same content for the same company. */
function sameness({ context, body }: Exchange, { caller, companyId }: AnyCall): string {
  const { pathname, search } = new URL(context.req.url);
  return sha256(JSON.stringify([context.req.method, pathname + search, companyId, caller.actor.id, body]));
}

async function underClaim(
  claim: Claim,
  isStranger: boolean,
  exchange: Exchange,
  call: AnyCall,
  carryOut: (call: AnyCall) => Promise<Answer>,
): Promise<Answer> {
  const { seed, firstMs, again, keep, release, forget } = claim;
  const context = {
    ...call.context,
    newId: repeatableIds(seed, firstMs),
    repetition: openRepetition(seed, firstMs, again),
  };
  let answer: Answer;
  try {
    answer = await carryOut({ ...call, context });
  } catch (error) {
    const failure = toApiError(error);
    answer = failureAnswer(failure, exchange.requestId);
    if (answer.status >= 500 || PASSING.has(failure.code)) {
      await release().catch((cause: unknown) => noteUnkept(exchange, cause));
      throw error;
    }
    // Failures of unauthenticated callers are not kept for a day.
    if (isStranger) {
      await forget().catch((cause: unknown) => noteUnkept(exchange, cause));
      throw error;
    }
  }
  const { status, headers, body } = answer;
  // What was done remains when its answer cannot be kept: a repetition finds it by its ids.
  if (typeof body === 'string') {
    await keep({ status, headers, body }).catch((cause: unknown) => noteUnkept(exchange, cause));
  }
  return answer;
}

function noteUnkept({ services, requestId }: Exchange, err: unknown): void {
  services.logger.error({ requestId, err }, 'the answer for an idempotency key could not be stored');
}
