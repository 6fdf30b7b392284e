import type { HistoryEntry } from '../../projections/history.ts';
import type { RetryTimes } from '../../webhooks/attempts.ts';
import type { Deliveries } from '../../webhooks/deliveries.ts';
import type { PostMessage } from '../../webhooks/post-message.ts';
import type { SigningSecrets } from '../../webhooks/signing-secrets.ts';
import type { ReactorServices } from '../reactor-services.ts';

/** The event of a delivery, as the history and the delivery itself name it. */
export type EventPlace = Pick<HistoryEntry, 'tenantId' | 'position' | 'eventId' | 'stream' | 'revision'>;

/** What the delivery of webhooks needs beyond other background work. */
export type WebhookServices = ReactorServices & {
  readonly deliveries: Deliveries;
  readonly secrets: SigningSecrets;
  readonly post: PostMessage;
  readonly retryTimes: RetryTimes;
  /** The body that an event is delivered with. @throws LogUnavailable, ReadStoreUnavailable */
  readonly messageOf: (event: EventPlace, type: string) => Promise<string>;
};
