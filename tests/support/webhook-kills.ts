import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import { LOG_START } from '../../src/log/log.ts';
import { webhookTypeOf } from '../../src/webhooks/deliverable.ts';
import { messageIdOf } from '../../src/webhooks/deliveries.ts';
import { seededRandom } from './random.ts';
import { type Behaviour, isSignedBy, type Receiver, startReceiver } from './receiver.ts';
import { type ServiceChild, startServiceChild } from './service-child.ts';

const MAIN = fileURLToPath(new URL('webhook-child.ts', import.meta.url));
const LONGEST_MS = 400;
const DAY_MS = 86_400_000;

/** Receivers that answer well, wrongly, late, or not at all, each at random. */
function behaviours(random: () => number): readonly Behaviour[] {
  const lateMs = () => pause(20 + random() * 280);
  return [
    () => 200,
    () => (random() < 0.7 ? 204 : 500),
    async () => {
      await lateMs();
      return 200;
    },
    () => (random() < 0.6 ? 200 : null),
    () => (random() < 0.5 ? 200 : random() < 0.5 ? 302 : 404),
  ];
}

type Hook = { readonly id: string; readonly secret: string };

/** Kills a service that delivers at that many moments, and holds what receivers got against the log. */
export function webhookKills(kills: number, seed: number): void {
  it('delivers each event of the log at least once, in order for each resource, and nothing else', {
    timeout: 600_000,
  }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'bank-webhooks-'));
    const random = seededRandom(seed);
    const receivers = await Promise.all(behaviours(random).map((behave) => startReceiver(behave)));
    const start = () => startServiceChild({ DATA_DIR: dataDir, WEBHOOK_PRIVATE_NETWORKS: 'allow' }, { main: MAIN });
    const hooks: Hook[] = [];
    let accountId = '';
    let rule: { id: string; version: number } | undefined;
    try {
      for (let kill = 0; kill < kills; kill += 1) {
        const child = await start();
        try {
          if (accountId === '') accountId = await connected(child);
          const receiver = receivers[hooks.length];
          if (receiver !== undefined) hooks.push(await created(child, receiver));
          rule = await ruleChanged(child, rule);
          const from = new Date(Date.UTC(2026, 0, 1) + kill * DAY_MS);
          const days = { from: from.toISOString().slice(0, 10), to: isoDay(from.getTime() + DAY_MS) };
          await child.call('POST', `/banks/accounts/${accountId}/sync`, days);
          await pause(random() * LONGEST_MS);
        } finally {
          await child.kill('SIGKILL');
        }
      }
      const survivor = await start();
      for (const receiver of receivers.slice(hooks.length)) hooks.push(await created(survivor, receiver));
      await syncsEnded(survivor, accountId);
      await quiet(survivor, receivers);
      expect(await survivor.kill('SIGTERM')).toBe(0);
      const events = await eventsIn(dataDir);
      for (const [at, hook] of hooks.entries()) compare(hook, receivers[at] as Receiver, events);
    } finally {
      await Promise.all(receivers.map((receiver) => receiver.close()));
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
}

