import type { EventType } from '../events/registry.ts';
import { WEBHOOK_TYPES, type WebhookType } from '../events/webhook.ts';

/** The webhook type of each event that is delivered. */
const TYPE_OF: Partial<Readonly<Record<EventType, WebhookType>>> = {
  TransactionRecorded: 'transaction.created',
  TransactionWithdrawn: 'transaction.withdrawn',
  TransactionAssignmentAttached: 'assignment.attached',
  TransactionAssignmentRevoked: 'assignment.revoked',
  ConnectionOpened: 'connection.updated',
  ConnectionRenamed: 'connection.updated',
  ConnectionDisabled: 'connection.updated',
  ConnectionEnabled: 'connection.updated',
  ConnectionArchived: 'connection.updated',
  ConnectionCredentialsReplaced: 'connection.updated',
  ConnectionSetUp: 'connection.updated',
  ConnectionSetupFailed: 'connection.updated',
  ConnectionAccountsChanged: 'connection.updated',
  SyncCompleted: 'sync.completed',
  SyncFailed: 'sync.failed',
  RunCompleted: 'run.completed',
  RunDied: 'run.failed',
  RuleCreated: 'rule.updated',
  RuleChanged: 'rule.updated',
  RulePaused: 'rule.updated',
  RuleResumed: 'rule.updated',
  RuleArchived: 'rule.updated',
  SchedulePaused: 'schedule.paused',
};

/** The type as which an event is delivered; undefined for one that is not. */
export function webhookTypeOf(eventType: string): WebhookType | undefined {
  return TYPE_OF[eventType as EventType];
}

/** Whether a webhook for these types gets events of the type; `*` stands for all. */
export function wantsType(types: readonly string[], type: WebhookType): boolean {
  return types.includes('*') || types.includes(type);
}

/** The types that a webhook gets, of those there are. */
export function typesWanted(types: readonly string[]): readonly WebhookType[] {
  return WEBHOOK_TYPES.filter((type) => wantsType(types, type));
}
