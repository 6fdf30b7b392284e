import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CHILD_ENVIRONMENT } from '../support/child-environment.ts';
import { type StandIn, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { SERVER_VERSIONS } from '../support/eventstore-stand-in/versions.ts';
import { poisonReadStore } from '../support/poisoned-read-store.ts';

const MAIN = join(import.meta.dirname, '../../src/main.ts');
const BANK = join(import.meta.dirname, '../../cli/bank.ts');
const KEY = Buffer.alloc(32, 7).toString('base64');
const LISTENING = /"url":"(http[^"]+)"/;
const DEMO_IS_UP = 'Up until you stop it';

type Process = {
  readonly output: () => string;
  /** Resolves with all that was written once the pattern is in it; rejects when the process ends before. */
  readonly says: (pattern: RegExp | string) => Promise<string>;
  /** Resolves with the exit code. */
  readonly ended: Promise<number | null>;
  readonly stop: () => Promise<number | null>;
};

let dataDir: string;
let standIn: StandIn | undefined;
const children: ChildProcess[] = [];

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'bank-first-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }
  await standIn?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function run(args: readonly string[], environment: Record<string, string> = {}): Process {
  const child = spawn(process.execPath, [...args], {
    env: {
      ...CHILD_ENVIRONMENT,
      PORT: '0',
      DATA_DIR: dataDir,
      ENCRYPTION_KEY: KEY,
      TOKEN_KEY: KEY,
      ...(standIn === undefined ? {} : { EVENTSTORE_URL: standIn.connectionString }),
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  let written = '';
  const listeners = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8');
    stream.on('data', (text: string) => {
      written += text;
      for (const listener of listeners) listener();
    });
  }
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return {
    output: () => written,
    says: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof pattern === 'string' ? written.includes(pattern) : pattern.test(written)) resolve(written);
        };
        listeners.add(look);
        look();
        void ended.then((code) => reject(new Error(`ended with ${code}: ${written.slice(-3000)}`)));
      }),
    ended,
    stop: () => {
      child.kill('SIGTERM');
      return ended;
    },
  };
}

type Printed = Record<'x-company-id' | 'x-api-key' | 'x-api-secret', string>;

function printed(output: string): Printed {
  const value = (name: string): string => new RegExp(`${name}\\s+(\\S+)`).exec(output)?.[1] ?? '';
  return {
    'x-company-id': value('x-company-id'),
    'x-api-key': value('x-api-key'),
    'x-api-secret': value('x-api-secret'),
  };
}

const urlIn = (output: string): string => LISTENING.exec(output)?.[1] ?? '';

async function statusOf(output: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  return (await fetch(`${urlIn(output)}${path}`, { headers })).status;
}

function figure(output: string, title: string): number {
  return Number(new RegExp(`^${title}\\s+([\\d,]+)`, 'm').exec(output)?.[1]?.replaceAll(',', ''));
}

describe.each(SERVER_VERSIONS)('a first start on an empty log, server of %s', (version) => {
  beforeEach(async () => {
    standIn = await startStandIn({ version });
    standIn.addForeignEvents(2);
  });

  it('prints a key that is answered at once, also where the read store was left by the former version', async () => {
    const first = run([MAIN]);
    const output = await first.says(LISTENING);
    const key = printed(output);
    expect(await statusOf(output, '/banks/accounts', key)).toBe(200);
    expect(await statusOf(output, '/health/ready')).toBe(200);
    expect(await first.stop()).toBe(0);

    await poisonReadStore(dataDir);
    const second = run([MAIN]);
    const again = await second.says('folded again from the start');
    expect(again).not.toContain('First start');
    await second.says(LISTENING);
    await expect.poll(() => statusOf(second.output(), '/banks/accounts', key), { timeout: 150_000 }).toBe(200);
    await expect.poll(() => statusOf(second.output(), '/health/ready'), { timeout: 150_000 }).toBe(200);
    expect(await second.stop()).toBe(0);

    const third = run([MAIN]);
    await third.says(LISTENING);
    expect(await third.stop()).toBe(0);
    expect(third.output()).not.toContain('folded again');
  });

  it('is followed by the whole demo, also where the read store was left by the former version', async () => {
    const demo = [BANK, 'demo', '--transactions', '60'];
    const first = run(demo);
    const filled = await first.says(DEMO_IS_UP);
    expect(figure(filled, 'Recorded')).toBeGreaterThanOrEqual(60);
    expect(await first.stop()).toBe(0);

    await poisonReadStore(dataDir);
    const second = run(demo);
    const found = await second.says(DEMO_IS_UP);
    expect(found).toContain('The demo data already exists');
    for (const title of ['Recorded', 'Assigned']) expect(figure(found, title)).toBe(figure(filled, title));
    expect(await second.stop()).toBe(0);
  });
});

describe('a first start whose tenant does not become visible', () => {
  it('ends with 70 and one sentence, after it has printed what is shown only once', async () => {
    standIn = await startStandIn();
    standIn.faults.silentSubscriptions = true;
    const service = run([MAIN], { FIRST_START_SECONDS: '1', LOG_LEVEL: 'silent' });
    expect(await service.ended).toBe(70);
    const key = printed(service.output());
    expect(key['x-api-secret']).not.toBe('');
    const sentences = service
      .output()
      .split('\n')
      .filter((line) => line.includes('did not become visible'));
    expect(sentences).toHaveLength(1);
    expect(sentences[0]).toMatch(/^the tenant of the first start did not become visible within 1 s: .*\.$/);

    standIn.faults.silentSubscriptions = false;
    const again = run([MAIN]);
    await again.says(LISTENING);
    await expect.poll(() => statusOf(again.output(), '/banks/accounts', key), { timeout: 150_000 }).toBe(200);
  });

  it('prints nothing before it is visible', async () => {
    standIn = await startStandIn();
    standIn.faults.silentSubscriptions = true;
    const service = run([MAIN], { LOG_LEVEL: 'debug' });
    const before = await service.says('waiting for the tenant of the first start');
    await expect.poll(() => standIn?.subscribers(), { timeout: 150_000 }).toBe(1);
    expect(before + service.output()).not.toContain('x-api-secret');
    standIn.faults.silentSubscriptions = false;
    // An append is what wakes a subscription.
    standIn.addForeignEvents(1);
    const output = await service.says(LISTENING);
    expect(await statusOf(output, '/banks/accounts', printed(output))).toBe(200);
  });

  it('can be stopped meanwhile', async () => {
    standIn = await startStandIn();
    standIn.faults.silentSubscriptions = true;
    const service = run([MAIN], { LOG_LEVEL: 'debug' });
    await expect
      .poll(() => standIn?.store.events.some(({ type }) => type === 'ApiKeyCreated'), { timeout: 150_000 })
      .toBe(true);
    await service.says('waiting for the tenant of the first start');
    expect(await service.stop()).toBe(0);
    expect(service.output()).toContain('x-api-secret');
  });
});

describe('a first start with credentials from the environment', () => {
  it('does not print their secrets', async () => {
    standIn = await startStandIn();
    const secrets = {
      BOOTSTRAP_ADMIN_PASSWORD: 'a planted password',
      BOOTSTRAP_API_SECRET: 'a-planted-secret-of-30-letters',
    };
    const service = run([MAIN], { BOOTSTRAP_API_KEY: 'a-planted-key', ...secrets });
    const output = await service.says(LISTENING);
    expect(output).toContain('as in BOOTSTRAP_API_SECRET');
    for (const secret of Object.values(secrets)) expect(output).not.toContain(secret);
  });
});
