// Made from the OpenAPI document by a test; `PIN=sdk npx vitest run --project all tests/sdk` makes it anew.

import type { CallOptions, WaitOptions } from './options.ts';

export type BankTransaction = {
  id: string;
  companies: string;
  accountId: string | null;
  subAccountKey: string | null;
  status: boolean;
  version: string;
  providerStamp: string;
  /** @deprecated */
  stamp?: string | null;
  transactionDate: string | null;
  fetchedAt: string | null;
  code: string | null;
  idNo: string;
  findAI: boolean;
  nameSurname: string | null;
  iban: string | null;
  incoming: boolean;
  amount: number;
  balance: number;
  description: string | null;
  currency: string | null;
  bankCode: string;
  assignmentSummary: TransactionAssignmentSummary;
  automation: TransactionAutomation;
  assignments?: TransactionAssignment[];
  createdAt: string | null;
  updatedAt: string | null;
};

export type TransactionAssignmentSummary = {
  referenceKeys: string[];
  tags: string[];
  count: number;
  updatedAt: string | null;
};

export type TransactionAutomation = {
  status: 'legacy' | 'pending' | 'processing' | 'retry' | 'completed' | 'dead';
  attempts: number;
  nextAttemptAt: string | null;
  lastAttemptAt: string | null;
  lastEvaluatedAt: string | null;
  lastError: string | null;
  lockOwner: string | null;
  lockUntil: string | null;
};

export type TransactionAssignment = {
  id: string;
  companies: string;
  transactionId: string;
  origin: 'rule' | 'manual';
  originId: string;
  ruleId: string | null;
  ruleVersion: number | null;
  reference: ExternalReference;
  referenceKey: string;
  tags: string[];
  status: 'active' | 'revoked';
  matchedAt: string | null;
  revokedAt: string | null;
  revokedReason: string | null;
  createdAt: string | null;
  updatedAt: string | null;
  ruleSnapshotHash: string | null;
  createdBy: string | null;
  updatedBy: string | null;
};

export type ExternalReference = {
  source: string;
  entityType: string;
  externalId: string;
  label?: string | null;
};

export type BankConnection = {
  id: string;
  companies: string;
  status: boolean;
  bankCode: string;
  environment: 'demo' | 'production';
  subAccounts: SubAccount[];
  title: string;
  lastProviderSetupAt?: string;
  lastProviderSyncAt?: string;
  syncHealth: SyncHealth;
  credentials?: CredentialsReceipt;
  archivedAt?: string;
  createdAt: string;
  updatedAt: string;
};

export type SubAccount = {
  subAccountKey: string;
  bankCode: string;
  currency: string;
  balance: number;
  id: string;
  providerAccountId: string;
  customerNo?: string;
  accountNo?: string;
  iban?: string;
  accountType?: string;
  accountName?: string;
  branchId?: string;
  branchName?: string;
  blockedBalance?: number;
  availableBalance?: number;
  openingDate?: string;
  lastTransactionDate?: string;
  /** Another company of the tenant owns this account; nothing of it is synced here. */
  ownedElsewhere?: true;
  createdAt: string;
  updatedAt: string;
};

export type SyncHealth = {
  status: 'never' | 'running' | 'healthy' | 'degraded' | 'failing' | 'rate_limited' | 'credentials_rejected';
  lastAttemptAt?: string;
  lastSuccessAt?: string;
  lastErrorAt?: string;
  lastErrorCode?: string;
  lastErrorMessage?: string;
  lastDurationMs?: number;
  lastTriggerType?: 'manual' | 'schedule' | 'setup';
  lastResult?: {
    fetched: number;
    inserted: number;
    duplicates: number;
  };
};

export type CredentialsReceipt = {
  environment: 'demo' | 'production';
  fingerprint: string;
  updatedAt: string;
};

export type Sync = {
  id: string;
  companies: string;
  accountId: string;
  ordinal: number;
  trigger: 'manual' | 'schedule' | 'setup';
  status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  cancelRequested: boolean;
  from?: string;
  to?: string;
  windows: {
    subAccountKey: string;
    from: string;
    to: string;
  }[];
  pages: number;
  requests: number;
  attempts: number;
  nextAttemptAt?: string;
  counts: {
    fetched: number;
    inserted: number;
    duplicates: number;
    conflicts: number;
    withdrawn: number;
  };
  subAccounts: {
    subAccountKey: string;
    pages: number;
    fetched: number;
    inserted: number;
    duplicates: number;
    conflicts: number;
    withdrawn: number;
  }[];
  /** What could not be read, at most 1,000. */
  faults: SyncFault[];
  /** Irregularities in data that was accepted; at most 100. */
  notes: SyncFault[];
  error?: SyncFault;
  requestedAt: string;
  startedAt?: string;
  endedAt?: string;
  durationMs?: number;
  requestedBy: string;
};

export type SyncFault = {
  code: string;
  message: string;
  source?: string;
  place?: string;
};

export type RuleRun = {
  id: string;
  companies: string;
  ruleId: string;
  ruleVersion: number;
  type: 'preview' | 'backfill' | 'revert';
  status: 'pending' | 'processing' | 'completed' | 'retry' | 'dead' | 'cancelled';
  scope: {
    from?: string;
    to?: string;
    accountIds?: string[];
    bankCodes?: string[];
  };
  /** Known once the run has started. */
  candidateCount?: number;
  /** How many candidates have been processed. */
  processedCount: number;
  /** Transactions that match, except those from which a person revoked what the rule attached. */
  matchedCount: number;
  /** Assignments that the run attached; 0 for a preview. */
  attachedCount: number;
  /** Assignments that the run revoked; for a preview, those that its backfill would revoke. */
  revokedCount: number;
  ruleSnapshotHash: string;
  previewRunId?: string;
  /** For a revert: the run that it reverts. */
  revertsRunId?: string;
  /** For a preview: its backfill. For a backfill or revert: the run that reverted it. */
  usedByRunId?: string;
  sampleTransactionIds: string[];
  attempts: number;
  failureCount: number;
  lastError?: string;
  startedAt?: string;
  completedAt?: string;
  createdAt: string;
  updatedAt: string;
  scopeHash: string;
  /** Only transactions recorded up to this log position are candidates. */
  snapshotMaxId: string;
  cursorId?: string;
  nextAttemptAt?: string;
  lockOwner?: string;
  lockUntil?: string;
  createdBy: string;
};

export type TransactionRule = {
  id: string;
  companies: string;
  name: string;
  status: 'active' | 'paused';
  version: number;
  conditions: RuleConditions;
  actions: RuleAction[];
  referenceKey: string;
  description?: string;
  snapshotHash: string;
  effectiveFrom: string;
  targetSource: string;
  targetEntityType: string;
  targetExternalId: string;
  tags: string[];
  archivedAt?: string;
  createdAt: string;
  updatedAt: string;
  createdBy: string;
  updatedBy: string;
};

export type RuleConditions = {
  combinator: 'all' | 'any' | 'none';
  children: (RuleCondition | RuleConditionGroup)[];
};

export type RuleCondition = {
  field:
    | 'bankCode'
    | 'accountId'
    | 'subAccountKey'
    | 'iban'
    | 'nameSurname'
    | 'idNo'
    | 'description'
    | 'code'
    | 'currency'
    | 'amount'
    | 'balance'
    | 'incoming'
    | 'findAI'
    | 'transactionDate';
  operator:
    | 'equals'
    | 'not_equals'
    | 'in'
    | 'not_in'
    | 'contains'
    | 'not_contains'
    | 'starts_with'
    | 'ends_with'
    | 'matches'
    | 'is_empty'
    | 'is_not_empty'
    | 'greater_than'
    | 'at_least'
    | 'less_than'
    | 'at_most'
    | 'between'
    | 'before'
    | 'after'
    | 'day_of_month';
  /**
   * What the operator needs: a string, a number, a boolean, or a list of strings or of numbers; omitted
   * for is_empty and is_not_empty.
   */
  value?: unknown;
};

export type RuleConditionGroup = {
  combinator: 'all' | 'any' | 'none';
  children: (RuleCondition | RuleConditionLeafGroup)[];
};

export type RuleConditionLeafGroup = {
  combinator: 'all' | 'any' | 'none';
  children: RuleCondition[];
};

export type RuleAction = {
  id: string;
  type: 'attach_reference';
  reference: ExternalReference;
};

export type Schedule = {
  id: string;
  companies: string;
  accountId: string;
  title: string | null;
  cron: string | null;
  everyMinutes: number | null;
  timezone: string;
  status: 'active' | 'paused';
  /** The next turn, delayed after failures; null while paused. */
  nextRunAt: string | null;
  lastRunAt: string | null;
  lastOutcome: 'succeeded' | 'failed' | 'skipped' | null;
  consecutiveFailures: number;
  /** Why the schedule paused itself; null if it is active or was paused by a person. */
  pausedReason: 'FAILED_TOO_OFTEN' | 'CONNECTION_ARCHIVED' | null;
  createdAt: string;
  updatedAt: string;
};

export type RuleConditionsGiven = {
  /** `all` unless given. */
  combinator?: 'all' | 'any' | 'none';
  children: (RuleCondition | RuleConditionGroupGiven)[];
};

export type RuleConditionGroupGiven = {
  /** `all` unless given. */
  combinator?: 'all' | 'any' | 'none';
  children: (RuleCondition | RuleConditionLeafGroupGiven)[];
};

export type RuleConditionLeafGroupGiven = {
  /** `all` unless given. */
  combinator?: 'all' | 'any' | 'none';
  children: RuleCondition[];
};

