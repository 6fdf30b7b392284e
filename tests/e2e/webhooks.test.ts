import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { isSignedBy, type Receiver, startReceiver } from '../support/receiver.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import {
  automationDone,
  COMPANY,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Webhook = { id: string; status: string; disabledReason: string | null; secret: string; url: string };
type Delivery = {
  id: string;
  messageId: string;
  type: string;
  status: string;
  attempts: { status: number | null; error: string | null; response: string | null }[];
  attemptCount: number;
  nextAttemptAt: string | null;
};

let api: TestService;
const receivers: Receiver[] = [];
beforeAll(async () => {
  api = await startTestService({
    environment: { WEBHOOK_PRIVATE_NETWORKS: 'allow' },
    timing: { webhookTimeoutMs: 500, webhookRetries: { pausesMs: [20, 40], giveUpMs: 60_000 } },
  });
});
afterEach(async () => {
  const { items } = (await api.call<{ items: Webhook[] }>('GET', '/banks/webhooks?limit=200')).body.result;
  for (const { id } of items) await api.call('PATCH', `/banks/webhooks/${id}/archive`);
  await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
});
afterAll(() => api?.stop());

async function receiver(behave?: Receiver['behave']): Promise<Receiver> {
  const started = await startReceiver(behave);
  receivers.push(started);
  return started;
}

async function created(url: string, types: string[] = ['*'], more: object = {}): Promise<Webhook> {
  const answer = await api.call<Webhook>('POST', '/banks/webhooks', { url, types, ...more });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body.result;
}

const rule = (name: string) => ({
  name,
  conditions: { children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: name } }],
});

async function createRule(name: string): Promise<string> {
  return (await api.call<{ id: string }>('POST', '/banks/transaction-rules', rule(name))).body.result.id;
}

const until = (ask: () => boolean): Promise<boolean> =>
  eventually(
    async () => ask(),
    (yes) => yes,
  );

async function deliveriesOf({ id }: Webhook, query = ''): Promise<Delivery[]> {
  return (await api.call<{ items: Delivery[] }>('GET', `/banks/webhooks/${id}/deliveries${query}`)).body.result.items;
}

