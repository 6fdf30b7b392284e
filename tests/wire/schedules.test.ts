import { type ChildProcess, fork } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { seededRandom } from '../support/random.ts';
import { withDatabase } from '../support/wire-database.ts';

const { EVENTSTORE_TEST_URL: log, MONGODB_TEST_URL: store } = process.env;
const SCHEDULES = 8;
const TURNS = 25;
const STEP_MS = 5 * 60_000;
const KILLS_AT = new Set([9, 17]);
const STEP_WITHIN_MS = 300_000;
/** A look at all schedules reads much on a server without indexes. */
const LOOK_EVERY_MS = 250;

type Instance = { readonly process: ChildProcess; readonly url: string };
type Run = { status: string; dueAt: string | null; syncId: string | null; reason: string | null };

const dataDir = mkdtempSync(join(tmpdir(), 'bank-turns-'));
const tenant = randomUUID();
const credentials = { key: `key-${tenant}`, secret: `secret-${tenant}-of-many-characters` };
const instances: Instance[] = [];
let nowMs = Date.parse('2026-05-04T06:00:00.000Z');

afterAll(() => {
  for (const { process: child } of instances) child.kill('SIGKILL');
  rmSync(dataDir, { recursive: true, force: true });
});

async function start(): Promise<Instance> {
  const key = Buffer.alloc(32, 1).toString('base64');
  const child = fork(new URL('../support/clocked-child.ts', import.meta.url), {
    env: {
      ...CHILD_ENVIRONMENT,
      PORT: '0',
      DATA_DIR: dataDir,
      EVENTSTORE_URL: log,
      MONGODB_URL: withDatabase(store ?? '', `bank_${process.env.WIRE}`),
      ENCRYPTION_KEY: key,
      TOKEN_KEY: key,
      BOOTSTRAP_COMPANY_ID: 'company',
      BOOTSTRAP_ADMIN_EMAIL: `${tenant}@example.com`,
      BOOTSTRAP_API_KEY: credentials.key,
      BOOTSTRAP_API_SECRET: credentials.secret,
      RATE_LIMIT_PER_MINUTE: '1000000',
      DEMO_BANK: 'on',
      FIRST_TENANT: tenant,
      NOW_MS: String(nowMs),
    },
  });
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const instance = { process: child, url };
  instances.push(instance);
  return instance;
}

async function call<Result>(url: string, method: string, path: string, body?: object, prefer?: string) {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      'x-api-key': credentials.key,
      'x-api-secret': credentials.secret,
      'x-company-id': 'company',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(prefer === undefined ? {} : { prefer }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as { result: Result };
  return { status: response.status, answer, result: answer.result };
}

async function eventually(holds: () => Promise<boolean>, what: () => unknown): Promise<void> {
  const deadline = performance.now() + STEP_WITHIN_MS;
  while (!(await holds().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`it did not happen in time: ${JSON.stringify(what())}`);
    await wait(LOOK_EVERY_MS);
  }
}

describe.skipIf(log === undefined || store === undefined)('two instances and the same schedules', () => {
  it('run each of 200 turns once, though one is frozen or killed at random', { timeout: 1_800_000 }, async () => {
    const random = seededRandom(200);
    let [one, other] = [await start(), await start()];
    await eventually(
      async () => (await call(one.url, 'GET', '/banks/accounts')).status === 200,
      () => 'no access',
    );
    const schedules: string[] = [];
    const connections: string[] = [];
    for (let nth = 0; nth < SCHEDULES; nth += 1) {
      const opened = await call<{ id: string }>(one.url, 'POST', '/banks/accounts', {
        bankCode: 'demo',
        title: `${nth}`,
      });
      const account = `/banks/accounts/${opened.result.id}`;
      await call(one.url, 'PUT', `${account}/credentials`, { seed: `${tenant} ${nth}`, transactionsPerDay: 1 });
      expect((await call(one.url, 'POST', `${account}/setup`, {}, 'wait=30')).status).toBe(200);
      const timing = { accountId: opened.result.id, everyMinutes: 5 };
      schedules.push((await call<{ id: string }>(one.url, 'POST', '/banks/schedules', timing)).result.id);
      connections.push(opened.result.id);
    }
    let last: Run[][] = [];
    const look = async (url: string): Promise<Run[][]> => {
      last = await Promise.all(
        schedules.map(async (id) => {
          const { result } = await call<{ items: Run[] }>(url, 'GET', `/banks/schedules/${id}/runs?limit=200`);
          return result.items;
        }),
      );
      return last;
    };
    for (let turn = 1; turn <= TURNS; turn += 1) {
      nowMs += STEP_MS;
      const frozen = random() < 0.4 ? (random() < 0.5 ? one : other) : null;
      frozen?.process.kill('SIGSTOP');
      for (const { process: child } of [one, other]) child.send(nowMs);
      const awake = frozen === one ? other : one;
      if (KILLS_AT.has(turn)) {
        await wait(random() * 300);
        other.process.kill('SIGKILL');
      }
      const taken = (runs: Run[][]): boolean =>
        runs.every(
          (some) => some.length >= turn && some.every(({ status }) => !['queued', 'running'].includes(status)),
        );
      if (!KILLS_AT.has(turn)) {
        await eventually(
          async () => taken(await look(awake.url)),
          () => ({ turn, last: last.map((some) => some.slice(0, 2)) }),
        );
      }
      frozen?.process.kill('SIGCONT');
      if (KILLS_AT.has(turn)) {
        other = await start();
        await eventually(
          async () => taken(await look(other.url)),
          () => ({ turn, last: last.map((some) => some.slice(0, 2)) }),
        );
        one = one.process.exitCode === null ? one : await start();
      }
    }
    const runs = await look(one.url);
    for (const [nth, some] of runs.entries()) {
      const due = some.map(({ dueAt }) => dueAt);
      expect([nth, new Set(due).size, due.length]).toEqual([nth, TURNS, TURNS]);
      expect(some.map(({ status, reason }) => `${status} ${reason}`)).toEqual(some.map(() => 'succeeded null'));
      const syncs = await call<{ items: { id: string }[] }>(
        one.url,
        'GET',
        `/banks/accounts/${connections[nth]}/syncs?limit=200`,
      );
      expect(syncs.result.items.map(({ id }) => id).sort()).toEqual(some.map(({ syncId }) => syncId).sort());
    }
  });
});