/**
 * Stable; branch on this, never on the message. | status | code | meaning | |---|---|---| | 404 |
 * `ANALYTICS_QUERY_UNKNOWN` | There is no such analytics query. | | 422 | `ANALYTICS_TOO_MANY_ROWS` |
 * The answer would exceed 50,000 rows; request fewer days, accounts or currencies. | | 409 |
 * `API_KEY_EXPIRED` | The API key has expired; create a new one. | | 404 | `API_KEY_NOT_FOUND` | There
 * is no such API key. | | 409 | `API_KEY_REVOKED` | The API key was revoked, which is final. | | 409 |
 * `ASSIGNMENT_EXISTS` | The same reference is already attached by hand and active. | | 404 |
 * `ASSIGNMENT_NOT_FOUND` | There is no such assignment. | | 409 | `ASSIGNMENT_REVOKED` | The assignment
 * was revoked, which is final. | | 401 | `AUTHENTICATION_INVALID` | The credentials are not valid. | |
 * 401 | `AUTHENTICATION_REQUIRED` | The operation needs x-api-key together with x-api-secret, or a
 * bearer token. | | 409 | `AUTOMATION_NOT_RETRYABLE` | Automation can only be retried in status retry
 * or dead; see meta.status. | | 422 | `BANK_NOT_SUPPORTED` | The bank is not supported, or not in this
 * environment. | | 400 | `BODY_MALFORMED` | The body is not valid JSON, repeats a name in an object,
 * has an unpaired surrogate or bytes that are not UTF-8, or nests deeper than 64 levels. | | 413 |
 * `BODY_TOO_LARGE` | The body must not exceed 256 KiB. | | 404 | `COMPANY_NOT_FOUND` | There is no such
 * company. | | 400 | `COMPANY_REQUIRED` | Writes under /banks need the header x-company-id. | | 409 |
 * `CONCURRENT_CHANGE` | The resource kept changing while the request was processed; try again. | | 409
 * | `CONNECTION_ARCHIVED` | The connection was archived, which is final. | | 409 |
 * `CONNECTION_DISABLED` | The connection is disabled. | | 404 | `CONNECTION_NOT_FOUND` | There is no
 * such bank connection. | | 409 | `CONNECTION_NOT_SET_UP` | The connection must be set up first. | |
 * 404 | `CONNECTOR_LOG_NOT_FOUND` | There is no such connector log, or it is older than 90 days. | |
 * 409 | `CREDENTIALS_MISSING` | The connection has no credentials yet. | | 422 |
 * `CREDENTIALS_UNREADABLE` | The stored credentials can no longer be decrypted; put them again. | | 422
 * | `CREDENTIAL_MODE_MISMATCH` | The credentials do not match the connection's bank and environment. |
 * | 400 | `CURSOR_INVALID` | The cursor was not issued for this list with these filters and this sort.
 * | | 400 | `DATE_RANGE_INVALID` | `from` must not be after `to`, the range must not exceed ten years,
 * and `asOf` must not be in the future. | | 503 | `DEPENDENCY_UNAVAILABLE` | The event store, the read
 * store or the token issuer does not respond; try again. | | 422 | `DRY_RUN_NOT_SUPPORTED` | The bank
 * delivers no files that could be tried. | | 404 | `ENTITY_NOT_FOUND` | There is no such entity. | |
 * 409 | `EVENT_NOT_SEALED` | No seal covers the event yet; a seal is written every hour or every 10,000
 * events. | | 431 | `HEADERS_TOO_LARGE` | The headers must not exceed 16 KiB. | | 400 |
 * `HEADER_INVALID` | A request header has an invalid value. | | 409 | `IDEMPOTENCY_IN_PROGRESS` | A
 * request with this idempotency key is still in progress. | | 422 | `IDEMPOTENCY_KEY_REUSED` | This
 * idempotency key was already used for a different request. | | 500 | `INTERNAL_ERROR` | An internal
 * error occurred; quote meta.requestId when reporting it. | | 409 | `LAST_ADMIN` | The last active
 * admin cannot be disabled or lose the role. | | 401 | `LOGIN_FAILED` | Email or password is wrong, or
 * the user may not sign in. | | 415 | `MEDIA_TYPE_UNSUPPORTED` | The body must be application/json. | |
 * 405 | `METHOD_NOT_ALLOWED` | The path does not support this method; see the header allow. | | 503 |
 * `NOT_READY` | Part of the service is down, halted or too far behind; see meta. | | 403 |
 * `ORIGIN_REFUSED` | A page of another origin must not send this request. | | 422 | `PASSWORD_WRONG` |
 * The current password is wrong. | | 403 | `PERMISSION_DENIED` | The caller does not have permission;
 * see meta.required. | | 409 | `PREVIEW_ALREADY_USED` | The preview already has a backfill; see
 * meta.runId. | | 409 | `PREVIEW_NOT_COMPLETED` | The preview has not completed; see meta.status. | |
 * 409 | `PREVIEW_STALE` | The rule no longer does what the preview showed. | | 429 |
 * `PROVIDER_QUOTA_EXHAUSTED` | The bank does not allow another sync yet; see meta.nextAllowedAt. | |
 * 400 | `QUERY_PARAMETER_UNKNOWN` | The operation has no such query parameter. | | 429 | `RATE_LIMITED`
 * | Too many requests; see retry-after. | | 503 | `READ_MODEL_BEHIND` | The read model is being filled
 * for the first time, or has not reached x-min-log-position yet; try again. | | 404 |
 * `REPLAY_NOT_FOUND` | There is no such replay. | | 400 | `REQUEST_MALFORMED` | The request is not
 * valid HTTP or is incomplete. | | 408 | `REQUEST_TIMEOUT` | The request took too long to arrive. | |
 * 404 | `ROUTE_NOT_FOUND` | There is no such path. | | 409 | `RULE_ARCHIVED` | The rule was archived,
 * which is final. | | 400 | `RULE_CONDITION_INVALID` | A condition has an invalid field, operator or
 * value. | | 404 | `RULE_NOT_FOUND` | There is no such rule. | | 400 | `RULE_TOO_COMPLEX` | A rule may
 * have at most 3 levels and 50 conditions. | | 409 | `RULE_VERSION_CONFLICT` | The rule has a newer
 * version; see meta.currentVersion. | | 409 | `RUN_ALREADY_REVERTED` | The run has already been
 * reverted; see meta.runId. | | 409 | `RUN_ENDED` | The run has ended; see meta.status. | | 409 |
 * `RUN_IN_PROGRESS` | A backfill or revert of the rule is in progress; see meta.runId. | | 404 |
 * `RUN_NOT_FOUND` | There is no such run. | | 409 | `RUN_NOT_REVERTIBLE` | A preview cannot be
 * reverted, nor can a run that has not ended. | | 404 | `SCHEDULE_NOT_FOUND` | There is no such
 * schedule. | | 422 | `SCHEDULE_TOO_FREQUENT` | Turns must be at least 5 minutes apart. | | 404 |
 * `SESSION_NOT_FOUND` | There is no such session. | | 409 | `STATEMENT_FILE_BEING_WRITTEN` | The file
 * is still being written; try again. | | 404 | `STATEMENT_FILE_NOT_FOUND` | The folder of the
 * connection holds no such file, or none at all. | | 422 | `STATEMENT_FOLDER_NOT_GRANTED` | The
 * statements folder does not exist, or is not granted to this company. | | 409 | `SYNC_ENDED` | The
 * sync has ended; see meta.status. | | 404 | `SYNC_NOT_FOUND` | There is no such sync. | | 429 |
 * `TENANT_BUSY` | The tenant has made too many requests, or has too many costly ones in progress; see
 * retry-after. | | 409 | `TENANT_LIMIT_REACHED` | The tenant has as much of it as it may; see meta.what
 * and meta.limit. | | 400 | `TENANT_REQUIRED` | The person is in several tenants; the request must name
 * one of meta.tenants. | | 400 | `TRANSACTION_AMOUNT_RANGE_INVALID` | minAmount must not exceed
 * maxAmount. | | 405 | `TRANSACTION_IMMUTABLE` | Transactions come from the bank and cannot be changed.
 * | | 404 | `TRANSACTION_NOT_FOUND` | There is no such transaction. | | 409 | `USER_EXISTS` | A user
 * with this email already exists. | | 404 | `USER_NOT_FOUND` | There is no such user. | | 400 |
 * `VALIDATION_FAILED` | The request does not match its schema; see meta.issues. | | 409 |
 * `WEBHOOK_ARCHIVED` | The webhook was archived, which is final. | | 404 | `WEBHOOK_DELIVERY_NOT_FOUND`
 * | There is no such delivery, or it is older than 30 days. | | 404 | `WEBHOOK_NOT_FOUND` | There is no
 * such webhook. | | 422 | `WEBHOOK_URL_REFUSED` | The receiver must be a public https address without
 * credentials in it. |
 */
export type ErrorCode =
  | 'ANALYTICS_QUERY_UNKNOWN'
  | 'ANALYTICS_TOO_MANY_ROWS'
  | 'API_KEY_EXPIRED'
  | 'API_KEY_NOT_FOUND'
  | 'API_KEY_REVOKED'
  | 'ASSIGNMENT_EXISTS'
  | 'ASSIGNMENT_NOT_FOUND'
  | 'ASSIGNMENT_REVOKED'
  | 'AUTHENTICATION_INVALID'
  | 'AUTHENTICATION_REQUIRED'
  | 'AUTOMATION_NOT_RETRYABLE'
  | 'BANK_NOT_SUPPORTED'
  | 'BODY_MALFORMED'
  | 'BODY_TOO_LARGE'
  | 'COMPANY_NOT_FOUND'
  | 'COMPANY_REQUIRED'
  | 'CONCURRENT_CHANGE'
  | 'CONNECTION_ARCHIVED'
  | 'CONNECTION_DISABLED'
  | 'CONNECTION_NOT_FOUND'
  | 'CONNECTION_NOT_SET_UP'
  | 'CONNECTOR_LOG_NOT_FOUND'
  | 'CREDENTIALS_MISSING'
  | 'CREDENTIALS_UNREADABLE'
  | 'CREDENTIAL_MODE_MISMATCH'
  | 'CURSOR_INVALID'
  | 'DATE_RANGE_INVALID'
  | 'DEPENDENCY_UNAVAILABLE'
  | 'DRY_RUN_NOT_SUPPORTED'
  | 'ENTITY_NOT_FOUND'
  | 'EVENT_NOT_SEALED'
  | 'HEADERS_TOO_LARGE'
  | 'HEADER_INVALID'
  | 'IDEMPOTENCY_IN_PROGRESS'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INTERNAL_ERROR'
  | 'LAST_ADMIN'
  | 'LOGIN_FAILED'
  | 'MEDIA_TYPE_UNSUPPORTED'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_READY'
  | 'ORIGIN_REFUSED'
  | 'PASSWORD_WRONG'
  | 'PERMISSION_DENIED'
  | 'PREVIEW_ALREADY_USED'
  | 'PREVIEW_NOT_COMPLETED'
  | 'PREVIEW_STALE'
  | 'PROVIDER_QUOTA_EXHAUSTED'
  | 'QUERY_PARAMETER_UNKNOWN'
  | 'RATE_LIMITED'
  | 'READ_MODEL_BEHIND'
  | 'REPLAY_NOT_FOUND'
  | 'REQUEST_MALFORMED'
  | 'REQUEST_TIMEOUT'
  | 'ROUTE_NOT_FOUND'
  | 'RULE_ARCHIVED'
  | 'RULE_CONDITION_INVALID'
  | 'RULE_NOT_FOUND'
  | 'RULE_TOO_COMPLEX'
  | 'RULE_VERSION_CONFLICT'
  | 'RUN_ALREADY_REVERTED'
  | 'RUN_ENDED'
  | 'RUN_IN_PROGRESS'
  | 'RUN_NOT_FOUND'
  | 'RUN_NOT_REVERTIBLE'
  | 'SCHEDULE_NOT_FOUND'
  | 'SCHEDULE_TOO_FREQUENT'
  | 'SESSION_NOT_FOUND'
  | 'STATEMENT_FILE_BEING_WRITTEN'
  | 'STATEMENT_FILE_NOT_FOUND'
  | 'STATEMENT_FOLDER_NOT_GRANTED'
  | 'SYNC_ENDED'
  | 'SYNC_NOT_FOUND'
  | 'TENANT_BUSY'
  | 'TENANT_LIMIT_REACHED'
  | 'TENANT_REQUIRED'
  | 'TRANSACTION_AMOUNT_RANGE_INVALID'
  | 'TRANSACTION_IMMUTABLE'
  | 'TRANSACTION_NOT_FOUND'
  | 'USER_EXISTS'
  | 'USER_NOT_FOUND'
  | 'VALIDATION_FAILED'
  | 'WEBHOOK_ARCHIVED'
  | 'WEBHOOK_DELIVERY_NOT_FOUND'
  | 'WEBHOOK_NOT_FOUND'
  | 'WEBHOOK_URL_REFUSED';

export type PartHealth = {
  name: string;
  state: string;
  ok: boolean;
  lagEvents?: number;
  /** True where `lagEvents` was estimated, since the event store cannot count so many. */
  lagEstimated?: boolean;
  lagMs?: number;
  error?: string;
};

export type TokenPair = {
  /** Sent as `authorization: Bearer`. */
  accessToken: string;
  /** Can be used once, within 30 days. */
  refreshToken: string;
  /** Seconds until the access token expires. */
  expiresIn: number;
  tokenType: 'Bearer';
};

export type LogInRequest = {
  email: string;
  password: string;
  /** Needed only after `TENANT_REQUIRED`. */
  tenantId?: string;
};

export type RefreshSessionRequest = {
  refreshToken: string;
};

export type LogOutRequest = {
  refreshToken: string;
};

export type Session = {
  /** Sent as `authorization: Bearer`; keep it in memory only. */
  accessToken: string;
  /** Seconds until the access token expires. */
  expiresIn: number;
};

export type OpenSessionRequest =
  | {
      email: string;
      password: string;
      /** Needed only after `TENANT_REQUIRED`. */
      tenantId?: string;
    }
  | {
      code: string;
      verifier: string;
      /** Needed only after `TENANT_REQUIRED`. */
      tenantId?: string;
    };

export type Me = {
  id: string;
  email: string;
  displayName: string | null;
  locale: string | null;
  timezone: string | null;
  defaultCompanyId: string | null;
  role: 'admin' | 'operator' | 'analyst' | 'auditor';
  tenant: {
    id: string;
    name: string;
  };
  companies: {
    id: string;
    name: string;
  }[];
  createdAt: string;
  updatedAt: string;
};

export type ChangeMeRequest = {
  displayName?: string | null;
  /** BCP 47. */
  locale?: string | null;
  /** IANA. */
  timezone?: string | null;
  defaultCompanyId?: string | null;
};

export type ReplacePasswordRequest = {
  currentPassword: string;
  newPassword: string;
};

