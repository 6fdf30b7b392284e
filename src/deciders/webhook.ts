import type { EventData, FactOf } from '../events/registry.ts';
import type { webhookEvents } from '../events/webhook.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type WebhookFact = FactOf<typeof webhookEvents>;

type Created = EventData<'WebhookCreated'>;
export type WebhookSettings = Pick<Created, 'url' | 'types' | 'companies' | 'description'>;

export type WebhookState = {
  readonly created: Created | null;
  readonly settings: WebhookSettings | null;
  readonly status: 'active' | 'paused' | 'disabled';
  readonly archived: boolean;
  readonly generation: number;
  readonly round: number;
};

const initialState: WebhookState = {
  created: null,
  settings: null,
  status: 'paused',
  archived: false,
  generation: 0,
  round: 0,
};

function evolve(state: WebhookState, fact: WebhookFact): WebhookState {
  switch (fact.type) {
    case 'WebhookCreated': {
      const { webhookId, fromPosition, createdAt, ...settings } = fact.data;
      return { ...state, created: fact.data, settings, status: 'active', generation: 1, round: 1 };
    }
    case 'WebhookChanged': {
      const { changedAt, ...settings } = fact.data;
      return { ...state, settings };
    }
    case 'WebhookPaused':
      return { ...state, status: 'paused' };
    case 'WebhookResumed':
      return { ...state, status: 'active' };
    case 'WebhookDisabled':
      return { ...state, status: 'disabled' };
    case 'WebhookArchived':
      return { ...state, archived: true };
    case 'WebhookSecretRotated':
      return { ...state, generation: fact.data.generation };
    case 'WebhookReplayRequested':
      return { ...state, round: fact.data.round };
  }
}

export const webhook: Decider<WebhookState, WebhookFact> = { initialState, evolve };

export type WebhookOutcome = readonly WebhookFact[] | Refusal;

function refusalOf(state: WebhookState): Refusal | null {
  if (state.created === null) return { refused: 'WEBHOOK_NOT_FOUND' };
  return state.archived ? { refused: 'WEBHOOK_ARCHIVED' } : null;
}

export function decideCreateWebhook(state: WebhookState, created: Created): WebhookOutcome {
  return state.created === null ? [{ type: 'WebhookCreated', data: created }] : [];
}

/** The same settings again are no change. */
export function decideChangeWebhook(
  state: WebhookState,
  change: { settings: WebhookSettings; changedAt: string },
): WebhookOutcome {
  const refusal = refusalOf(state);
  if (refusal !== null) return refusal;
  const { settings, changedAt } = change;
  if (JSON.stringify(settings) === JSON.stringify(state.settings)) return [];
  return [{ type: 'WebhookChanged', data: { ...settings, changedAt } }];
}

/** A disabled one can be paused: it then says nothing about its receiver. */
export function decidePauseWebhook(state: WebhookState, pausedAt: string): WebhookOutcome {
  const refusal = refusalOf(state);
  if (refusal !== null) return refusal;
  return state.status === 'paused' ? [] : [{ type: 'WebhookPaused', data: { pausedAt } }];
}

export function decideResumeWebhook(state: WebhookState, resumedAt: string): WebhookOutcome {
  const refusal = refusalOf(state);
  if (refusal !== null) return refusal;
  return state.status === 'active' ? [] : [{ type: 'WebhookResumed', data: { resumedAt } }];
}

/** What a person paused or archived meanwhile stays so. */
export function decideDisableWebhook(state: WebhookState, disabled: EventData<'WebhookDisabled'>): WebhookOutcome {
  if (refusalOf(state) !== null || state.status !== 'active') return [];
  return [{ type: 'WebhookDisabled', data: disabled }];
}

export function decideArchiveWebhook(state: WebhookState, archivedAt: string): WebhookOutcome {
  if (state.created === null) return { refused: 'WEBHOOK_NOT_FOUND' };
  return state.archived ? [] : [{ type: 'WebhookArchived', data: { archivedAt } }];
}

export function decideRotateWebhookSecret(
  state: WebhookState,
  rotation: { graceUntil: string; rotatedAt: string },
): WebhookOutcome {
  const refusal = refusalOf(state);
  if (refusal !== null) return refusal;
  return [{ type: 'WebhookSecretRotated', data: { generation: state.generation + 1, ...rotation } }];
}

export function decideReplayWebhook(
  state: WebhookState,
  replay: { afterPosition: string; requestedAt: string },
): WebhookOutcome {
  const refusal = refusalOf(state);
  if (refusal !== null) return refusal;
  return [{ type: 'WebhookReplayRequested', data: { round: state.round + 1, ...replay } }];
}
