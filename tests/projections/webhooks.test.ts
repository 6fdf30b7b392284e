import { describe, it } from 'vitest';
import { webhooks } from '../../src/projections/webhooks.ts';
import { AT } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { recordedEvent } from '../support/recorded-events.ts';

const LATER = '2026-02-01T10:00:00.000Z';
const settings = { url: 'https://example.com/hook', types: ['*'], companies: ['company'], description: null };
const event = (type: string, data: object) => recordedEvent('webhook', 'webhook', { type, data });
const created = () => event('WebhookCreated', { webhookId: 'webhook', ...settings, fromPosition: '7', createdAt: AT });

describe('webhooks', () => {
  it('a new one delivers the events after its start', () => {
    given(webhooks, [created()]).then({ id: 'webhook', status: 'active', round: 1, fromPosition: '7', generation: 1 });
  });

  it('has the settings of its last change, and what a replay asked for', () => {
    const first = created();
    const changed = event('WebhookChanged', { ...settings, types: ['rule.updated'], changedAt: LATER });
    const replay = event('WebhookReplayRequested', { round: 2, afterPosition: '3', requestedAt: LATER });
    const rotated = event('WebhookSecretRotated', { generation: 2, graceUntil: LATER, rotatedAt: AT });
    given(webhooks, [first])
      .when([changed, replay, rotated])
      .then({ types: ['rule.updated'], round: 2, fromPosition: '3', generation: 2, graceUntil: LATER })
      .thenUnchangedBy([changed, replay, rotated]);
  });

  it('shows why it was disabled until a person resumes, pauses or archives it', () => {
    const first = created();
    const disabled = event('WebhookDisabled', { reason: 'RECEIVER_GONE', disabledAt: AT });
    given(webhooks, [first, disabled])
      .then({ status: 'disabled', disabledReason: 'RECEIVER_GONE', disabledAt: AT })
      .when([event('WebhookResumed', { resumedAt: LATER })])
      .then({ status: 'active', disabledReason: null, disabledAt: null, resumedAt: LATER })
      .when([event('WebhookPaused', { pausedAt: LATER })])
      .then({ status: 'paused', disabledReason: null })
      .when([event('WebhookArchived', { archivedAt: LATER })])
      .then({ status: 'archived', archivedAt: LATER });
  });
});
