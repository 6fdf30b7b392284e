import type { Refusal, RefusalCode } from '../../deciders/refusal.ts';

type CodeEntry = readonly [status: number, sentence: string];

/**
 * Every error code, its HTTP status and its message. The documentation is made from this table; no code is defined
 * elsewhere.
 */
export const errorCodes = {
  BODY_MALFORMED: [
    400,
    'The body is not valid JSON, repeats a name in an object, has an unpaired surrogate or bytes that are not UTF-8, ' +
      'or nests deeper than 64 levels.',
  ],
  COMPANY_REQUIRED: [400, 'Writes under /banks need the header x-company-id.'],
  CURSOR_INVALID: [400, 'The cursor was not issued for this list with these filters and this sort.'],
  DATE_RANGE_INVALID: [
    400,
    '`from` must not be after `to`, the range must not exceed ten years, and `asOf` must not be in the future.',
  ],
  HEADER_INVALID: [400, 'A request header has an invalid value.'],
  QUERY_PARAMETER_UNKNOWN: [400, 'The operation has no such query parameter.'],
  REQUEST_MALFORMED: [400, 'The request is not valid HTTP or is incomplete.'],
  RULE_CONDITION_INVALID: [400, 'A condition has an invalid field, operator or value.'],
  RULE_TOO_COMPLEX: [400, 'A rule may have at most 3 levels and 50 conditions.'],
  TENANT_REQUIRED: [400, 'The person is in several tenants; the request must name one of meta.tenants.'],
  TRANSACTION_AMOUNT_RANGE_INVALID: [400, 'minAmount must not exceed maxAmount.'],
  VALIDATION_FAILED: [400, 'The request does not match its schema; see meta.issues.'],
  AUTHENTICATION_INVALID: [401, 'The credentials are not valid.'],
  AUTHENTICATION_REQUIRED: [401, 'The operation needs x-api-key together with x-api-secret, or a bearer token.'],
  LOGIN_FAILED: [401, 'Email or password is wrong, or the user may not sign in.'],
  ORIGIN_REFUSED: [403, 'A page of another origin must not send this request.'],
  PERMISSION_DENIED: [403, 'The caller does not have permission; see meta.required.'],
  ANALYTICS_QUERY_UNKNOWN: [404, 'There is no such analytics query.'],
  API_KEY_NOT_FOUND: [404, 'There is no such API key.'],
  ASSIGNMENT_NOT_FOUND: [404, 'There is no such assignment.'],
  COMPANY_NOT_FOUND: [404, 'There is no such company.'],
  CONNECTION_NOT_FOUND: [404, 'There is no such bank connection.'],
  CONNECTOR_LOG_NOT_FOUND: [404, 'There is no such connector log, or it is older than 90 days.'],
  ENTITY_NOT_FOUND: [404, 'There is no such entity.'],
  REPLAY_NOT_FOUND: [404, 'There is no such replay.'],
  ROUTE_NOT_FOUND: [404, 'There is no such path.'],
  RULE_NOT_FOUND: [404, 'There is no such rule.'],
  RUN_NOT_FOUND: [404, 'There is no such run.'],
  SCHEDULE_NOT_FOUND: [404, 'There is no such schedule.'],
  SESSION_NOT_FOUND: [404, 'There is no such session.'],
  STATEMENT_FILE_NOT_FOUND: [404, 'The folder of the connection holds no such file, or none at all.'],
  SYNC_NOT_FOUND: [404, 'There is no such sync.'],
  TRANSACTION_NOT_FOUND: [404, 'There is no such transaction.'],
  USER_NOT_FOUND: [404, 'There is no such user.'],
  WEBHOOK_DELIVERY_NOT_FOUND: [404, 'There is no such delivery, or it is older than 30 days.'],
  WEBHOOK_NOT_FOUND: [404, 'There is no such webhook.'],
  METHOD_NOT_ALLOWED: [405, 'The path does not support this method; see the header allow.'],
  TRANSACTION_IMMUTABLE: [405, 'Transactions come from the bank and cannot be changed.'],
  REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
  API_KEY_EXPIRED: [409, 'The API key has expired; create a new one.'],
  API_KEY_REVOKED: [409, 'The API key was revoked, which is final.'],
  ASSIGNMENT_EXISTS: [409, 'The same reference is already attached by hand and active.'],
  ASSIGNMENT_REVOKED: [409, 'The assignment was revoked, which is final.'],
  AUTOMATION_NOT_RETRYABLE: [409, 'Automation can only be retried in status retry or dead; see meta.status.'],
  CONCURRENT_CHANGE: [409, 'The resource kept changing while the request was processed; try again.'],
  CONNECTION_ARCHIVED: [409, 'The connection was archived, which is final.'],
  CONNECTION_DISABLED: [409, 'The connection is disabled.'],
  CONNECTION_NOT_SET_UP: [409, 'The connection must be set up first.'],
  CREDENTIALS_MISSING: [409, 'The connection has no credentials yet.'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'A request with this idempotency key is still in progress.'],
  LAST_ADMIN: [409, 'The last active admin cannot be disabled or lose the role.'],
  EVENT_NOT_SEALED: [409, 'No seal covers the event yet; a seal is written every hour or every 10,000 events.'],
  PREVIEW_ALREADY_USED: [409, 'The preview already has a backfill; see meta.runId.'],
  PREVIEW_NOT_COMPLETED: [409, 'The preview has not completed; see meta.status.'],
  PREVIEW_STALE: [409, 'The rule no longer does what the preview showed.'],
  RULE_ARCHIVED: [409, 'The rule was archived, which is final.'],
  RULE_VERSION_CONFLICT: [409, 'The rule has a newer version; see meta.currentVersion.'],
  RUN_ALREADY_REVERTED: [409, 'The run has already been reverted; see meta.runId.'],
  RUN_ENDED: [409, 'The run has ended; see meta.status.'],
  RUN_IN_PROGRESS: [409, 'A backfill or revert of the rule is in progress; see meta.runId.'],
  RUN_NOT_REVERTIBLE: [409, 'A preview cannot be reverted, nor can a run that has not ended.'],
  STATEMENT_FILE_BEING_WRITTEN: [409, 'The file is still being written; try again.'],
  SYNC_ENDED: [409, 'The sync has ended; see meta.status.'],
  TENANT_LIMIT_REACHED: [409, 'The tenant has as much of it as it may; see meta.what and meta.limit.'],
  USER_EXISTS: [409, 'A user with this email already exists.'],
  WEBHOOK_ARCHIVED: [409, 'The webhook was archived, which is final.'],
  BODY_TOO_LARGE: [413, 'The body must not exceed 256 KiB.'],
  MEDIA_TYPE_UNSUPPORTED: [415, 'The body must be application/json.'],
  ANALYTICS_TOO_MANY_ROWS: [422, 'The answer would exceed 50,000 rows; request fewer days, accounts or currencies.'],
  BANK_NOT_SUPPORTED: [422, 'The bank is not supported, or not in this environment.'],
  CREDENTIAL_MODE_MISMATCH: [422, "The credentials do not match the connection's bank and environment."],
  CREDENTIALS_UNREADABLE: [422, 'The stored credentials can no longer be decrypted; put them again.'],
  DRY_RUN_NOT_SUPPORTED: [422, 'The bank delivers no files that could be tried.'],
  IDEMPOTENCY_KEY_REUSED: [422, 'This idempotency key was already used for a different request.'],
  PASSWORD_WRONG: [422, 'The current password is wrong.'],
  SCHEDULE_TOO_FREQUENT: [422, 'Turns must be at least 5 minutes apart.'],
  STATEMENT_FOLDER_NOT_GRANTED: [422, 'The statements folder does not exist, or is not granted to this company.'],
  WEBHOOK_URL_REFUSED: [422, 'The receiver must be a public https address without credentials in it.'],
  PROVIDER_QUOTA_EXHAUSTED: [429, 'The bank does not allow another sync yet; see meta.nextAllowedAt.'],
  TENANT_BUSY: [
    429,
    'The tenant has made too many requests, or has too many costly ones in progress; see retry-after.',
  ],
  RATE_LIMITED: [429, 'Too many requests; see retry-after.'],
  HEADERS_TOO_LARGE: [431, 'The headers must not exceed 16 KiB.'],
  INTERNAL_ERROR: [500, 'An internal error occurred; quote meta.requestId when reporting it.'],
  DEPENDENCY_UNAVAILABLE: [503, 'The event store, the read store or the token issuer does not respond; try again.'],
  NOT_READY: [503, 'Part of the service is down, halted or too far behind; see meta.'],
  READ_MODEL_BEHIND: [
    503,
    'The read model is being filled for the first time, or has not reached x-min-log-position yet; try again.',
  ],
} as const satisfies Record<RefusalCode, CodeEntry> & Record<string, CodeEntry>;

export type ErrorCode = keyof typeof errorCodes;

export type Issue = { readonly path: string; readonly code: string; readonly message: string };

/** A failure that the caller gets. `meta` must hold nothing of another tenant and no secret. */
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

/** The failure for a refusal of the domain. */
export function refusalError({ refused, meta }: Refusal): ApiError {
  return new ApiError(refused, meta);
}