export type UserSession = {
  id: string;
  userId: string;
  /** Whether this request was made with a token of this session. */
  current: boolean;
  /** How the client named itself at the sign-in, at most 200 characters. */
  userAgent: string | null;
  beganAt: string;
  /** When its refresh token was last exchanged; at first, when it began. In use, at least each 15 minutes. */
  refreshedAt: string;
  /** When it ends if its refresh token is not exchanged before. */
  expiresAt: string;
  endedAt: string | null;
  /** Null while it is open. */
  endedReason: 'logout' | 'token-reused' | 'expired' | 'password-replaced' | 'user-disabled' | null;
  /** Who ended it; null where nobody did. */
  endedBy: string | null;
};

/** With `count=true`: how many there are; `atLeast`: that many or more. */
export type ListCount = {
  value: number;
  atLeast: boolean;
};

/** With `expand`: the names of what the items hold the ids of, by id, as far as the caller may see them. */
export type ExpandedNames = {
  account?: Record<string, NamedId>;
  rule?: Record<string, NamedId>;
  company?: Record<string, NamedId>;
  actor?: Record<string, NamedActor>;
};

export type NamedId = {
  id: string;
  name: string;
};

export type NamedActor = {
  id: string;
  type: 'user' | 'api-key' | 'system';
  name: string;
};

export type Company = {
  id: string;
  name: string;
  /** If false, new transactions are recorded as `legacy`, which only a backfill processes. */
  automation: boolean;
  createdAt: string;
};

export type CreateCompanyRequest = {
  name: string;
  /** `true` unless given. */
  automation?: boolean;
};

export type User = {
  id: string;
  email: string;
  displayName: string | null;
  locale: string | null;
  timezone: string | null;
  defaultCompanyId: string | null;
  role: 'admin' | 'operator' | 'analyst' | 'auditor';
  status: 'active' | 'disabled';
  /**
   * Whether the user may sign in with the outside issuer; `bound`: they have, and only as the same
   * subject again.
   */
  outsideLogin: 'none' | 'allowed' | 'bound';
  createdAt: string;
  updatedAt: string;
};

export type AddedUser = {
  id: string;
  email: string;
  displayName: string | null;
  locale: string | null;
  timezone: string | null;
  defaultCompanyId: string | null;
  role: 'admin' | 'operator' | 'analyst' | 'auditor';
  status: 'active' | 'disabled';
  /**
   * Whether the user may sign in with the outside issuer; `bound`: they have, and only as the same
   * subject again.
   */
  outsideLogin: 'none' | 'allowed' | 'bound';
  createdAt: string;
  updatedAt: string;
  password?: string;
};

export type AddUserRequest = {
  email: string;
  role: 'admin' | 'operator' | 'analyst' | 'auditor';
  displayName?: string;
  password?: string;
};

export type ChangeUserRequest = {
  role?: 'admin' | 'operator' | 'analyst' | 'auditor';
  status?: 'active' | 'disabled';
  /**
   * With `allowed`, the next token of the outside issuer with the email of this user binds its subject to
   * them.
   */
  outsideLogin?: 'none' | 'allowed';
};

export type ApiKeyWithSecret = {
  id: string;
  /** The public part, sent as `x-api-key`. */
  key: string;
  name: string;
  scopes: Scope[];
  /** Null means all companies of the tenant. */
  companies: string[] | null;
  expiresAt: string | null;
  /** Generation of the newest secret; the first secret is generation 1. */
  generation: number;
  /** When the previous secret stops working; null if the key was never rotated. */
  graceUntil: string | null;
  revokedAt: string | null;
  revokedReason: string | null;
  /** Accurate to the minute; null if the key was never used. */
  lastUsedAt: string | null;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
  /** Sent as `x-api-secret`. Shown only in this answer. */
  secret: string;
};

/** What a key may do. */
export type Scope =
  | 'connections:read'
  | 'connections:write'
  | 'transactions:read'
  | 'transactions:write'
  | 'rules:read'
  | 'rules:write'
  | 'schedules:read'
  | 'schedules:write'
  | 'analytics:read'
  | 'analytics:write'
  | 'audit:read'
  | 'audit:write'
  | 'webhooks:read'
  | 'webhooks:write';

export type CreateApiKeyRequest = {
  name: string;
  scopes: Scope[];
  /** The companies it may access; null or omitted means all companies of the tenant, including later ones. */
  companies?: string[] | null;
  /** Must be in the future. */
  expiresAt?: string | null;
};

export type ApiKey = {
  id: string;
  /** The public part, sent as `x-api-key`. */
  key: string;
  name: string;
  scopes: Scope[];
  /** Null means all companies of the tenant. */
  companies: string[] | null;
  expiresAt: string | null;
  /** Generation of the newest secret; the first secret is generation 1. */
  generation: number;
  /** When the previous secret stops working; null if the key was never rotated. */
  graceUntil: string | null;
  revokedAt: string | null;
  revokedReason: string | null;
  /** Accurate to the minute; null if the key was never used. */
  lastUsedAt: string | null;
  createdAt: string;
  createdBy: string;
  updatedAt: string;
};

export type RotateApiKeyRequest = {
  /** `0` unless given. */
  graceSeconds?: number;
};

export type RevokeApiKeyRequest = {
  reason?: string | null;
};

export type CreatedTenant = {
  tenant: {
    id: string;
    name: string;
  };
  company: {
    id: string;
  };
  admin: {
    email: string;
    password: string;
  };
  apiKey: {
    key: string;
    secret: string;
  };
};

export type CreateTenantRequest = {
  name: string;
  adminEmail: string;
};

export type Tenant = {
  id: string;
  name: string;
  createdAt: string;
};

export type Bank = {
  bankCode: string;
  name: string;
  country: string | null;
  environments: ('demo' | 'production')[];
  credentials: {
    demo?: CredentialsSchema;
    production?: CredentialsSchema;
  };
  limits: {
    windowDays: number | null;
    pageSize: number;
    syncsPerDay: number | null;
  };
};

/** JSON Schema of the body of PUT credentials. */
export type CredentialsSchema = {
  type: 'object';
  additionalProperties: false;
  required: string[];
  properties: Record<
    string,
    {
      type: string;
      description: string;
      minimum?: number;
      maximum?: number;
      maxLength?: number;
      writeOnly?: boolean;
    }
  >;
};

export type OpenConnectionRequest = {
  bankCode: string;
  title: string;
  /** `demo` unless given. */
  environment?: 'demo' | 'production';
};

export type ChangeConnectionRequest = {
  title?: string;
  status?: boolean;
};

export type PutCredentialsRequest = {
  environment?: 'demo' | 'production';
  [name: string]: unknown;
};

export type DryRun = {
  file: string;
  /** Null for a file of no known kind. */
  format: string | null;
  charset: string | null;
  accounts: {
    providerAccountId: string;
    currency: string;
    iban: string | null;
    accountNo: string | null;
    accountName: string | null;
    balance: number | null;
    availableBalance: number | null;
  }[];
  /** The rows of the whole file. */
  rowCount: number;
  /** The first 20 rows, as they would be imported. */
  rows: {
    providerAccountId: string;
    transactionDate: string;
    incoming: boolean;
    amount: number;
    balance: number | null;
    currency: string;
    description: string | null;
    nameSurname: string | null;
    iban: string | null;
    idNo: string;
    code: string | null;
    findAI: boolean;
  }[];
  /** What cannot be imported; it would fail the sync. */
  refused: {
    code: string;
    message: string;
    source: string;
    place: string | null;
  }[];
  notes: {
    code: string;
    message: string;
    source: string;
    place: string | null;
  }[];
};

export type DryRunConnectionRequest = {
  /** The name of a file in the folder; the newest one by default. */
  file?: string;
};

export type SyncConnectionRequest = {
  from?: string;
  to?: string;
};

/**
 * Booking days on which rows are missing or duplicated, according to the running balances. `from` and
 * `to` are inclusive.
 */
export type Completeness = {
  subAccountKey: string;
  currency: string;
  status: 'complete' | 'gaps' | 'unknown';
  from: string | null;
  to: string | null;
  gaps: {
    day: string;
    expectedBalance: number;
    statedBalance: number;
    difference: number;
  }[];
};

export type ConnectionUsage = {
  day: string;
  syncs: number;
  requests: number;
  fetched: number;
  inserted: number;
  duplicates: number;
  errors: number;
  /** Syncs that the bank still allowed that day; null without a quota. */
  quotaLeft: number | null;
};

export type TransactionTotals = {
  /** One for each currency, in alphabetical order. Nothing is added across currencies. */
  totals: {
    currency: string;
    /** What came in. */
    in: number;
    /** What went out, as a positive number. */
    out: number;
    /** `in` minus `out`. */
    net: number;
    count: number;
  }[];
  /** The number of rows summed. `atLeast`: there are more, which are not in the sums. */
  count: {
    value: number;
    atLeast: boolean;
  };
};

export type UnassignedGroup = {
  by: 'counterparty' | 'description';
  /** For `counterpartyKey` or `descriptionKey` of the list of transactions. */
  key: string;
  companies: string;
  /** The name of the counterparty; for descriptions the words that they share; "" where there is none. */
  name: string;
  /** Of the counterparty, "" where unknown; null for descriptions. */
  iban: string | null;
  /** Of the counterparty, "" where unknown; null for descriptions. */
  idNo: string | null;
  count: number;
  sums: {
    currency: string;
    in: number;
    out: number;
  }[];
  /** Up to five of its rows. */
  sampleTransactionIds: string[];
};

export type TransactionExplanation = {
  transactionId: string;
  /** References that parties and banks gave the payment; each only where it is stated. */
  references: {
    endToEndId?: string;
    mandateId?: string;
    creditorId?: string;
    customerReference?: string;
    bankReference?: string;
  };
  recorded: {
    at: string;
    logPosition: string;
    sync: {
      id: string;
      page: number;
      trigger: string | null;
      requestedBy: string | null;
      correlationId: string | null;
    };
    /** The bank's answer that contained the row; null after its 90 days of retention. */
    connectorLogId: string | null;
  };
  evaluation: {
    evaluatedAt: string;
    attempt: number;
    rulesDigest: string;
    digestVerified: boolean;
    rules: {
      ruleId: string;
      name: string;
      version: number;
      snapshotHash: string;
      matched: boolean;
      suppressed: boolean;
      conditions: ConditionOutcome[];
    }[];
  } | null;
  /**
   * Every rule that was ever evaluated on the transaction, oldest evaluation first: by live automation,
   * backfills and reverts.
   */
  rules: {
    by: 'live' | 'backfill' | 'revert';
    runId: string | null;
    at: string;
    ruleId: string;
    name: string;
    version: number;
    snapshotHash: string;
    matched: boolean;
    suppressed: boolean;
    conditions: ConditionOutcome[];
    /** The assignments that the rule attached here. */
    attachedIds: string[];
    /** The assignments that the rule revoked here. */
    revokedIds: string[];
  }[];
  /** True if there are too many runs to search, so that the oldest are left out. */
  olderRuns: boolean;
  history: {
    eventId: string;
    type: string;
    at: string;
    actor: {
      type: 'api-key' | 'user' | 'operator' | 'system';
      id: string;
    };
    correlationId: string;
  }[];
};

export type ConditionOutcome = {
  path: string;
  field: string;
  operator: string;
  /** The value of the condition; null where it has none. */
  value: unknown;
  /** The value that was compared; amounts as exact decimals. */
  seen: string | boolean | null;
  held: boolean;
};

export type AttachAssignmentRequest = {
  reference: ExternalReference;
  /** `[]` unless given. */
  tags?: string[];
};

export type RevokeAssignmentRequest = {
  reason?: string | null;
};

export type Change =
  | {
      type: 'assignment';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: TransactionAssignment;
    }
  | {
      type: 'connection';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: BankConnection;
    }
  | {
      type: 'rule';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: TransactionRule;
    }
  | {
      type: 'run';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: RuleRun;
    }
  | {
      type: 'schedule';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: Schedule & (Record<string, unknown> | null);
    }
  | {
      type: 'sync';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: Sync;
    }
  | {
      type: 'transaction';
      id: string;
      /**
       * `created`: it was not there when the walk last showed everything. `withdrawn`: a transaction that the
       * bank withdrew, an archived rule or connection, a deleted schedule.
       */
      kind: 'created' | 'updated' | 'withdrawn';
      /** A log position, as returned in answers. */
      position: string;
      /** When it last changed. */
      at: string;
      resource: BankTransaction;
    };