function isoDay(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

async function connected(child: ServiceChild): Promise<string> {
  const opened = await child.call<{ id: string }>('POST', '/banks/accounts', { bankCode: 'demo', title: 'Killed' });
  const { id } = opened.result;
  await child.call('PUT', `/banks/accounts/${id}/credentials`, { seed: 'hooks', transactionsPerDay: 10 });
  await child.call('POST', `/banks/accounts/${id}/setup`, undefined, { prefer: 'wait=20' });
  return id;
}

async function created(child: ServiceChild, { url }: Receiver): Promise<Hook> {
  const { status, result } = await child.call<{ id: string; secret: string }>('POST', '/banks/webhooks', {
    url,
    types: ['*'],
  });
  expect(status).toBe(201);
  return result;
}

/** A resource of many events in a row, so that their order can be seen. */
async function ruleChanged(child: ServiceChild, rule: { id: string; version: number } | undefined) {
  if (rule === undefined) {
    const reference = { source: 'test', entityType: 'kill', externalId: 'x' };
    const body = {
      name: 'Killed',
      conditions: { children: [{ field: 'incoming', operator: 'equals', value: true }] },
      actions: [{ type: 'attach_reference', reference }],
    };
    return (await child.call<{ id: string; version: number }>('POST', '/banks/transaction-rules', body)).result;
  }
  const path = `/banks/transaction-rules/${rule.id}`;
  let { version } = (await child.call<{ version: number }>('GET', path)).result ?? rule;
  for (const verb of ['pause', 'resume', 'pause', 'resume']) {
    const { status, result } = await child.call<{ version: number }>('PATCH', `${path}/${verb}`, { version });
    if (status === 200) ({ version } = result);
  }
  return { id: rule.id, version };
}

async function syncsEnded(child: ServiceChild, accountId: string): Promise<void> {
  for (;;) {
    const { result } = await child.call<{ items: { status: string }[] }>(
      'GET',
      `/banks/accounts/${accountId}/syncs?limit=200`,
    );
    const pending = await child.call<{ items: unknown[] }>(
      'GET',
      '/banks/transactions?automationStatus=pending&limit=1',
    );
    const isOver = result?.items?.every(({ status }) => status !== 'running' && status !== 'queued') ?? false;
    if (isOver && pending.result?.items?.length === 0) return;
    await pause(50);
  }
}

/** Until no webhook has a delivery that waits, and nothing more arrives. */
async function quiet(child: ServiceChild, receivers: readonly Receiver[]): Promise<void> {
  const arrived = (): number => receivers.reduce((sum, { received }) => sum + received.length, 0);
  for (let looks = 0; looks < 3; ) {
    const before = arrived();
    await pause(500);
    const { result } = await child.call<{ items: { id: string }[] }>('GET', '/banks/webhooks');
    const open = await Promise.all(
      result.items.map(({ id }) =>
        child.call<{ items: unknown[] }>('GET', `/banks/webhooks/${id}/deliveries?status=pending&limit=1`),
      ),
    );
    looks = arrived() === before && open.every(({ result: list }) => list.items.length === 0) ? looks + 1 : 0;
  }
}

async function eventsIn(dataDir: string): Promise<RecordedEvent[]> {
  const log = openEmbeddedLog({ file: join(dataDir, 'log.sqlite'), codec: eventCodec });
  try {
    const found: RecordedEvent[] = [];
    for (let after = LOG_START; ; ) {
      const { events, position } = await log.readAll({ after, limit: 1_000 });
      if (events.length === 0) return found;
      found.push(...events);
      after = position;
    }
  } finally {
    await log.close();
  }
}

function compare({ id, secret }: Hook, { received }: Receiver, events: readonly RecordedEvent[]): void {
  const began = events.find(
    ({ type, data }) => type === 'WebhookCreated' && (data as { webhookId: string }).webhookId === id,
  );
  if (began === undefined) throw new Error('the log does not hold the webhook');
  const { fromPosition } = began.data as { fromPosition: string };
  const due = events.filter(({ type, position }) => position > fromPosition && webhookTypeOf(type) !== undefined);
  const wanted = new Map(due.map((event) => [messageIdOf(id, event.id), event]));
  expect(due.length).toBeGreaterThan(0);
  const first = new Map<string, number>();
  const taken = new Map<string, number>();
  for (const one of received.toSorted((left, right) => left.arrived - right.arrived)) {
    expect([one.id, wanted.has(one.id)]).toEqual([one.id, true]);
    expect(one.body.type).toBe(webhookTypeOf(wanted.get(one.id)?.type ?? ''));
    expect(isSignedBy(secret, one)).toBe(true);
    if (!first.has(one.id)) first.set(one.id, one.arrived);
    if (one.answered >= 200 && one.answered < 300 && !taken.has(one.id)) taken.set(one.id, one.arrived);
  }
  expect([...wanted.keys()].filter((message) => !taken.has(message))).toEqual([]);
  for (const stream of Map.groupBy(due, (event) => event.stream).values()) {
    for (const [at, event] of stream.entries()) {
      const next = stream[at + 1];
      if (next === undefined) continue;
      const [before, after] = [taken.get(messageIdOf(id, event.id)), first.get(messageIdOf(id, next.id))];
      expect(Number(after), `${next.stream} revision ${next.revision}`).toBeGreaterThan(Number(before));
    }
  }
}
