import type { Refusal } from '../deciders/refusal.ts';
import {
  decideArchiveWebhook,
  decideChangeWebhook,
  decideCreateWebhook,
  decideDisableWebhook,
  decidePauseWebhook,
  decideReplayWebhook,
  decideResumeWebhook,
  decideRotateWebhookSecret,
  type WebhookOutcome,
  type WebhookSettings,
  type WebhookState,
  webhook,
} from '../deciders/webhook.ts';
import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';
import { fold } from './stream-state.ts';

type Done = Promise<Outcome<WebhookState>>;

function onWebhook(
  context: CommandContext,
  webhookId: string,
  decide: (state: WebhookState, now: string) => WebhookOutcome,
): Done {
  const now = isoTime(context.clock.now());
  return execute(context, {
    stream: streamName('webhook', context.tenantId, webhookId),
    decider: webhook,
    notFound: 'WEBHOOK_NOT_FOUND',
    decide: (state) => decide(state, now),
  });
}

/** As the log has it now; one of another company was never created. */
export async function loadWebhook(
  { log, tenantId, companyId }: Pick<CommandContext, 'log' | 'tenantId' | 'companyId'>,
  webhookId: string,
): Promise<WebhookState> {
  const events = await log.readStream(streamName('webhook', tenantId, webhookId));
  const isForeign = companyId !== null && events[0]?.metadata.companyId !== companyId;
  return fold(webhook, isForeign ? [] : events);
}

export function createWebhook(
  context: CommandContext,
  webhookId: string,
  created: WebhookSettings & { readonly fromPosition: string },
): Done {
  return onWebhook(context, webhookId, (state, createdAt) =>
    decideCreateWebhook(state, { webhookId, ...created, createdAt }),
  );
}

export function changeWebhook(context: CommandContext, webhookId: string, change: Partial<WebhookSettings>): Done {
  return onWebhook(context, webhookId, (state, changedAt) =>
    state.settings === null
      ? ({ refused: 'WEBHOOK_NOT_FOUND' } satisfies Refusal)
      : decideChangeWebhook(state, { settings: { ...state.settings, ...change }, changedAt }),
  );
}

export function pauseWebhook(context: CommandContext, webhookId: string): Done {
  return onWebhook(context, webhookId, decidePauseWebhook);
}

export function resumeWebhook(context: CommandContext, webhookId: string): Done {
  return onWebhook(context, webhookId, decideResumeWebhook);
}

export function archiveWebhook(context: CommandContext, webhookId: string): Done {
  return onWebhook(context, webhookId, decideArchiveWebhook);
}

export function disableWebhook(
  context: CommandContext,
  webhookId: string,
  reason: EventData<'WebhookDisabled'>['reason'],
): Done {
  return onWebhook(context, webhookId, (state, disabledAt) => decideDisableWebhook(state, { reason, disabledAt }));
}

export function rotateWebhookSecret(context: CommandContext, webhookId: string, graceUntil: string): Done {
  return onWebhook(context, webhookId, (state, rotatedAt) =>
    decideRotateWebhookSecret(state, { graceUntil, rotatedAt }),
  );
}

export function replayWebhook(context: CommandContext, webhookId: string, afterPosition: string): Done {
  return onWebhook(context, webhookId, (state, requestedAt) =>
    decideReplayWebhook(state, { afterPosition, requestedAt }),
  );
}