export type WebhookWithSecret = {
  id: string;
  url: string;
  /** `*` stands for all types, also later ones. */
  types: WebhookType[];
  companies: string[];
  description: string | null;
  status: 'active' | 'paused' | 'disabled' | 'archived';
  /** The receiver answered 410, or a delivery failed for three days; resume it to go on. */
  disabledReason: 'RECEIVER_GONE' | 'FAILED_FOR_THREE_DAYS' | null;
  disabledAt: string | null;
  /** When the previous secret stops signing; null if the secret was never rotated. */
  secretGraceUntil: string | null;
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
  /** `whsec_` and base64: signs the messages. Shown only in this answer. */
  secret: string;
};

export type WebhookType =
  | 'transaction.created'
  | 'transaction.withdrawn'
  | 'assignment.attached'
  | 'assignment.revoked'
  | 'connection.updated'
  | 'sync.completed'
  | 'sync.failed'
  | 'run.completed'
  | 'run.failed'
  | 'rule.updated'
  | 'schedule.paused'
  | '*';

export type CreateWebhookRequest = {
  url: string;
  /** `["*"]` for all types. */
  types: WebhookType[];
  /** Whose events it gets; by default those of `x-company-id`. */
  companies?: string[];
  description?: string | null;
  /** `now` (default), or a cursor of `/banks/changes`: events after it are delivered. */
  from?: string;
};

export type Webhook = {
  id: string;
  url: string;
  /** `*` stands for all types, also later ones. */
  types: WebhookType[];
  companies: string[];
  description: string | null;
  status: 'active' | 'paused' | 'disabled' | 'archived';
  /** The receiver answered 410, or a delivery failed for three days; resume it to go on. */
  disabledReason: 'RECEIVER_GONE' | 'FAILED_FOR_THREE_DAYS' | null;
  disabledAt: string | null;
  /** When the previous secret stops signing; null if the secret was never rotated. */
  secretGraceUntil: string | null;
  archivedAt: string | null;
  createdAt: string;
  updatedAt: string;
};

export type ChangeWebhookRequest = {
  url?: string;
  /** `["*"]` for all types. */
  types?: WebhookType[];
  /** Whose events it gets; by default those of `x-company-id`. */
  companies?: string[];
  description?: string | null;
};

export type RotateWebhookSecretRequest = {
  graceSeconds: number;
};

export type WebhookTest = {
  delivered: boolean;
  messageId: string;
  /** The HTTP status; null when there was no answer. */
  status: number | null;
  /** Why there was no answer: a code, such as TIMEOUT. */
  error: string | null;
  durationMs: number;
  /** The first 1 KiB of the answer. */
  response: string | null;
};

export type WebhookDelivery = {
  id: string;
  /** The header `webhook-id`, the same for every attempt. */
  messageId: string;
  type:
    | 'transaction.created'
    | 'transaction.withdrawn'
    | 'assignment.attached'
    | 'assignment.revoked'
    | 'connection.updated'
    | 'sync.completed'
    | 'sync.failed'
    | 'run.completed'
    | 'run.failed'
    | 'rule.updated'
    | 'schedule.paused';
  /** `replaced`: a replay delivers the event again. */
  status: 'pending' | 'delivered' | 'replaced';
  /** A log position, as returned in answers. */
  position: string;
  /** The last 20. */
  attempts: {
    at: string;
    /** The HTTP status; null when there was no answer. */
    status: number | null;
    /** Why there was no answer: a code, such as TIMEOUT. */
    error: string | null;
    durationMs: number;
    /** The first 1 KiB of the answer. */
    response: string | null;
  }[];
  attemptCount: number;
  nextAttemptAt: string | null;
  createdAt: string;
  endedAt: string | null;
};

export type ReplayWebhookRequest = {
  /** A cursor of `/banks/changes`, or a date-time. */
  after: string;
};

export type CreateRuleRequest = {
  name: string;
  description?: string | null;
  conditions: RuleConditionsGiven;
  actions: {
    type: 'attach_reference';
    reference: ExternalReference;
  }[];
  /** `[]` unless given. */
  tags?: string[];
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  effectiveFrom?: string;
  /** `active` unless given. */
  status?: 'active' | 'paused';
};

export type DraftEvaluation = {
  candidateCount: number;
  matchedCount: number;
  complete: boolean;
  matches: DraftVerdict[];
  misses: DraftVerdict[];
  unknownTransactionIds: string[];
  /** With `include=transactions`: the transactions named here that there still are, each once. */
  transactions?: BankTransaction[];
};

export type DraftVerdict = {
  transactionId: string;
  conditions: ConditionOutcome[];
};

export type EvaluateDraftRuleRequest = {
  name?: string;
  description?: string | null;
  conditions: RuleConditionsGiven;
  actions?: {
    type: 'attach_reference';
    reference: ExternalReference;
  }[];
  tags?: string[];
  transactionIds?: string[];
  scope?: {
    /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
    from?: string;
    /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
    to?: string;
    accountIds?: string[];
    bankCodes?: string[];
  };
  /** How many matches and misses to return. `20` unless given. */
  show?: number;
};

export type ChangeRuleRequest = {
  version: number;
  name?: string;
  description?: string | null;
  conditions?: RuleConditionsGiven;
  actions?: {
    type: 'attach_reference';
    reference: ExternalReference;
  }[];
  tags?: string[];
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  effectiveFrom?: string;
};

export type PauseRuleRequest = {
  version: number;
};

export type ResumeRuleRequest = {
  version: number;
};

export type ArchiveRuleRequest = {
  version: number;
};

export type PreviewRuleRequest = {
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  from?: string;
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  to?: string;
  accountIds?: string[];
  bankCodes?: string[];
  /** The scope as a nested object, as a run shows it. */
  scope?: {
    /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
    from?: string;
    /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
    to?: string;
    accountIds?: string[];
    bankCodes?: string[];
  };
};

export type BackfillRuleRequest = {
  previewRunId: string;
};

export type RuleRunMatch = {
  transactionId: string;
  /**
   * What was done, or in a preview would be done. `attached`; `already_attached`: nothing was missing;
   * `replaced`: attached and revoked; `revoked`: the rule no longer matches; `suppressed`: a person had
   * revoked what this rule attached; `kept`: a revert left it because it had changed since.
   */
  outcome: 'attached' | 'already_attached' | 'replaced' | 'revoked' | 'suppressed' | 'kept';
  attachedIds: string[];
  revokedIds: string[];
  at: string;
};

export type CreateScheduleRequest = {
  accountId: string;
  title?: string | null;
  cron?: string;
  everyMinutes?: number;
  timezone?: string;
  /** `active` unless given. */
  status?: 'active' | 'paused';
} & ({ cron: string } | { everyMinutes: number });

export type ChangeScheduleRequest = {
  title?: string | null;
  cron?: string;
  everyMinutes?: number;
  timezone?: string;
};

export type ScheduleRun = {
  id: string;
  scheduleId: string;
  accountId: string;
  trigger: 'schedule' | 'manual';
  status: 'queued' | 'running' | 'succeeded' | 'failed' | 'skipped';
  /** When the turn was due; null for a run started by hand. */
  dueAt: string | null;
  /** Earlier missed turns that this run covers; counted up to 1,000. */
  missedTurns: number;
  syncId: string | null;
  /** Code of the reason why it failed or was skipped. */
  reason: string | null;
  queuedAt: string;
  startedAt: string | null;
  endedAt: string | null;
};

export type AnalyticsQuery = {
  id: string;
  title: string;
  description: string;
  /** JSON Schema of the parameters of the results. */
  parameters: Record<string, unknown>;
  columns: AnalyticsColumn[];
  /** The recommended chart type. */
  chart: 'bar' | 'stacked-bar' | 'line' | 'table';
};

export type AnalyticsColumn = {
  name: string;
  type: 'string' | 'date' | 'date-time' | 'integer' | 'number';
  /** `currency`: an amount in the currency of its row. Otherwise the unit that is counted. */
  unit: string | null;
};

export type AnalyticsResult = {
  query: string;
  parameters: Record<string, unknown>;
  columns: AnalyticsColumn[];
  rows: Record<string, string | number | null>[];
  /** Totals over all rows, per currency; empty where there are none. */
  totals: Record<string, string | number | null>[];
  /** The log position of the figures. */
  logPosition: string;
  generatedAt: string;
  expanded?: ExpandedNames;
};

/** A request to a bank and its answer, masked before storage. */
export type ConnectorLog = {
  id: string;
  companies: string;
  accountId: string;
  bankCode: string;
  environment: 'demo' | 'production';
  syncId: string | null;
  setupId: string | null;
  operation: 'accounts' | 'page';
  page: number | null;
  attempt: number;
  outcome: 'success' | 'transient' | 'rate_limited' | 'credentials_rejected' | 'permanent' | 'aborted';
  error: {
    code: string;
    message: string;
  } | null;
  at: string;
  durationMs: number;
  method: string | null;
  url: string | null;
  status: number | null;
  request: ExchangedMessage | null;
  response: ExchangedMessage | null;
  correlationId: string;
  expiresAt: string;
};

export type ExchangedMessage = {
  headers: Record<string, string>;
  body: ExchangedBody | null;
};

export type ExchangedBody = {
  /** Size of the original in bytes. */
  size: number;
  /** SHA-256 of the original, in hexadecimal. */
  sha256: string;
  /** True if the original is longer than the 32 KiB that are kept. */
  truncated: boolean;
  /** Masked; null for a body that is not text. Omitted in lists. */
  text?: string | null;
};

export type AuditedEvent = {
  eventId: string;
  eventType: string;
  /** What the event means, in words. */
  title: string;
  entityType:
    | 'connection'
    | 'sync'
    | 'transaction'
    | 'rule'
    | 'run'
    | 'schedule'
    | 'api-key'
    | 'user'
    | 'company'
    | 'webhook'
    | null;
  entityId: string;
  companies: string | null;
  /** Its index among the events of its entity, from 0. */
  revision: number;
  /** Its position in the whole log. */
  position: string;
  recordedAt: string;
  actor: {
    type: 'api-key' | 'user' | 'operator' | 'system';
    id: string;
  };
  /** The request or run that caused it. */
  correlationId: string;
  causationId: string | null;
  data: Record<string, unknown>;
};

export type Integrity = {
  intact: boolean;
  /** Ed25519 public key, raw, base64. Keep it to recognise the service’s own seals. */
  publicKey: string;
  lastSeal: {
    ordinal: number;
    toPosition: string;
    totalCount: number;
    root: string;
    sealedAt: string;
  } | null;
  checked: {
    fromSeal: number;
    toSeal: number;
    events: number;
  };
  nextSeal: number | null;
  fault: {
    kind: 'changed' | 'removed' | 'added' | 'moved' | 'seal' | 'cut';
    message: string;
    /** Index among the tenant’s events in log order, from 0. */
    index: number;
    eventId: string | null;
  } | null;
};

export type EventProof = {
  event: {
    id: string;
    type: string;
    stream: string;
    revision: number;
    recordedAt: string;
    metadata: Record<string, unknown>;
    data: Record<string, unknown>;
  };
  position: string;
  leafHash: string;
  leafIndex: number;
  treeSize: number;
  auditPath: string[];
  seal: {
    ordinal: number;
    eventCount: number;
    totalCount: number;
    toPosition: string;
    root: string;
    fingerprints: string;
    previousHash: string | null;
    sealedAt: string;
    publicKey: string;
    signature: string;
  };
};

export type AuditedChange = {
  eventId: string;
  eventType: string;
  /** What the event means, in words. */
  title: string;
  entityType:
    | 'connection'
    | 'sync'
    | 'transaction'
    | 'rule'
    | 'run'
    | 'schedule'
    | 'api-key'
    | 'user'
    | 'company'
    | 'webhook'
    | null;
  entityId: string;
  companies: string | null;
  /** Its index among the events of its entity, from 0. */
  revision: number;
  /** Its position in the whole log. */
  position: string;
  recordedAt: string;
  actor: {
    type: 'api-key' | 'user' | 'operator' | 'system';
    id: string;
  };
  /** The request or run that caused it. */
  correlationId: string;
  causationId: string | null;
  data: Record<string, unknown>;
  changes: Difference[];
};

