import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { anotherTenant } from '../support/another-tenant.ts';
import { OPERATOR_TOKEN } from '../support/planted-tenant.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { eventually, startTestService, type TestService } from '../support/test-service.ts';

// Each needs a service of its own, beside which no other one delivers.
type Webhook = { id: string; status: string; disabledReason: string | null };

const receivers: Receiver[] = [];
afterEach(async () => {
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});

async function receiver(behave?: Receiver['behave']): Promise<Receiver> {
  const started = await startReceiver(behave);
  receivers.push(started);
  return started;
}

const rule = (name: string) => ({
  name,
  conditions: { children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: name } }],
});

const until = (ask: () => boolean): Promise<boolean> =>
  eventually(
    async () => ask(),
    (yes) => yes,
  );

describe('a webhook of a service that was stopped', () => {
  it('goes on where it was: nothing recorded is repeated, and nothing is left out', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bank-webhooks-'));
    const start = () =>
      startTestService({ dataDir, environment: { DATA_DIR: dataDir, WEBHOOK_PRIVATE_NETWORKS: 'allow' } });
    const make = async (on: TestService, name: string): Promise<string> =>
      (await on.call<{ id: string }>('POST', '/banks/transaction-rules', rule(name))).body.result.id;
    const { url, received } = await receiver();
    const made: string[] = [];
    let own = await start();
    try {
      await own.call('POST', '/banks/webhooks', { url, types: ['rule.updated'] });
      for (const name of ['one', 'two', 'three']) {
        made.push(await make(own, name));
        await until(() => received.length === made.length);
        await own.stop();
        own = await start();
      }
      made.push(await make(own, 'four'));
      await until(() => received.length >= made.length);
      expect(received.map(({ body }) => body.data.id)).toEqual(made);
    } finally {
      await own.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a webhook of a service that is stopped before its receiver answers', () => {
  it('waits a moment for that answer, and does not deliver the event once more', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bank-webhooks-'));
    const environment = { DATA_DIR: dataDir, WEBHOOK_PRIVATE_NETWORKS: 'allow' };
    let arrived = 0;
    const { url, received } = await receiver(async () => {
      arrived += 1;
      await new Promise((done) => setTimeout(done, 300));
      return 200;
    });
    let own = await startTestService({ dataDir, environment });
    try {
      await own.call('POST', '/banks/webhooks', { url, types: ['rule.updated'] });
      const made = await own.call<{ id: string }>('POST', '/banks/transaction-rules', rule('one'));
      await until(() => arrived === 1);
      await own.stop();
      own = await startTestService({ dataDir, environment });
      // The next event of the same stream: it is delivered after the first one, however often that is.
      await own.call('PATCH', `/banks/transaction-rules/${made.body.result.id}/pause`, { version: 1 });
      await until(() => received.length === 2);
      expect(new Set(received.map(({ id }) => id)).size).toBe(2);
    } finally {
      await own.stop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});

describe('a webhook whose receiver fails for as long as it is tried', () => {
  it('is disabled with the reason, and resumed it is tried anew for as long again', async () => {
    const own = await startTestService({
      environment: { WEBHOOK_PRIVATE_NETWORKS: 'allow' },
      timing: { webhookRetries: { pausesMs: [20], giveUpMs: 400 } },
    });
    try {
      const { url, received } = await receiver(() => 500);
      const made = await own.call<Webhook>('POST', '/banks/webhooks', { url, types: ['rule.updated'] });
      const path = `/banks/webhooks/${made.body.result.id}`;
      await own.call('POST', '/banks/transaction-rules', rule('failing'));
      const disabled = () =>
        eventually(
          async () => (await own.call<Webhook>('GET', path)).body.result,
          (one) => one.status === 'disabled',
        );
      expect((await disabled()).disabledReason).toBe('FAILED_FOR_THREE_DAYS');
      const before = received.length;
      expect(before).toBeGreaterThan(1);
      const resumed = await own.call('PATCH', `${path}/resume`);
      const position = resumed.headers.get('x-log-position') ?? '';
      await own.service.httpServices.waitFor(['webhooks'], position, 100_000);
      await disabled();
      expect(received.length - before).toBeGreaterThan(1);
    } finally {
      await own.stop();
    }
  });
});

describe('a webhook beside those of another tenant whose receiver never answers', () => {
  it('gets its events meanwhile', async () => {
    const own = await startTestService({
      environment: { WEBHOOK_PRIVATE_NETWORKS: 'allow', OPERATOR_TOKEN },
      // None of those attempts ends before this test does.
      timing: { webhookTimeoutMs: 3_600_000 },
    });
    try {
      const hanging = await receiver(() => null);
      const theirs = await anotherTenant(own);
      const waiting = 40;
      for (let nth = 0; nth < waiting; nth += 1) {
        const made = await own.call('POST', '/banks/webhooks', { url: hanging.url, types: ['rule.updated'] }, theirs);
        expect(made.status).toBe(201);
      }
      for (const name of ['one', 'two', 'three'])
        await own.call('POST', '/banks/transaction-rules', rule(name), theirs);
      await until(() => hanging.received.length >= waiting);

      const { url, received } = await receiver();
      await own.call('POST', '/banks/webhooks', { url, types: ['rule.updated'] });
      const names = ['ours', 'ours too'];
      for (const name of names) await own.call('POST', '/banks/transaction-rules', rule(name));
      await until(() => received.length === names.length);
      expect(new Set(received.map(({ body }) => body.data.name))).toEqual(new Set(names));
    } finally {
      await own.stop();
    }
  });
});
