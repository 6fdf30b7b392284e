export { type Answer, answerOf } from './answers.ts';
export type { ChangesQuery } from './changes.ts';
export { BankClient } from './client.ts';
export {
  AuthenticationError,
  BankError,
  ConflictError,
  type Issue,
  isBankError,
  NetworkError,
  NotFoundError,
  PermissionError,
  RateLimitedError,
  UnavailableError,
  ValidationError,
} from './errors.ts';
export type { CallOptions, ClientOptions, Defaults, Position, WaitOptions } from './options.ts';
export type * from './types.ts';
export { verifyWebhook, WebhookError, type WebhookMessage } from './webhooks.ts';
