import type { Refusal, RefusalCode } from '../../deciders/refusal.ts';

type CodeEntry = readonly [status: number, sentence: string];

/**
 * Every code a failure can carry, its HTTP status and what it means. The documentation shows this table; nothing else
 * defines a code.
 */
export const errorCodes = {
  BODY_MALFORMED: [
    400,
    'The body is not valid JSON, has a name twice in an object, half a surrogate pair, or more than 64 levels.',
  ],
  COMPANY_REQUIRED: [400, 'Writes under /banks need the header x-company-id.'],
  CURSOR_INVALID: [400, 'The cursor was not issued for this list with these filters and this sort.'],
  DATE_RANGE_INVALID: [
    400,
    '`from` may not be after `to`, ten years is the longest span, and `asOf` may not be to come.',
  ],
  HEADER_INVALID: [400, 'A request header has a value it cannot have.'],
  QUERY_PARAMETER_UNKNOWN: [400, 'The operation has no such query parameter.'],
  REQUEST_MALFORMED: [400, 'The request is not valid HTTP, or broke off.'],
  RULE_CONDITION_INVALID: [400, 'A condition names a field, operator or value that does not fit.'],
  RULE_TOO_COMPLEX: [400, 'A rule may have 3 levels and 50 conditions.'],
  TRANSACTION_AMOUNT_RANGE_INVALID: [400, 'minAmount may not exceed maxAmount.'],
  VALIDATION_FAILED: [400, 'The request does not fit its schema; see meta.issues.'],
  AUTHENTICATION_INVALID: [401, 'The credentials are not valid.'],
  AUTHENTICATION_REQUIRED: [401, 'The operation needs x-api-key together with x-api-secret, or a bearer token.'],
  LOGIN_FAILED: [401, 'Email or password is wrong, or the user may not sign in.'],
  PERMISSION_DENIED: [403, 'The caller lacks the right; see meta.required.'],
  ANALYTICS_QUERY_UNKNOWN: [404, 'The catalogue of analytics holds no such query.'],
  API_KEY_NOT_FOUND: [404, 'There is no such API key.'],
  ASSIGNMENT_NOT_FOUND: [404, 'There is no such assignment.'],
  COMPANY_NOT_FOUND: [404, 'There is no such company.'],
  CONNECTION_NOT_FOUND: [404, 'There is no such bank connection.'],
  CONNECTOR_LOG_NOT_FOUND: [404, 'There is no such connector log, or its 90 days are over.'],
  ENTITY_NOT_FOUND: [404, 'There is no such entity.'],
  REPLAY_NOT_FOUND: [404, 'There is no such replay.'],
  ROUTE_NOT_FOUND: [404, 'There is no such path.'],
  RULE_NOT_FOUND: [404, 'There is no such rule.'],
  RUN_NOT_FOUND: [404, 'There is no such run.'],
  SCHEDULE_NOT_FOUND: [404, 'There is no such schedule.'],
  SYNC_NOT_FOUND: [404, 'There is no such sync.'],
  TRANSACTION_NOT_FOUND: [404, 'There is no such transaction.'],
  USER_NOT_FOUND: [404, 'There is no such user.'],
  METHOD_NOT_ALLOWED: [405, 'The path does not know this method; see the header allow.'],
  TRANSACTION_IMMUTABLE: [405, 'Transactions come from the bank and cannot be changed.'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  API_KEY_EXPIRED: [409, 'The API key has expired; create another.'],
  API_KEY_REVOKED: [409, 'The API key was revoked, which is final.'],
  ASSIGNMENT_EXISTS: [409, 'The same reference was attached by hand already and is active.'],
  ASSIGNMENT_REVOKED: [409, 'The assignment was revoked, which is final.'],
  AUTOMATION_NOT_RETRYABLE: [409, 'Only automation in status retry or dead can be retried; see meta.status.'],
  CONCURRENT_CHANGE: [409, 'The resource kept changing while the request was carried out; try again.'],
  CONNECTION_ARCHIVED: [409, 'The connection was archived, which is final.'],
  CONNECTION_DISABLED: [409, 'The connection is switched off.'],
  CONNECTION_NOT_SET_UP: [409, 'The connection needs a setup first.'],
  CREDENTIALS_MISSING: [409, 'The connection needs credentials first.'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'A request with this idempotency key is still being carried out.'],
  LAST_ADMIN: [409, 'The last admin who is active can neither be put off nor lose the role.'],
  EVENT_NOT_SEALED: [409, 'No seal covers the event yet; seals come every hour or every 10,000 events.'],
  PREVIEW_ALREADY_USED: [409, 'The preview has had its backfill; see meta.runId.'],
  PREVIEW_NOT_COMPLETED: [409, 'The preview has not completed; see meta.status.'],
  PREVIEW_STALE: [409, 'The rule does something else now than when it was previewed.'],
  RULE_ARCHIVED: [409, 'The rule was archived, which is final.'],
  RULE_VERSION_CONFLICT: [409, 'The rule has moved on; see meta.currentVersion.'],
  RUN_ALREADY_REVERTED: [409, 'The run was reverted already; see meta.runId.'],
  RUN_ENDED: [409, 'The run has ended; see meta.status.'],
  RUN_IN_PROGRESS: [409, 'A backfill or revert of the rule is under way; see meta.runId.'],
  RUN_NOT_REVERTIBLE: [409, 'A preview changes nothing, and a run that has not ended cannot be reverted yet.'],
  SYNC_ENDED: [409, 'The sync has ended; see meta.status.'],
  USER_EXISTS: [409, 'A user with this email exists already.'],
  BODY_TOO_LARGE: [413, 'A body may have 256 KiB.'],
  MEDIA_TYPE_UNSUPPORTED: [415, 'The body must be application/json.'],
  ANALYTICS_TOO_MANY_ROWS: [
    422,
    'The answer would have more than 50,000 rows; ask for fewer days, accounts or currencies.',
  ],
  BANK_NOT_SUPPORTED: [422, 'The catalogue does not hold this bank, or not in this environment.'],
  CREDENTIAL_MODE_MISMATCH: [422, "The credentials are not those of the connection's bank and environment."],
  IDEMPOTENCY_KEY_REUSED: [422, 'Another request was made with this idempotency key.'],
  PASSWORD_WRONG: [422, 'The current password is another one.'],
  SCHEDULE_TOO_FREQUENT: [422, 'Turns may not be closer than 5 minutes.'],
  PROVIDER_QUOTA_EXHAUSTED: [429, 'The bank allows no further sync for now; see meta.nextAllowedAt.'],
  RATE_LIMITED: [429, 'Too many requests; see retry-after.'],
  HEADERS_TOO_LARGE: [431, 'The headers may have 16 KiB.'],
  INTERNAL_ERROR: [500, 'Something went wrong on our side; meta.requestId names the request.'],
  DEPENDENCY_UNAVAILABLE: [503, 'The event store, the read store or the token issuer does not answer; try again.'],
  NOT_READY: [503, 'A part of the service is down, halted or too far behind; see meta.'],
  READ_MODEL_BEHIND: [503, 'The read model has not reached x-min-log-position yet; try again.'],
} as const satisfies Record<RefusalCode, CodeEntry> & Record<string, CodeEntry>;

export type ErrorCode = keyof typeof errorCodes;

export type Issue = { readonly path: string; readonly code: string; readonly message: string };

/** A failure on its way to the caller. `meta` must hold nothing of another tenant and no secret. */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly meta: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  constructor(
    code: ErrorCode,
    meta: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(code);
    this.name = 'ApiError';
    this.code = code;
    this.meta = meta;
    this.headers = headers;
  }
}

export function validationFailed(issues: readonly Issue[]): ApiError {
  return new ApiError('VALIDATION_FAILED', { issues });
}

/** The failure a domain refusal becomes. */
export function refusalError({ refused, meta }: Refusal): ApiError {
  return new ApiError(refused, meta);
}
