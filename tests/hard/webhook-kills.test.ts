import { describe } from 'vitest';
import { webhookKills } from '../support/webhook-kills.ts';

describe('a service that is killed at 50 seeded moments while it delivers webhooks', () => {
  webhookKills(50, 20_261_117);
});
