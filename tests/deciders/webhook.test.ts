import { describe, it } from 'vitest';
import {
  decideArchiveWebhook,
  decideChangeWebhook,
  decideCreateWebhook,
  decideDisableWebhook,
  decidePauseWebhook,
  decideReplayWebhook,
  decideResumeWebhook,
  decideRotateWebhookSecret,
  type WebhookFact,
  webhook,
} from '../../src/deciders/webhook.ts';
import { AT } from '../support/facts.ts';
import { specification } from './specification.ts';

const given = specification(webhook);
const settings = { url: 'https://example.com/hook', types: ['*'], companies: ['company'], description: null };
const data = { webhookId: 'webhook', ...settings, fromPosition: '0000000000000007', createdAt: AT };
const created: WebhookFact = { type: 'WebhookCreated', data };
const paused: WebhookFact = { type: 'WebhookPaused', data: { pausedAt: AT } };
const archived: WebhookFact = { type: 'WebhookArchived', data: { archivedAt: AT } };
const disabled: WebhookFact = { type: 'WebhookDisabled', data: { reason: 'RECEIVER_GONE', disabledAt: AT } };
const resumed: WebhookFact = { type: 'WebhookResumed', data: { resumedAt: AT } };

describe('a webhook', () => {
  it('is created once', () => {
    const create = (state: Parameters<typeof decideCreateWebhook>[0]) => decideCreateWebhook(state, data);
    given([]).when(create).then([created]).when(create).thenNothing();
  });

  it('changes only where something differs', () => {
    const other = { ...settings, types: ['rule.updated'] };
    given([created])
      .when((state) => decideChangeWebhook(state, { settings, changedAt: AT }))
      .thenNothing()
      .when((state) => decideChangeWebhook(state, { settings: other, changedAt: AT }))
      .then([{ type: 'WebhookChanged', data: { ...other, changedAt: AT } }])
      .when((state) => decideChangeWebhook(state, { settings: other, changedAt: AT }))
      .thenNothing();
  });

  it('is paused and resumed, each once', () => {
    given([created])
      .when((state) => decideResumeWebhook(state, AT))
      .thenNothing()
      .when((state) => decidePauseWebhook(state, AT))
      .then([paused])
      .when((state) => decidePauseWebhook(state, AT))
      .thenNothing()
      .when((state) => decideResumeWebhook(state, AT))
      .then([resumed]);
  });

  it('is disabled only while it is active, and resumed by a person', () => {
    const disable = (state: Parameters<typeof decideDisableWebhook>[0]) =>
      decideDisableWebhook(state, { reason: 'RECEIVER_GONE', disabledAt: AT });
    given([created, paused]).when(disable).thenNothing();
    given([created, archived]).when(disable).thenNothing();
    given([]).when(disable).thenNothing();
    given([created])
      .when(disable)
      .then([disabled])
      .when(disable)
      .thenNothing()
      .when((state) => decideResumeWebhook(state, AT))
      .then([resumed]);
    given([created, disabled])
      .when((state) => decidePauseWebhook(state, AT))
      .then([paused]);
  });

  it('counts the generations of its secret and the rounds of its deliveries', () => {
    const rotation = { graceUntil: AT, rotatedAt: AT };
    const replay = { afterPosition: '', requestedAt: AT };
    given([created])
      .when((state) => decideRotateWebhookSecret(state, rotation))
      .then([{ type: 'WebhookSecretRotated', data: { generation: 2, ...rotation } }])
      .when((state) => decideRotateWebhookSecret(state, rotation))
      .then([{ type: 'WebhookSecretRotated', data: { generation: 3, ...rotation } }])
      .when((state) => decideReplayWebhook(state, replay))
      .then([{ type: 'WebhookReplayRequested', data: { round: 2, ...replay } }])
      .when((state) => decideReplayWebhook(state, replay))
      .then([{ type: 'WebhookReplayRequested', data: { round: 3, ...replay } }]);
  });

  it('takes nothing after it was archived, which is done once', () => {
    const decisions = [
      (state: never) => decideChangeWebhook(state, { settings, changedAt: AT }),
      (state: never) => decidePauseWebhook(state, AT),
      (state: never) => decideResumeWebhook(state, AT),
      (state: never) => decideRotateWebhookSecret(state, { graceUntil: AT, rotatedAt: AT }),
      (state: never) => decideReplayWebhook(state, { afterPosition: '', requestedAt: AT }),
    ];
    for (const decide of decisions) {
      given([created, archived])
        .when((state) => decide(state as never))
        .thenRefused('WEBHOOK_ARCHIVED');
      given([])
        .when((state) => decide(state as never))
        .thenRefused('WEBHOOK_NOT_FOUND');
    }
    given([created])
      .when((state) => decideArchiveWebhook(state, AT))
      .then([archived]);
    given([created, archived])
      .when((state) => decideArchiveWebhook(state, AT))
      .thenNothing();
    given([])
      .when((state) => decideArchiveWebhook(state, AT))
      .thenRefused('WEBHOOK_NOT_FOUND');
  });
});
