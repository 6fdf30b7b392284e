/**
 * The codes with which the domain refuses. The table of error codes (`http/core/errors.ts`) gives each its status and
 * message, and does not compile without one of them.
 */
export type RefusalCode =
  | 'API_KEY_EXPIRED'
  | 'API_KEY_NOT_FOUND'
  | 'API_KEY_REVOKED'
  | 'ASSIGNMENT_EXISTS'
  | 'ASSIGNMENT_NOT_FOUND'
  | 'ASSIGNMENT_REVOKED'
  | 'AUTHENTICATION_INVALID'
  | 'AUTOMATION_NOT_RETRYABLE'
  | 'CONNECTION_ARCHIVED'
  | 'CONNECTION_DISABLED'
  | 'CONNECTION_NOT_FOUND'
  | 'CONNECTION_NOT_SET_UP'
  | 'CREDENTIALS_MISSING'
  | 'LAST_ADMIN'
  | 'PREVIEW_ALREADY_USED'
  | 'PREVIEW_NOT_COMPLETED'
  | 'PREVIEW_STALE'
  | 'PROVIDER_QUOTA_EXHAUSTED'
  | 'RULE_ARCHIVED'
  | 'RULE_NOT_FOUND'
  | 'RULE_VERSION_CONFLICT'
  | 'RUN_ALREADY_REVERTED'
  | 'RUN_ENDED'
  | 'RUN_IN_PROGRESS'
  | 'RUN_NOT_FOUND'
  | 'RUN_NOT_REVERTIBLE'
  | 'SCHEDULE_NOT_FOUND'
  | 'SCHEDULE_TOO_FREQUENT'
  | 'SYNC_ENDED'
  | 'SYNC_NOT_FOUND'
  | 'TENANT_LIMIT_REACHED'
  | 'TRANSACTION_NOT_FOUND'
  | 'USER_EXISTS'
  | 'USER_NOT_FOUND'
  | 'WEBHOOK_ARCHIVED'
  | 'WEBHOOK_NOT_FOUND';

/** An expected "no" of the domain: a code and what the caller needs to know. Returned by deciders, never thrown. */
export type Refusal = { readonly refused: RefusalCode; readonly meta?: Readonly<Record<string, unknown>> };