export type Difference = {
  path: string;
  before?: unknown;
  after?: unknown;
  text: string;
};

export type EntityThen = {
  entityType: string;
  id: string;
  logPosition: string;
  /** Revision of its last event up to then. */
  revision: number | null;
  entity: Record<string, unknown> | null;
};

export type EntityDiff = {
  entityType: string;
  id: string;
  from: {
    logPosition: string;
  };
  to: {
    logPosition: string;
  };
  changes: Difference[];
};

export type AssignmentProvenance = {
  assignment: TransactionAssignment;
  attached: {
    eventId: string;
    eventType: string;
    at: string;
    position: string;
    actor: {
      type: 'api-key' | 'user' | 'operator' | 'system';
      id: string;
    };
    correlationId: string;
  };
  revoked: {
    eventId: string;
    eventType: string;
    at: string;
    position: string;
    actor: {
      type: 'api-key' | 'user' | 'operator' | 'system';
      id: string;
    };
    correlationId: string;
  } | null;
  transaction: {
    id: string;
    recorded: {
      eventId: string;
      eventType: string;
      at: string;
      position: string;
      actor: {
        type: 'api-key' | 'user' | 'operator' | 'system';
        id: string;
      };
      correlationId: string;
    };
  };
  sync: {
    id: string;
    page: number;
    trigger: string | null;
    requestedBy: string | null;
    requestedAt: string | null;
  };
  /** The bank's answer that contained the row; null after its 90 days of retention. */
  connectorLogId: string | null;
  /** The rule as it was, with the values its conditions compared; null if attached by hand. */
  rule: {
    id: string;
    name: string;
    version: number;
    snapshotHash: string;
    writtenBy: string;
    writtenAt: string;
    conditions: ConditionOutcome[];
  } | null;
  /** The backfill or revert that attached it; null if attached by live automation or by hand. */
  run: {
    id: string;
    type: string;
    requestedBy: string;
    requestedAt: string;
  } | null;
};

export type Replay = {
  id: string;
  companies: string;
  status: 'pending' | 'processing' | 'completed' | 'failed';
  /** The log position up to which events are replayed. */
  logPosition: string;
  processedEvents: number;
  /** Null until they have been counted. */
  totalEvents: number | null;
  /** Whether all read models equal their replay; null until the replay has finished. */
  equal: boolean | null;
  readModels: {
    name: string;
    documents: number;
    liveDocuments: number;
    digest: string;
    liveDigest: string;
    /**
     * Live documents that changed after the position; compared as they were then, where that can be
     * determined.
     */
    changedSince: number;
    equal: boolean;
    differences: {
      documentId: string;
      kind: 'missing' | 'extra' | 'different';
      paths: string[];
    }[];
  }[];
  error: string | null;
  requestedBy: string;
  requestedAt: string;
  startedAt: string | null;
  completedAt: string | null;
};

export type StartReplayRequest = {
  /** A moment, or a log position as returned in answers. */
  until?: string;
};

export type WebhookContent =
  | {
      type: 'transaction.created';
      /** When the event was recorded. */
      timestamp: string;
      data: BankTransaction;
    }
  | {
      type: 'transaction.withdrawn';
      /** When the event was recorded. */
      timestamp: string;
      data: BankTransaction;
    }
  | {
      type: 'assignment.attached';
      /** When the event was recorded. */
      timestamp: string;
      data: TransactionAssignment;
    }
  | {
      type: 'assignment.revoked';
      /** When the event was recorded. */
      timestamp: string;
      data: TransactionAssignment;
    }
  | {
      type: 'connection.updated';
      /** When the event was recorded. */
      timestamp: string;
      data: BankConnection;
    }
  | {
      type: 'sync.completed';
      /** When the event was recorded. */
      timestamp: string;
      data: Sync;
    }
  | {
      type: 'sync.failed';
      /** When the event was recorded. */
      timestamp: string;
      data: Sync;
    }
  | {
      type: 'run.completed';
      /** When the event was recorded. */
      timestamp: string;
      data: RuleRun;
    }
  | {
      type: 'run.failed';
      /** When the event was recorded. */
      timestamp: string;
      data: RuleRun;
    }
  | {
      type: 'rule.updated';
      /** When the event was recorded. */
      timestamp: string;
      data: TransactionRule;
    }
  | {
      type: 'schedule.paused';
      /** When the event was recorded. */
      timestamp: string;
      data: Schedule;
    }
  | {
      type: 'webhook.test';
      /** When the event was recorded. */
      timestamp: string;
      data: {
        webhookId: string;
      };
    };

export type GetLivenessResult = {
  state: 'live';
};

export type GetReadinessResult = {
  state: 'ready';
  parts: PartHealth[];
};

export type GetVersionResult = {
  service: string;
  contract: string;
  commit: string | null;
};

export type LogOutResult = {
  ended: true;
};

export type GetSignInResult = {
  /** It may have ended; only its renewal shows. */
  hasSession: boolean;
  /** The OpenID provider for signing in; null where none is configured. */
  provider: {
    /** Where the provider takes authorization requests. */
    authorizationUrl: string;
    clientId: string;
    scope: string;
  } | null;
};

export type CloseSessionResult = {
  /** Whether there was a session to end. */
  ended: boolean;
};

