import { describe } from 'vitest';
import { webhookKills } from '../support/webhook-kills.ts';

describe('a service that is killed at 5 seeded moments while it delivers webhooks', () => {
  webhookKills(5, 20_261_122);
});
