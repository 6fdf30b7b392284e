import { z } from 'zod';
import { id, instant } from './fields.ts';

/** The types of events that a webhook can deliver. `*` stands for all of them, also those of later releases. */
export const WEBHOOK_TYPES = [
  'transaction.created',
  'transaction.withdrawn',
  'assignment.attached',
  'assignment.revoked',
  'connection.updated',
  'sync.completed',
  'sync.failed',
  'run.completed',
  'run.failed',
  'rule.updated',
  'schedule.paused',
] as const;

export type WebhookType = (typeof WEBHOOK_TYPES)[number];

const settings = {
  url: z.string().min(1).max(2048),
  /** Names of {@link WEBHOOK_TYPES}, or `*` alone. */
  types: z.array(z.string().min(1).max(64)).min(1).max(64),
  companies: z.array(id).min(1).max(1000),
  description: z.string().max(500).nullable(),
};

const position = z.string().max(64);

/** Streams `webhook-{tenant}_{id}`. Secrets are in the vault; deliveries are in the read store. */
export const webhookEvents = {
  WebhookCreated: {
    version: 1,
    /** Events after `fromPosition` are delivered. */
    schema: z.strictObject({ webhookId: id, ...settings, fromPosition: position, createdAt: instant }),
  },
  WebhookChanged: { version: 1, schema: z.strictObject({ ...settings, changedAt: instant }) },
  WebhookPaused: { version: 1, schema: z.strictObject({ pausedAt: instant }) },
  /** By a person; failed deliveries then begin their attempts anew. */
  WebhookResumed: { version: 1, schema: z.strictObject({ resumedAt: instant }) },
  /** By the service: the receiver answered 410, or failed for three days. */
  WebhookDisabled: {
    version: 1,
    schema: z.strictObject({ reason: z.enum(['RECEIVER_GONE', 'FAILED_FOR_THREE_DAYS']), disabledAt: instant }),
  },
  WebhookArchived: { version: 1, schema: z.strictObject({ archivedAt: instant }) },
  /** Generation 1 is the secret that it was created with; the one before is valid until `graceUntil`. */
  WebhookSecretRotated: {
    version: 1,
    schema: z.strictObject({ generation: z.int().min(2), graceUntil: instant, rotatedAt: instant }),
  },
  /** Everything after `afterPosition` is delivered again, as round `round`; the first round is 1. */
  WebhookReplayRequested: {
    version: 1,
    schema: z.strictObject({ round: z.int().min(2), afterPosition: position, requestedAt: instant }),
  },
} as const;