export type ListSessionsQuery = {
  /** Of this user, or `*` for all users of the tenant; only for admins unless it is you. */
  userId?: string;
  /** `open` (default), or `any` for those that are over as well. */
  state?: 'open' | 'any';
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListSessionsResult = {
  items: UserSession[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListCompaniesQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListCompaniesResult = {
  items: Company[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListUsersQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListUsersResult = {
  items: User[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListApiKeysQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListApiKeysResult = {
  items: ApiKey[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListTenantsQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
};

export type ListTenantsResult = {
  items: Tenant[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type GetCatalogueResult = {
  items: Bank[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListConnectionsQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListConnectionsResult = {
  items: BankConnection[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListSyncsQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListSyncsResult = {
  items: Sync[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type GetConnectionHealthResult = {
  syncHealth: SyncHealth;
  syncs: Sync[];
  /** When the bank allows the next sync; null if it is allowed now. */
  nextAllowedAt: string | null;
  staleForMs: number | null;
  completeness: Completeness[];
};

export type GetConnectionUsageQuery = {
  /** From this day on. */
  from?: string;
  /** Before this day. */
  to?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type GetConnectionUsageResult = {
  items: ConnectionUsage[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListTransactionsQuery = {
  /** Only of this bank connection (its id). */
  accountId?: string;
  /** Only of this sub-account of a connection. */
  subAccountKey?: string;
  /** Only of this bank, by its code in the catalogue. */
  bankCode?: string;
  /** Only in this currency (ISO 4217), in any case. */
  currency?: string;
  /** `true`: only money received; `false`: only money paid. */
  incoming?: boolean;
  /** Transactions with `transactionDate` at or after this moment. */
  from?: string;
  /** transactionDate before. */
  to?: string;
  /** Only amounts of at least this magnitude, whatever the direction. */
  minAmount?: string;
  /** Only amounts up to this magnitude, whatever the direction. */
  maxAmount?: string;
  /** Words, or beginnings of words, of description, name or IBAN. */
  q?: string;
  /** Only with this IBAN of the counterparty; spaces and case do not matter. */
  iban?: string;
  /** Only with this number of the bank's record. */
  idNo?: string;
  /** Only with this code of the bank's kind of transaction. */
  code?: string;
  /** Only those whose automation has this status. */
  automationStatus?: 'legacy' | 'pending' | 'processing' | 'retry' | 'completed' | 'dead';
  /** `true`: only with an active assignment; `false`: only without any. */
  assigned?: boolean;
  /** Only what this rule concerns. */
  ruleId?: string;
  /** Only with this reference attached: `source:entityType:externalId`. */
  referenceKey?: string;
  /** Only with this tag. */
  tag?: string;
  /** Only with this counterparty: `key` of a group by counterparty. */
  counterpartyKey?: string;
  /** Only with a description like this: `key` of a group by description. */
  descriptionKey?: string;
  /** The order; `-` means descending. */
  sort?: '-transactionDate' | 'transactionDate' | '-amount' | 'amount';
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListTransactionsResult = {
  items: BankTransaction[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ExportTransactionsQuery = {
  /** Only of this bank connection (its id). */
  accountId?: string;
  /** Only of this sub-account of a connection. */
  subAccountKey?: string;
  /** Only of this bank, by its code in the catalogue. */
  bankCode?: string;
  /** Only in this currency (ISO 4217), in any case. */
  currency?: string;
  /** `true`: only money received; `false`: only money paid. */
  incoming?: boolean;
  /** Transactions with `transactionDate` at or after this moment. */
  from?: string;
  /** transactionDate before. */
  to?: string;
  /** Only amounts of at least this magnitude, whatever the direction. */
  minAmount?: string;
  /** Only amounts up to this magnitude, whatever the direction. */
  maxAmount?: string;
  /** Words, or beginnings of words, of description, name or IBAN. */
  q?: string;
  /** Only with this IBAN of the counterparty; spaces and case do not matter. */
  iban?: string;
  /** Only with this number of the bank's record. */
  idNo?: string;
  /** Only with this code of the bank's kind of transaction. */
  code?: string;
  /** Only those whose automation has this status. */
  automationStatus?: 'legacy' | 'pending' | 'processing' | 'retry' | 'completed' | 'dead';
  /** `true`: only with an active assignment; `false`: only without any. */
  assigned?: boolean;
  /** Only what this rule concerns. */
  ruleId?: string;
  /** Only with this reference attached: `source:entityType:externalId`. */
  referenceKey?: string;
  /** Only with this tag. */
  tag?: string;
  /** Only with this counterparty: `key` of a group by counterparty. */
  counterpartyKey?: string;
  /** Only with a description like this: `key` of a group by description. */
  descriptionKey?: string;
  /**
   * The columns in this order; all but `signedAmount`, `assigned`, `connectionTitle` and `accountName` by
   * default. `signedAmount` is negative for what went out. The last two are names as of now.
   */
  columns?: (
    | 'id'
    | 'companies'
    | 'bankCode'
    | 'accountId'
    | 'subAccountKey'
    | 'status'
    | 'version'
    | 'transactionDate'
    | 'fetchedAt'
    | 'incoming'
    | 'amount'
    | 'balance'
    | 'currency'
    | 'nameSurname'
    | 'iban'
    | 'idNo'
    | 'findAI'
    | 'code'
    | 'description'
    | 'providerStamp'
    | 'automationStatus'
    | 'referenceKeys'
    | 'tags'
    | 'signedAmount'
    | 'assigned'
    | 'connectionTitle'
    | 'accountName'
  )[];
  /** The order; `-` means descending. */
  sort?: '-transactionDate' | 'transactionDate' | '-amount' | 'amount';
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
  /** What separates the fields of a line. */
  separator?: 'comma' | 'semicolon' | 'tab';
  /** What separates the decimals of amounts. */
  decimal?: 'point' | 'comma';
  /** Start with a byte order mark, for spreadsheets that need one. */
  bom?: boolean;
};

export type GetTransactionTotalsQuery = {
  /** Only of this bank connection (its id). */
  accountId?: string;
  /** Only of this sub-account of a connection. */
  subAccountKey?: string;
  /** Only of this bank, by its code in the catalogue. */
  bankCode?: string;
  /** Only in this currency (ISO 4217), in any case. */
  currency?: string;
  /** `true`: only money received; `false`: only money paid. */
  incoming?: boolean;
  /** Transactions with `transactionDate` at or after this moment. */
  from?: string;
  /** transactionDate before. */
  to?: string;
  /** Only amounts of at least this magnitude, whatever the direction. */
  minAmount?: string;
  /** Only amounts up to this magnitude, whatever the direction. */
  maxAmount?: string;
  /** Words, or beginnings of words, of description, name or IBAN. */
  q?: string;
  /** Only with this IBAN of the counterparty; spaces and case do not matter. */
  iban?: string;
  /** Only with this number of the bank's record. */
  idNo?: string;
  /** Only with this code of the bank's kind of transaction. */
  code?: string;
  /** Only those whose automation has this status. */
  automationStatus?: 'legacy' | 'pending' | 'processing' | 'retry' | 'completed' | 'dead';
  /** `true`: only with an active assignment; `false`: only without any. */
  assigned?: boolean;
  /** Only what this rule concerns. */
  ruleId?: string;
  /** Only with this reference attached: `source:entityType:externalId`. */
  referenceKey?: string;
  /** Only with this tag. */
  tag?: string;
  /** Only with this counterparty: `key` of a group by counterparty. */
  counterpartyKey?: string;
  /** Only with a description like this: `key` of a group by description. */
  descriptionKey?: string;
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
};

export type ListUnassignedGroupsQuery = {
  /** What the rows of a group have in common. */
  by: 'counterparty' | 'description';
  /** Only of this bank connection (its id). */
  accountId?: string;
  /** Only of this sub-account of a connection. */
  subAccountKey?: string;
  /** Only of this bank, by its code in the catalogue. */
  bankCode?: string;
  /** Only in this currency (ISO 4217), in any case. */
  currency?: string;
  /** `true`: only money received; `false`: only money paid. */
  incoming?: boolean;
  /** Transactions with `transactionDate` at or after this moment. */
  from?: string;
  /** transactionDate before. */
  to?: string;
  /** Only amounts of at least this magnitude, whatever the direction. */
  minAmount?: string;
  /** Only amounts up to this magnitude, whatever the direction. */
  maxAmount?: string;
  /** Words, or beginnings of words, of description, name or IBAN. */
  q?: string;
  /** Only with this IBAN of the counterparty; spaces and case do not matter. */
  iban?: string;
  /** Only with this number of the bank's record. */
  idNo?: string;
  /** Only with this code of the bank's kind of transaction. */
  code?: string;
  /** Only those whose automation has this status. */
  automationStatus?: 'legacy' | 'pending' | 'processing' | 'retry' | 'completed' | 'dead';
  /** Only with this counterparty: `key` of a group by counterparty. */
  counterpartyKey?: string;
  /** Only with a description like this: `key` of a group by description. */
  descriptionKey?: string;
  /** May be given as in the list; rows with an assignment are in no group. */
  assigned?: 'false';
  /** The order; `-` means descending. */
  sort?: '-count' | 'name';
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListUnassignedGroupsResult = {
  items: UnassignedGroup[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
  /** True if more rows were found than were grouped. */
  atLeast: boolean;
};

export type GetTransactionQuery = {
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
};

export type ExplainTransactionQuery = {
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
};

export type ListTransactionAssignmentsQuery = {
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListTransactionAssignmentsResult = {
  items: TransactionAssignment[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListAssignmentsQuery = {
  /** Only with this reference attached: `source:entityType:externalId`. */
  referenceKey?: string;
  /** Only references to this system. */
  source?: string;
  /** Only references to this type of record, such as `invoice`. */
  entityType?: string;
  /** Only references with this id in their source. */
  externalId?: string;
  /** Only what this rule concerns. */
  ruleId?: string;
  /** Only with this tag. */
  tag?: string;
  /** Only with this status. */
  status?: 'active' | 'revoked';
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListAssignmentsResult = {
  items: TransactionAssignment[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListChangesQuery = {
  /**
   * `nextCursor` of an earlier answer with the same `types` and `companies`; `now`: only what comes from
   * here on. Without it, everything from the beginning.
   */
  after?: string;
  /** Repeated, or one value with commas. */
  types?: ('assignment' | 'connection' | 'rule' | 'run' | 'schedule' | 'sync' | 'transaction')[];
  /** Repeated, or one value with commas. */
  companies?: string[];
  /** How many items a page holds at most. */
  limit?: number;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
  /** Seconds for which an answer without items is held back until there is one. */
  wait?: number;
};

export type ListChangesResult = {
  items: Change[];
  nextCursor: string;
  /** Whether there is more now. */
  more: boolean;
  expanded?: ExpandedNames;
};

export type ListWebhooksQuery = {
  /** Only with this status. */
  status?: 'active' | 'paused' | 'disabled' | 'archived';
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListWebhooksResult = {
  items: Webhook[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListWebhookDeliveriesQuery = {
  /** Only with this status. */
  status?: 'pending' | 'delivered' | 'replaced';
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListWebhookDeliveriesResult = {
  items: WebhookDelivery[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListRulesQuery = {
  /** Only with this status. */
  status?: 'active' | 'paused';
  /** Only with this reference attached: `source:entityType:externalId`. */
  referenceKey?: string;
  /** By default, both archived and other rules are listed. */
  archived?: boolean;
  /** Only with this tag. */
  tag?: string;
  /** Words, or beginnings of words, of name or description. */
  q?: string;
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListRulesResult = {
  items: TransactionRule[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type EvaluateDraftRuleQuery = {
  /** `transactions`: adds `transactions`, the rows that the answer names; needs `transactions:read`. */
  include?: 'transactions';
};

export type ListRuleVersionsQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListRuleVersionsResult = {
  items: TransactionRule[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListRuleRunsQuery = {
  /** Only what this rule concerns. */
  ruleId?: string;
  /** Only of this type. */
  type?: 'preview' | 'backfill' | 'revert';
  /** Only with this status. */
  status?: 'pending' | 'processing' | 'completed' | 'retry' | 'dead' | 'cancelled';
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListRuleRunsResult = {
  items: RuleRun[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListRuleRunMatchesQuery = {
  /** Only with this outcome. */
  outcome?: 'attached' | 'already_attached' | 'replaced' | 'revoked' | 'suppressed' | 'kept';
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
  /** `transactions`: adds `transactions`, the rows that the answer names; needs `transactions:read`. */
  include?: 'transactions';
};

export type ListRuleRunMatchesResult = {
  items: RuleRunMatch[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
  /** With `include=transactions`: the transactions named here that there still are, each once. */
  transactions?: BankTransaction[];
};

export type ListSchedulesQuery = {
  /** Only of this bank connection (its id). */
  accountId?: string;
  /** Only with this status. */
  status?: 'active' | 'paused';
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListSchedulesResult = {
  items: Schedule[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListScheduleTurnsQuery = {
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  cron?: string;
  /** Minutes between two turns, instead of a cron line. */
  everyMinutes?: number;
  /** IANA; UTC unless given. */
  timezone?: string;
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  from?: string;
  /** How many turns at most; 10 unless given. */
  count?: number;
};

export type ListScheduleTurnsResult = {
  turns: string[];
};

export type ListScheduleRunsQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListScheduleRunsResult = {
  items: ScheduleRun[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListAnalyticsQueriesResult = {
  items: AnalyticsQuery[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type GetAnalyticsResultsQuery = {
  /** First day; by default 30 days before `to`. */
  from?: string;
  /** Day after the last one; by default tomorrow. */
  to?: string;
  /** How long each interval of a series is. */
  interval?: 'day' | 'week' | 'month';
  /** The time zone of the days. */
  timezone?: string;
  /** Repeated, or one value with commas. */
  accountIds?: string[];
  /** Repeated, or one value with commas. */
  bankCodes?: string[];
  /** Only in this currency (ISO 4217), in any case. */
  currency?: string;
  /** One figure for each company, connection or sub-account instead of one for all. */
  groupBy?: 'company' | 'account' | 'subAccount';
  /** How many items a page holds at most. */
  limit?: number;
  /** Answer as of this moment. The header `x-log-position` holds the corresponding log position. */
  asOf?: string;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
  /** JSON in the envelope, or the rows as CSV. */
  format?: 'json' | 'csv';
};

export type ListConnectorLogsQuery = {
  /** Only of this bank connection (its id). */
  accountId?: string;
  /** Only of this sync. */
  syncId?: string;
  /** Only requests for accounts, or for pages of transactions. */
  operation?: 'accounts' | 'page';
  /** Only with this outcome. */
  outcome?: 'success' | 'transient' | 'rate_limited' | 'credentials_rejected' | 'permanent' | 'aborted';
  /** Requests sent at or after this moment. */
  from?: string;
  /** Sent before. */
  to?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListConnectorLogsResult = {
  items: ConnectorLog[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ListHistoryQuery = {
  /** Only about this kind of entity. */
  entityType?:
    | 'connection'
    | 'sync'
    | 'transaction'
    | 'rule'
    | 'run'
    | 'schedule'
    | 'api-key'
    | 'user'
    | 'company'
    | 'webhook';
  /** Only about the entity with this id; `entityType` says of what kind. */
  entityId?: string;
  /** Only events of this type, such as `TransactionRecorded`. */
  eventType?: string;
  /** The id of an API key, a user or a worker. */
  actor?: string;
  /** Only what one request caused: its `x-request-id`. */
  correlationId?: string;
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  from?: string;
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  to?: string;
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type ListHistoryResult = {
  items: AuditedEvent[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type ExportHistoryQuery = {
  /** A log position, as returned in answers. */
  position?: string;
};

export type GetIntegrityQuery = {
  /** The number of the first seal to check; the first of all unless given. */
  fromSeal?: number;
};

export type GetProofQuery = {
  /** The id of the event. */
  eventId: string;
};

export type GetEntityHistoryQuery = {
  /** How many items a page holds at most. */
  limit?: number;
  /** `nextCursor` of the previous page. */
  cursor?: string;
  /** Adds `count`: how many there are in all, exact to 10,000. */
  count?: boolean;
  /** Adds `expanded`: the names of these kinds of things, by the ids in the items. */
  expand?: ('account' | 'rule' | 'company' | 'actor')[];
};

export type GetEntityHistoryResult = {
  items: AuditedChange[];
  nextCursor: string | null;
  count?: ListCount;
  expanded?: ExpandedNames;
};

export type GetEntityAsOfQuery = {
  /** An ISO 8601 date-time, or a day YYYY-MM-DD, which means its start in UTC. */
  at?: string;
  /** A log position, as returned in answers. */
  position?: string;
};

export type GetEntityDiffQuery = {
  /** A moment, or a log position as returned in answers. */
  from: string;
  /** A moment, or a log position as returned in answers. */
  to: string;
};

/** Every operation by its id: its path parameters in order, then its body or else its query, then options. */
export interface Operations {
  /** Whether the process responds: `GET /health/live` */
  getLiveness(options?: CallOptions): Promise<GetLivenessResult>;
  /**
   * Whether the event store, the read store, each projection and the workers are working: `GET
   * /health/ready`
   */
  getReadiness(options?: CallOptions): Promise<GetReadinessResult>;
  /** The version of the service and of its contract: `GET /version` */
  getVersion(options?: CallOptions): Promise<GetVersionResult>;
  /** Sign in with email and password: `POST /auth/login` */
  logIn(body: LogInRequest, options?: CallOptions): Promise<TokenPair>;
  /** Exchange a refresh token for a new pair of tokens: `POST /auth/refresh` */
  refreshSession(body: RefreshSessionRequest, options?: CallOptions): Promise<TokenPair>;
  /** End a session; its access tokens stop working within a second: `POST /auth/logout` */
  logOut(body: LogOutRequest, options?: CallOptions): Promise<LogOutResult>;
  /** Whether the browser has the cookie of a session, and how to sign in otherwise: `GET /auth/session` */
  getSignIn(options?: CallOptions): Promise<GetSignInResult>;
  /** Sign in as a page in a browser: `POST /auth/session` */
  openSession(body: OpenSessionRequest, options?: CallOptions): Promise<Session>;
  /** End the session of the cookie, and remove the cookie: `DELETE /auth/session` */
  closeSession(options?: CallOptions): Promise<CloseSessionResult>;
  /** Exchange the cookie of a session for a new access token: `POST /auth/session/refresh` */
  renewSession(options?: CallOptions): Promise<Session>;
  /** The signed-in user: `GET /auth/me` */
  getMe(options?: CallOptions): Promise<Me>;
  /** Change your own profile; null clears a field: `PATCH /auth/me` */
  changeMe(body: ChangeMeRequest, options?: CallOptions): Promise<Me>;
  /** Change your own password, which ends every session and starts a new one: `POST /auth/me/password` */
  replacePassword(body: ReplacePasswordRequest, options?: CallOptions): Promise<TokenPair>;
  /** Your open sessions, newest first; for an admin also those of others: `GET /auth/sessions` */
  listSessions(query?: ListSessionsQuery, options?: CallOptions): Promise<ListSessionsResult>;
  /** End a session of yours; for an admin also one of another user: `DELETE /auth/sessions/{id}` */
  endSession(id: string, options?: CallOptions): Promise<UserSession>;
  /** The companies the caller may see, oldest first: `GET /auth/companies` */
  listCompanies(query?: ListCompaniesQuery, options?: CallOptions): Promise<ListCompaniesResult>;
  /** Add a company to the tenant: `POST /auth/companies` */
  createCompany(body: CreateCompanyRequest, options?: CallOptions): Promise<Company>;
  /** The users of the tenant, oldest first: `GET /auth/users` */
  listUsers(query?: ListUsersQuery, options?: CallOptions): Promise<ListUsersResult>;
  /** Add a user to the tenant: `POST /auth/users` */
  addUser(body: AddUserRequest, options?: CallOptions): Promise<AddedUser>;
  /**
   * Change the role of a user, disable one, or allow the login with the outside issuer: `PATCH
   * /auth/users/{id}`
   */
  changeUser(id: string, body: ChangeUserRequest, options?: CallOptions): Promise<User>;
  /** Create an API key: `POST /auth/api-keys` */
  createApiKey(body: CreateApiKeyRequest, options?: CallOptions): Promise<ApiKeyWithSecret>;
  /** The API keys, oldest first, without their secrets: `GET /auth/api-keys` */
  listApiKeys(query?: ListApiKeysQuery, options?: CallOptions): Promise<ListApiKeysResult>;
  /** Give the key a new secret: `POST /auth/api-keys/{id}/rotate` */
  rotateApiKey(id: string, body?: RotateApiKeyRequest, options?: CallOptions): Promise<ApiKeyWithSecret>;
  /** Revoke an API key permanently: `POST /auth/api-keys/{id}/revoke` */
  revokeApiKey(id: string, body?: RevokeApiKeyRequest, options?: CallOptions): Promise<ApiKey>;
  /** Add a tenant with one company, its admin and one API key: `POST /operator/tenants` */
  createTenant(body: CreateTenantRequest, options?: CallOptions): Promise<CreatedTenant>;
  /** The tenants, oldest first: `GET /operator/tenants` */
  listTenants(query?: ListTenantsQuery, options?: CallOptions): Promise<ListTenantsResult>;
  /** The supported banks, the credentials they need and their limits: `GET /banks/catalogue` */
  getCatalogue(options?: CallOptions): Promise<GetCatalogueResult>;
  /** Add a bank connection to a company: `POST /banks/accounts` */
  openConnection(body: OpenConnectionRequest, options?: CallOptions): Promise<BankConnection>;
  /** The bank connections, oldest first: `GET /banks/accounts` */
  listConnections(query?: ListConnectionsQuery, options?: CallOptions): Promise<ListConnectionsResult>;
  /** One bank connection: `GET /banks/accounts/{id}` */
  getConnection(id: string, options?: CallOptions): Promise<BankConnection>;
  /** Rename, disable or enable a connection; disabling stops its syncs: `PATCH /banks/accounts/{id}` */
  changeConnection(id: string, body: ChangeConnectionRequest, options?: CallOptions): Promise<BankConnection>;
  /**
   * Archive a connection permanently; its credentials are destroyed, its history stays: `POST
   * /banks/accounts/{id}/archive`
   */
  archiveConnection(id: string, options?: CallOptions): Promise<BankConnection>;
  /** Set the connection's credentials, replacing any others: `PUT /banks/accounts/{id}/credentials` */
  putCredentials(id: string, body: PutCredentialsRequest, options?: CallOptions): Promise<CredentialsReceipt>;
  /** Find the physical accounts and currencies of a connection: `POST /banks/accounts/{id}/setup` */
  setUpConnection(id: string, options?: WaitOptions): Promise<BankConnection>;
  /** Show what a file would import, without recording anything: `POST /banks/accounts/{id}/dry-run` */
  dryRunConnection(id: string, body?: DryRunConnectionRequest, options?: CallOptions): Promise<DryRun>;
  /** Pull the transactions of a connection: `POST /banks/accounts/{id}/sync` */
  syncConnection(id: string, body?: SyncConnectionRequest, options?: WaitOptions): Promise<BankConnection>;
  /** The syncs of a connection, newest first: `GET /banks/accounts/{id}/syncs` */
  listSyncs(id: string, query?: ListSyncsQuery, options?: CallOptions): Promise<ListSyncsResult>;
  /**
   * One sync or setup: what requested it, its windows, pages, counts and error: `GET
   * /banks/accounts/{id}/syncs/{syncId}`
   */
  getSync(id: string, syncId: string, options?: CallOptions): Promise<Sync>;
  /**
   * Cancel a sync between two pages; what was recorded stays: `POST
   * /banks/accounts/{id}/syncs/{syncId}/cancel`
   */
  cancelSync(id: string, syncId: string, options?: CallOptions): Promise<Sync>;
  /**
   * The health of a connection and whether its transactions are complete: `GET
   * /banks/accounts/{id}/health`
   */
  getConnectionHealth(id: string, options?: CallOptions): Promise<GetConnectionHealthResult>;
  /** The usage of a connection per UTC day, newest first: `GET /banks/accounts/{id}/usage` */
  getConnectionUsage(
    id: string,
    query?: GetConnectionUsageQuery,
    options?: CallOptions,
  ): Promise<GetConnectionUsageResult>;
  /** Transactions by filter, in a stable order that new arrivals do not change: `GET /banks/transactions` */
  listTransactions(query?: ListTransactionsQuery, options?: CallOptions): Promise<ListTransactionsResult>;
  /**
   * Transactions by filter as CSV (RFC 4180, UTF-8), oldest first unless `sort` says otherwise: `GET
   * /banks/transactions/export`
   */
  exportTransactions(query?: ExportTransactionsQuery, options?: CallOptions): Promise<Response>;
  /** What the transactions found by a filter add up to, by currency: `GET /banks/transactions/totals` */
  getTransactionTotals(query?: GetTransactionTotalsQuery, options?: CallOptions): Promise<TransactionTotals>;
  /**
   * Transactions without any assignment, grouped by counterparty or by likeness of their descriptions:
   * `GET /banks/transactions/groups`
   */
  listUnassignedGroups(query: ListUnassignedGroupsQuery, options?: CallOptions): Promise<ListUnassignedGroupsResult>;
  /** One transaction with its assignments: `GET /banks/transactions/{id}` */
  getTransaction(id: string, query?: GetTransactionQuery, options?: CallOptions): Promise<BankTransaction>;
  /** Why a transaction has the references it has: `GET /banks/transactions/{id}/explanation` */
  explainTransaction(
    id: string,
    query?: ExplainTransactionQuery,
    options?: CallOptions,
  ): Promise<TransactionExplanation>;
  /** Retry failed transaction automation: `POST /banks/transactions/{id}/automation/retry` */
  retryAutomation(id: string, options?: CallOptions): Promise<BankTransaction>;
  /**
   * All assignments of a transaction, revoked ones included, oldest first: `GET
   * /banks/transactions/{id}/assignments`
   */
  listTransactionAssignments(
    id: string,
    query?: ListTransactionAssignmentsQuery,
    options?: CallOptions,
  ): Promise<ListTransactionAssignmentsResult>;
  /** Attach a reference to a transaction by hand: `POST /banks/transactions/{id}/assignments` */
  attachAssignment(id: string, body: AttachAssignmentRequest, options?: CallOptions): Promise<TransactionAssignment>;
  /** Revoke an assignment permanently: `POST /banks/transactions/{id}/assignments/{assignmentId}/revoke` */
  revokeAssignment(
    id: string,
    assignmentId: string,
    body?: RevokeAssignmentRequest,
    options?: CallOptions,
  ): Promise<TransactionAssignment>;
  /** Reverse look-up: which transactions have a reference, newest first: `GET /banks/assignments` */
  listAssignments(query?: ListAssignmentsQuery, options?: CallOptions): Promise<ListAssignmentsResult>;
  /**
   * What came, changed or was withdrawn since a cursor, in the order of the last change: `GET
   * /banks/changes`
   */
  listChanges(query?: ListChangesQuery, options?: CallOptions): Promise<ListChangesResult>;
  /** Deliver events to a receiver: `POST /banks/webhooks` */
  createWebhook(body: CreateWebhookRequest, options?: CallOptions): Promise<WebhookWithSecret>;
  /** The webhooks, oldest first: `GET /banks/webhooks` */
  listWebhooks(query?: ListWebhooksQuery, options?: CallOptions): Promise<ListWebhooksResult>;
  /** One webhook: `GET /banks/webhooks/{id}` */
  getWebhook(id: string, options?: CallOptions): Promise<Webhook>;
  /** Change what a webhook delivers, or where to: `PATCH /banks/webhooks/{id}` */
  changeWebhook(id: string, body: ChangeWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Pause a webhook; its events are delivered once it is resumed: `PATCH /banks/webhooks/{id}/pause` */
  pauseWebhook(id: string, options?: CallOptions): Promise<Webhook>;
  /** Resume a paused or disabled webhook; what failed is tried anew: `PATCH /banks/webhooks/{id}/resume` */
  resumeWebhook(id: string, options?: CallOptions): Promise<Webhook>;
  /** Replace the secret; both sign during the time of grace: `POST /banks/webhooks/{id}/rotate-secret` */
  rotateWebhookSecret(id: string, body: RotateWebhookSecretRequest, options?: CallOptions): Promise<WebhookWithSecret>;
  /** Send `webhook.test` now, and show what the receiver answered: `POST /banks/webhooks/{id}/test` */
  testWebhook(id: string, options?: CallOptions): Promise<WebhookTest>;
  /**
   * The deliveries of a webhook that were attempted, newest event first: `GET
   * /banks/webhooks/{id}/deliveries`
   */
  listWebhookDeliveries(
    id: string,
    query?: ListWebhookDeliveriesQuery,
    options?: CallOptions,
  ): Promise<ListWebhookDeliveriesResult>;
  /**
   * Deliver one event again, soon and once, whatever came of it before: `POST
   * /banks/webhooks/{id}/deliveries/{deliveryId}/retry`
   */
  retryWebhookDelivery(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>;
  /** Deliver everything again that came after a cursor or a moment: `POST /banks/webhooks/{id}/replay` */
  replayWebhook(id: string, body: ReplayWebhookRequest, options?: CallOptions): Promise<Webhook>;
  /** Archive a webhook for good; its secrets are destroyed: `PATCH /banks/webhooks/{id}/archive` */
  archiveWebhook(id: string, options?: CallOptions): Promise<Webhook>;
  /** Create a matching rule: `POST /banks/transaction-rules` */
  createRule(body: CreateRuleRequest, options?: CallOptions): Promise<TransactionRule>;
  /** The rules, oldest first: `GET /banks/transaction-rules` */
  listRules(query?: ListRulesQuery, options?: CallOptions): Promise<ListRulesResult>;
  /**
   * Try a draft rule on a scope or on given transactions; nothing is stored: `POST
   * /banks/transaction-rules/evaluate`
   */
  evaluateDraftRule(
    body: EvaluateDraftRuleRequest,
    options?: CallOptions & { query?: EvaluateDraftRuleQuery },
  ): Promise<DraftEvaluation>;
  /** One rule: `GET /banks/transaction-rules/{id}` */
  getRule(id: string, options?: CallOptions): Promise<TransactionRule>;
  /**
   * Change a rule; the new version applies to transactions that arrive from then on: `PATCH
   * /banks/transaction-rules/{id}`
   */
  changeRule(id: string, body: ChangeRuleRequest, options?: CallOptions): Promise<TransactionRule>;
  /** All versions of a rule, newest first: `GET /banks/transaction-rules/{id}/versions` */
  listRuleVersions(id: string, query?: ListRuleVersionsQuery, options?: CallOptions): Promise<ListRuleVersionsResult>;
  /**
   * Pause a rule; it is not applied to transactions that arrive while it is paused: `PATCH
   * /banks/transaction-rules/{id}/pause`
   */
  pauseRule(id: string, body: PauseRuleRequest, options?: CallOptions): Promise<TransactionRule>;
  /** Re-enable a rule: `PATCH /banks/transaction-rules/{id}/resume` */
  resumeRule(id: string, body: ResumeRuleRequest, options?: CallOptions): Promise<TransactionRule>;
  /** Archive a rule permanently; its assignments stay: `PATCH /banks/transaction-rules/{id}/archive` */
  archiveRule(id: string, body: ArchiveRuleRequest, options?: CallOptions): Promise<TransactionRule>;
  /**
   * Find out what a backfill of the rule would do; nothing is attached: `POST
   * /banks/transaction-rules/{id}/preview-runs`
   */
  previewRule(id: string, body?: PreviewRuleRequest, options?: CallOptions): Promise<RuleRun>;
  /**
   * Carry out a completed preview, over exactly its candidates: `POST
   * /banks/transaction-rules/{id}/backfill-runs`
   */
  backfillRule(id: string, body: BackfillRuleRequest, options?: CallOptions): Promise<RuleRun>;
  /** Previews, backfills and reverts, newest first: `GET /banks/rule-runs` */
  listRuleRuns(query?: ListRuleRunsQuery, options?: CallOptions): Promise<ListRuleRunsResult>;
  /** One run and its progress: `GET /banks/rule-runs/{id}` */
  getRuleRun(id: string, options?: CallOptions): Promise<RuleRun>;
  /**
   * What the run did to each transaction, or why it did nothing, in processing order: `GET
   * /banks/rule-runs/{id}/matches`
   */
  listRuleRunMatches(
    id: string,
    query?: ListRuleRunMatchesQuery,
    options?: CallOptions,
  ): Promise<ListRuleRunMatchesResult>;
  /**
   * Cancel a run between two pages; what it did stays, and `processedCount` shows how far it got: `POST
   * /banks/rule-runs/{id}/cancel`
   */
  cancelRuleRun(id: string, options?: CallOptions): Promise<RuleRun>;
  /** Revert what a run did, by new events: `POST /banks/rule-runs/{id}/revert` */
  revertRuleRun(id: string, options?: CallOptions): Promise<RuleRun>;
  /** Schedule regular syncs of a connection: `POST /banks/schedules` */
  createSchedule(body: CreateScheduleRequest, options?: CallOptions): Promise<Schedule>;
  /** The schedules, oldest first: `GET /banks/schedules` */
  listSchedules(query?: ListSchedulesQuery, options?: CallOptions): Promise<ListSchedulesResult>;
  /** The next turns that a cron line or an interval would have: `GET /banks/schedules/turns` */
  listScheduleTurns(query?: ListScheduleTurnsQuery, options?: CallOptions): Promise<ListScheduleTurnsResult>;
  /** One schedule, its next turn and the result of the last one: `GET /banks/schedules/{id}` */
  getSchedule(id: string, options?: CallOptions): Promise<Schedule>;
  /** Change when a schedule runs, or its title: `PATCH /banks/schedules/{id}` */
  changeSchedule(id: string, body: ChangeScheduleRequest, options?: CallOptions): Promise<Schedule>;
  /** Delete a schedule; its history stays in the log: `DELETE /banks/schedules/{id}` */
  deleteSchedule(id: string, options?: CallOptions): Promise<Schedule>;
  /**
   * Pause a schedule; turns that fall due while it is paused are skipped: `PATCH
   * /banks/schedules/{id}/pause`
   */
  pauseSchedule(id: string, options?: CallOptions): Promise<Schedule>;
  /** Resume a schedule with its next turn: `PATCH /banks/schedules/{id}/resume` */
  resumeSchedule(id: string, options?: CallOptions): Promise<Schedule>;
  /** Run a schedule now, in addition to its turns; also while paused: `POST /banks/schedules/{id}/run` */
  runSchedule(id: string, options?: CallOptions): Promise<ScheduleRun>;
  /** The runs of a schedule, newest first: `GET /banks/schedules/{id}/runs` */
  listScheduleRuns(id: string, query?: ListScheduleRunsQuery, options?: CallOptions): Promise<ListScheduleRunsResult>;
  /** The available analytics queries, with their parameters and columns: `GET /banks/analytics/queries` */
  listAnalyticsQueries(options?: CallOptions): Promise<ListAnalyticsQueriesResult>;
  /** One analytics query: `GET /banks/analytics/queries/{id}` */
  getAnalyticsQuery(id: string, options?: CallOptions): Promise<AnalyticsQuery>;
  /**
   * The results of an analytics query, as of one log position: `GET
   * /banks/analytics/queries/{id}/results`
   */
  getAnalyticsResults(
    id: string,
    query?: GetAnalyticsResultsQuery & { format: 'csv' },
    options?: CallOptions,
  ): Promise<Response>;
  getAnalyticsResults(id: string, query?: GetAnalyticsResultsQuery, options?: CallOptions): Promise<AnalyticsResult>;
  /**
   * Requests to banks and their answers of the last 90 days, newest first: `GET
   * /banks/audit/connector-logs`
   */
  listConnectorLogs(query?: ListConnectorLogsQuery, options?: CallOptions): Promise<ListConnectorLogsResult>;
  /** One request to a bank and its answer, masked: `GET /banks/audit/connector-logs/{id}` */
  getConnectorLog(id: string, options?: CallOptions): Promise<ConnectorLog>;
  /** The tenant's events, newest first: `GET /banks/audit/history` */
  listHistory(query?: ListHistoryQuery, options?: CallOptions): Promise<ListHistoryResult>;
  /**
   * The tenant's whole history as NDJSON, for verification without the service: `GET
   * /banks/audit/history/export`
   */
  exportHistory(query?: ExportHistoryQuery, options?: CallOptions): Promise<Response>;
  /** Check the tenant's events in the log against its seals: `GET /banks/audit/integrity` */
  getIntegrity(query?: GetIntegrityQuery, options?: CallOptions): Promise<Integrity>;
  /** Prove that a seal covers an event: `GET /banks/audit/proof` */
  getProof(query: GetProofQuery, options?: CallOptions): Promise<EventProof>;
  /**
   * The events of one entity, oldest first, each with what it changed: `GET
   * /banks/audit/history/{entityType}/{id}`
   */
  getEntityHistory(
    entityType: string,
    id: string,
    query?: GetEntityHistoryQuery,
    options?: CallOptions,
  ): Promise<GetEntityHistoryResult>;
  /** One entity as it was at a moment or position: `GET /banks/audit/history/{entityType}/{id}/as-of` */
  getEntityAsOf(entityType: string, id: string, query?: GetEntityAsOfQuery, options?: CallOptions): Promise<EntityThen>;
  /**
   * What changed in one entity between two moments or positions, field by field: `GET
   * /banks/audit/history/{entityType}/{id}/diff`
   */
  getEntityDiff(entityType: string, id: string, query: GetEntityDiffQuery, options?: CallOptions): Promise<EntityDiff>;
  /**
   * Where an assignment comes from: transaction, sync, bank answer, rule with its compared values, and
   * actor: `GET /banks/audit/provenance/{assignmentId}`
   */
  getProvenance(assignmentId: string, options?: CallOptions): Promise<AssignmentProvenance>;
  /**
   * Rebuild the company's read models from its events, separately from the live ones, and compare: `POST
   * /banks/audit/replays`
   */
  startReplay(body?: StartReplayRequest, options?: CallOptions): Promise<Replay>;
  /** One replay: its progress and its result: `GET /banks/audit/replays/{id}` */
  getReplay(id: string, options?: CallOptions): Promise<Replay>;
}

/** The lists that have pages, as iterators over the items of all of them. */
export interface EachItem {
  /** Your open sessions, newest first; for an admin also those of others: `GET /auth/sessions` */
  listSessions(
    query?: ListSessionsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListSessionsResult['items'][number], void, undefined>;
  /** The companies the caller may see, oldest first: `GET /auth/companies` */
  listCompanies(
    query?: ListCompaniesQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListCompaniesResult['items'][number], void, undefined>;
  /** The users of the tenant, oldest first: `GET /auth/users` */
  listUsers(
    query?: ListUsersQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListUsersResult['items'][number], void, undefined>;
  /** The API keys, oldest first, without their secrets: `GET /auth/api-keys` */
  listApiKeys(
    query?: ListApiKeysQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListApiKeysResult['items'][number], void, undefined>;
  /** The tenants, oldest first: `GET /operator/tenants` */
  listTenants(
    query?: ListTenantsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListTenantsResult['items'][number], void, undefined>;
  /** The bank connections, oldest first: `GET /banks/accounts` */
  listConnections(
    query?: ListConnectionsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListConnectionsResult['items'][number], void, undefined>;
  /** The syncs of a connection, newest first: `GET /banks/accounts/{id}/syncs` */
  listSyncs(
    id: string,
    query?: ListSyncsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListSyncsResult['items'][number], void, undefined>;
  /** The usage of a connection per UTC day, newest first: `GET /banks/accounts/{id}/usage` */
  getConnectionUsage(
    id: string,
    query?: GetConnectionUsageQuery,
    options?: CallOptions,
  ): AsyncGenerator<GetConnectionUsageResult['items'][number], void, undefined>;
  /** Transactions by filter, in a stable order that new arrivals do not change: `GET /banks/transactions` */
  listTransactions(
    query?: ListTransactionsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListTransactionsResult['items'][number], void, undefined>;
  /**
   * Transactions without any assignment, grouped by counterparty or by likeness of their descriptions:
   * `GET /banks/transactions/groups`
   */
  listUnassignedGroups(
    query: ListUnassignedGroupsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListUnassignedGroupsResult['items'][number], void, undefined>;
  /** Reverse look-up: which transactions have a reference, newest first: `GET /banks/assignments` */
  listAssignments(
    query?: ListAssignmentsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListAssignmentsResult['items'][number], void, undefined>;
  /** The webhooks, oldest first: `GET /banks/webhooks` */
  listWebhooks(
    query?: ListWebhooksQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListWebhooksResult['items'][number], void, undefined>;
  /**
   * The deliveries of a webhook that were attempted, newest event first: `GET
   * /banks/webhooks/{id}/deliveries`
   */
  listWebhookDeliveries(
    id: string,
    query?: ListWebhookDeliveriesQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListWebhookDeliveriesResult['items'][number], void, undefined>;
  /** The rules, oldest first: `GET /banks/transaction-rules` */
  listRules(
    query?: ListRulesQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListRulesResult['items'][number], void, undefined>;
  /** All versions of a rule, newest first: `GET /banks/transaction-rules/{id}/versions` */
  listRuleVersions(
    id: string,
    query?: ListRuleVersionsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListRuleVersionsResult['items'][number], void, undefined>;
  /** Previews, backfills and reverts, newest first: `GET /banks/rule-runs` */
  listRuleRuns(
    query?: ListRuleRunsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListRuleRunsResult['items'][number], void, undefined>;
  /**
   * What the run did to each transaction, or why it did nothing, in processing order: `GET
   * /banks/rule-runs/{id}/matches`
   */
  listRuleRunMatches(
    id: string,
    query?: ListRuleRunMatchesQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListRuleRunMatchesResult['items'][number], void, undefined>;
  /** The schedules, oldest first: `GET /banks/schedules` */
  listSchedules(
    query?: ListSchedulesQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListSchedulesResult['items'][number], void, undefined>;
  /** The runs of a schedule, newest first: `GET /banks/schedules/{id}/runs` */
  listScheduleRuns(
    id: string,
    query?: ListScheduleRunsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListScheduleRunsResult['items'][number], void, undefined>;
  /**
   * Requests to banks and their answers of the last 90 days, newest first: `GET
   * /banks/audit/connector-logs`
   */
  listConnectorLogs(
    query?: ListConnectorLogsQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListConnectorLogsResult['items'][number], void, undefined>;
  /** The tenant's events, newest first: `GET /banks/audit/history` */
  listHistory(
    query?: ListHistoryQuery,
    options?: CallOptions,
  ): AsyncGenerator<ListHistoryResult['items'][number], void, undefined>;
  /**
   * The events of one entity, oldest first, each with what it changed: `GET
   * /banks/audit/history/{entityType}/{id}`
   */
  getEntityHistory(
    entityType: string,
    id: string,
    query?: GetEntityHistoryQuery,
    options?: CallOptions,
  ): AsyncGenerator<GetEntityHistoryResult['items'][number], void, undefined>;
}
