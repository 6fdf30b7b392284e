import type { EventData, EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/** What a webhook delivers, and where to. How far it has come is not in the log. */
export type WebhookDocument = Document & {
  readonly tenantId: string;
  /** The company that the request named which created it. */
  readonly companyId: string;
  readonly id: string;
  readonly url: string;
  readonly types: readonly string[];
  readonly companies: readonly string[];
  readonly description: string | null;
  readonly status: 'active' | 'paused' | 'disabled' | 'archived';
  readonly disabledReason: EventData<'WebhookDisabled'>['reason'] | null;
  readonly disabledAt: string | null;
  readonly archivedAt: string | null;
  /** Of its newest secret. */
  readonly generation: number;
  readonly graceUntil: string | null;
  /** The events after `fromPosition` are delivered in this round. */
  readonly round: number;
  readonly fromPosition: string;
  /** When a person last resumed it. */
  readonly resumedAt: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const TAKES = [
  'WebhookCreated',
  'WebhookChanged',
  'WebhookPaused',
  'WebhookResumed',
  'WebhookDisabled',
  'WebhookArchived',
  'WebhookSecretRotated',
  'WebhookReplayRequested',
] as const satisfies readonly EventType[];
type Change = KnownEvent<Exclude<(typeof TAKES)[number], 'WebhookCreated'>>;
type Body = Omit<WebhookDocument, '_position'>;

const NOT_DISABLED = { disabledReason: null, disabledAt: null };

function created(event: KnownEvent<'WebhookCreated'>, key: string): Body {
  const { webhookId, url, types, companies, description, fromPosition, createdAt } = event.data;
  return {
    _id: key,
    tenantId: event.metadata.tenantId,
    companyId: event.metadata.companyId ?? '',
    id: webhookId,
    url,
    types,
    companies,
    description,
    status: 'active',
    ...NOT_DISABLED,
    archivedAt: null,
    generation: 1,
    graceUntil: null,
    round: 1,
    fromPosition,
    resumedAt: null,
    createdAt,
    updatedAt: createdAt,
  };
}

function changed(before: Body, event: Change): Body {
  switch (event.type) {
    case 'WebhookChanged': {
      const { changedAt, ...settings } = event.data;
      return { ...before, ...settings, updatedAt: changedAt };
    }
    case 'WebhookPaused':
      return { ...before, status: 'paused', ...NOT_DISABLED, updatedAt: event.data.pausedAt };
    case 'WebhookResumed': {
      const { resumedAt } = event.data;
      return { ...before, status: 'active', ...NOT_DISABLED, resumedAt, updatedAt: resumedAt };
    }
    case 'WebhookDisabled': {
      const { reason, disabledAt } = event.data;
      return { ...before, status: 'disabled', disabledReason: reason, disabledAt, updatedAt: disabledAt };
    }
    case 'WebhookArchived': {
      const { archivedAt } = event.data;
      return { ...before, status: 'archived', archivedAt, updatedAt: archivedAt };
    }
    case 'WebhookSecretRotated': {
      const { generation, graceUntil, rotatedAt } = event.data;
      return { ...before, generation, graceUntil, updatedAt: rotatedAt };
    }
    case 'WebhookReplayRequested': {
      const { round, afterPosition, requestedAt } = event.data;
      return { ...before, round, fromPosition: afterPosition, updatedAt: requestedAt };
    }
  }
}

export const webhooks: Projection<WebhookDocument, (typeof TAKES)[number]> = {
  name: 'webhooks',
  version: 1,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'WebhookCreated') return created(event, key);
    return document === undefined ? undefined : changed(document, event);
  },
  indexes: [{ fields: ['tenantId', 'createdAt'] }, { fields: ['status', '_id'] }],
};