describe('a webhook', () => {
  it('gets each event of its types once, signed, in order for each resource', async () => {
    const { url, received } = await receiver();
    const { secret } = await created(url);
    const connection = await connectDemoBank(api);
    await createRule('delivered');
    await syncAndWait(api, connection, { from: '2026-01-01', to: '2026-01-08' });
    await automationDone(api);
    const { events } = await api.service.log.readAll({ after: '', limit: 100_000 });
    // Other tenants may have events in the log.
    const own = events.filter(({ metadata }) => metadata.tenantId === api.tenantId);
    const count = (type: string) => own.filter((event) => event.type === type).length;
    await until(
      () =>
        received.filter(({ body }) => body.type === 'assignment.attached').length ===
        count('TransactionAssignmentAttached'),
    );
    await until(
      () => received.filter(({ body }) => body.type === 'transaction.created').length === count('TransactionRecorded'),
    );
    await until(() => received.some(({ body }) => body.type === 'sync.completed'));
    expect(new Set(received.map(({ id }) => id)).size).toBe(received.length);
    expect(received.every((one) => isSignedBy(secret, one))).toBe(true);
    expect(received.some((one) => isSignedBy(`whsec_${'A'.repeat(43)}=`, one))).toBe(false);
    const attached = received.findIndex(({ body }) => body.type === 'assignment.attached');
    const transactionId = received[attached]?.body.data.transactionId;
    const recorded = received.findIndex(({ body }) => body.data.id === transactionId);
    expect(recorded).toBeGreaterThanOrEqual(0);
    expect(recorded).toBeLessThan(attached);
    const created0 = received.find(({ body }) => body.type === 'transaction.created');
    expect(created0?.body.data).toMatchObject({ version: '0', automation: { status: 'pending' } });
  });

  it('gets only the types and companies it asked for, from where it asked', async () => {
    const { nextCursor } = (await api.call<{ nextCursor: string }>('GET', '/banks/changes?after=now')).body.result;
    const before = await createRule('before the webhook');
    const [early, late, syncs] = [await receiver(), await receiver(), await receiver()];
    await created(early.url, ['rule.updated'], { from: nextCursor });
    await created(late.url, ['rule.updated'], { companies: [COMPANY] });
    await created(syncs.url, ['sync.completed', 'sync.failed']);
    const after = await createRule('after the webhook');
    await until(() => early.received.length === 2 && late.received.length === 1);
    // The order holds for one resource, and these are two.
    expect(early.received.map(({ body }) => body.data.id).sort()).toEqual([before, after].sort());
    expect(late.received.map(({ body }) => body.data.id)).toEqual([after]);
    expect(syncs.received).toEqual([]);
  });

  it('is tried again with the same id and body until the receiver takes it, and shows each attempt', async () => {
    const answers: readonly (number | null)[] = [500, null, 302, 204];
    const { url, received } = await receiver((_, nth) => answers[nth] as number | null);
    const webhook = await created(url, ['rule.updated']);
    const id = await createRule('stubborn');
    await until(() => received.length === 4);
    expect(new Set(received.map(({ id: message, text }) => `${message} ${text}`)).size).toBe(1);
    const [delivery] = await eventually(
      () => deliveriesOf(webhook),
      ([one]) => one?.status === 'delivered',
    );
    expect(delivery).toMatchObject({ type: 'rule.updated', attemptCount: 4, nextAttemptAt: null });
    expect(delivery?.attempts.map(({ status, error, response }) => [status, error, response])).toEqual([
      [500, null, 'answer 500'],
      [null, 'TIMEOUT', null],
      [302, null, 'answer 302'],
      [204, null, ''],
    ]);
    expect(received[0]?.body.data.id).toBe(id);
  });

  it('holds back the events of a resource that failed, and no others', async () => {
    let refused = 'held back';
    const { url, received } = await receiver(({ body }) => (body.data.name === refused ? 500 : 200));
    await created(url, ['rule.updated']);
    const id = await createRule('held back');
    await api.call('PATCH', `/banks/transaction-rules/${id}/pause`, { version: 1 });
    const other = await createRule('goes on');
    await until(() => received.some(({ body }) => body.data.id === other));
    const ofRefused = () => received.filter(({ body }) => body.data.id === id);
    await until(() => ofRefused().length > 2);
    expect(new Set(ofRefused().map(({ body }) => body.data.version))).toEqual(new Set([1]));
    refused = 'nothing';
    await until(() => received.some(({ body }) => body.data.id === id && body.data.version === 2));
  });

  it('is disabled by 410, says so, and goes on where it stopped when it is resumed', async () => {
    let status = 410;
    const { url, received } = await receiver(() => status);
    const webhook = await created(url, ['rule.updated']);
    const first = await createRule('gone');
    const disabled = await eventually(
      async () => (await api.call<Webhook>('GET', `/banks/webhooks/${webhook.id}`)).body.result,
      (one) => one.status === 'disabled',
    );
    expect(disabled.disabledReason).toBe('RECEIVER_GONE');
    expect(received).toHaveLength(1);
    const second = await createRule('while disabled');
    status = 200;
    const resumed = await api.call<Webhook>('PATCH', `/banks/webhooks/${webhook.id}/resume`);
    expect(resumed.body.result).toMatchObject({ status: 'active', disabledReason: null });
    await until(() => received.length === 3);
    // In order for each rule; those of two rules may overtake each other.
    expect(
      received
        .slice(1)
        .map(({ body }) => body.data.id)
        .sort(),
    ).toEqual([first, second].sort());
    const lines = () =>
      api.logLines
        .map((line) => JSON.parse(line))
        .filter(({ webhook: id, code }) => id === webhook.id && code === 'RECEIVER_GONE');
    // The line of another thread comes after what it did can be read.
    await until(() => lines().length > 0);
    expect(lines()).toHaveLength(1);
  });

  it('that is paused misses nothing', async () => {
    const { url, received } = await receiver();
    const webhook = await created(url, ['rule.updated']);
    await api.call('PATCH', `/banks/webhooks/${webhook.id}/pause`);
    const id = await createRule('while paused');
    expect(received).toEqual([]);
    await api.call('PATCH', `/banks/webhooks/${webhook.id}/resume`);
    await until(() => received.length === 1);
    expect(received[0]?.body.data.id).toBe(id);
  });

  it('signs with both secrets during the time of grace, and shows each once', async () => {
    const { url, received } = await receiver();
    const webhook = await created(url, ['rule.updated']);
    const rotate = async (graceSeconds: number) =>
      (await api.call<Webhook>('POST', `/banks/webhooks/${webhook.id}/rotate-secret`, { graceSeconds })).body.result;
    const second = await rotate(600);
    await createRule('rotated');
    await until(() => received.length === 1);
    const [one] = received;
    if (one === undefined) throw new Error('nothing was received');
    expect([isSignedBy(webhook.secret, one), isSignedBy(second.secret, one)]).toEqual([true, true]);
    const third = await rotate(0);
    await eventually(
      async () => {
        const sent = received.length;
        await createRule(`rotated again ${sent}`);
        await until(() => received.length > sent);
        return received.at(-1);
      },
      (last) => last !== undefined && !isSignedBy(second.secret, last) && isSignedBy(third.secret, last),
    );
    expect(webhook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const shown = JSON.stringify(await api.call('GET', `/banks/webhooks/${webhook.id}`));
    const { events } = await api.service.log.readAll({ after: '', limit: 100_000 });
    for (const { secret } of [webhook, second, third]) {
      for (const text of [shown, JSON.stringify(events), api.logLines.join()])
        expect(text).not.toContain(secret.slice(6));
    }
  });

  it('is tested with what the receiver answers, also while it is paused', async () => {
    const { url, received } = await receiver(() => 418);
    const webhook = await created(url, ['rule.updated']);
    await api.call('PATCH', `/banks/webhooks/${webhook.id}/pause`);
    const { status, body } = await api.call('POST', `/banks/webhooks/${webhook.id}/test`);
    expect(status).toBe(200);
    expect(body.result).toMatchObject({ delivered: false, status: 418, error: null, response: 'answer 418' });
    expect(received[0]?.body).toMatchObject({ type: 'webhook.test', data: { webhookId: webhook.id } });
    expect(received[0] && isSignedBy(webhook.secret, received[0])).toBe(true);
  });

  it('delivers one event again, and all since a cursor or a moment, with the ids they had', async () => {
    const { url, received } = await receiver();
    const webhook = await created(url, ['rule.updated']);
    const { nextCursor } = (await api.call<{ nextCursor: string }>('GET', '/banks/changes?after=now')).body.result;
    await createRule('again one');
    await createRule('again two');
    await until(() => received.length === 2);
    // Between resources there is no order.
    const ids = received.map(({ id }) => id).sort();
    const list = await eventually(
      () => deliveriesOf(webhook, '?status=delivered'),
      (found) => found.length === 2,
    );
    const path = `/banks/webhooks/${webhook.id}`;
    expect(list.map(({ messageId }) => messageId).sort()).toEqual(ids);
    const retried = await api.call('POST', `${path}/deliveries/${list[1]?.id}/retry`);
    expect(retried.status).toBe(202);
    await until(() => received.length === 3);
    expect(received[2]?.id).toBe(list[1]?.messageId);
    const replayed = await api.call('POST', `${path}/replay`, { after: nextCursor });
    expect(replayed.status, JSON.stringify(replayed.body)).toBe(202);
    await until(() => received.length === 5);
    expect(
      received
        .slice(3)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(ids);
    await api.call('POST', `${path}/replay`, { after: '2020-01-01' });
    await until(() => received.length > 6);
    const unknown = await api.call('POST', `${path}/deliveries/none/retry`);
    expect([unknown.status, unknown.body.code]).toEqual([404, 'WEBHOOK_DELIVERY_NOT_FOUND']);
  });

  it('needs the scope that reads each type, and the companies of its maker', async () => {
    const admin = bearer((await signIn(api)).accessToken);
    const keyOf = async (scopes: string[], companies?: string[]) => {
      const body = { name: 'n', scopes, ...(companies && { companies }) };
      const made = await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', body, admin);
      return { 'x-api-key': made.body.result.key, 'x-api-secret': made.body.result.secret };
    };
    const { url } = await receiver();
    const rules = await keyOf(['webhooks:read', 'webhooks:write', 'rules:read']);
    const post = (types: string[], headers: Record<string, string>, more: object = {}) =>
      api.call<Webhook>('POST', '/banks/webhooks', { url, types, ...more }, headers);
    const refused = await post(['*'], rules);
    expect([refused.status, refused.body.meta?.required]).toEqual([403, 'transactions:read']);
    expect((await post(['rule.updated'], rules)).status).toBe(201);
    const everything = await created(url, ['*']);
    const changed = await api.call('PATCH', `/banks/webhooks/${everything.id}`, { url: `${url}/elsewhere` }, rules);
    expect([changed.status, changed.body.meta?.required]).toEqual([403, 'transactions:read']);
    const other = (await api.call<{ id: string }>('POST', '/auth/companies', { name: 'Other' }, admin)).body.result.id;
    const wide = await created(url, ['rule.updated'], { companies: [COMPANY, other] });
    const narrow = await keyOf(['webhooks:read', 'webhooks:write', 'rules:read'], [COMPANY]);
    expect((await post(['rule.updated'], narrow, { companies: [other] })).body.meta?.required).toBe('company');
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['POST', '/test'],
    ] as const) {
      const answer = await api.call(
        method,
        `/banks/webhooks/${wide.id}${path}`,
        method === 'GET' ? undefined : {},
        narrow,
      );
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'WEBHOOK_NOT_FOUND']);
    }
    const seen = (await api.call<{ items: Webhook[] }>('GET', '/banks/webhooks', undefined, narrow)).body.result.items;
    expect(seen.map(({ id }) => id)).not.toContain(wide.id);
    // Its history names companies that the key may not see, also where a change has left only those it may.
    await api.call('PATCH', `/banks/webhooks/${wide.id}`, { companies: [COMPANY] });
    const auditor = await keyOf(['audit:read'], [COMPANY]);
    for (const path of ['', '/as-of?at=2026-01-01', '/diff?from=2026-01-01&to=2026-01-02']) {
      const answer = await api.call('GET', `/banks/audit/history/webhook/${wide.id}${path}`, undefined, auditor);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'ENTITY_NOT_FOUND']);
    }
    const own = await created(url, ['rule.updated']);
    const found = await api.call('GET', `/banks/audit/history/webhook/${own.id}`, undefined, auditor);
    expect(found.status).toBe(200);
    expect(JSON.stringify(found.body)).not.toContain(own.secret);
  });
});
