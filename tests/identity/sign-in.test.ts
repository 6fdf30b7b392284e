import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { addUser, changeStanding, replacePassword } from '../../src/commands/change-user.ts';
import type { CommandContext } from '../../src/commands/command.ts';
import { eventCodec } from '../../src/events/registry.ts';
import { createAccessTokens } from '../../src/identity/access-token.ts';
import { type LoginNames, openLoginNames } from '../../src/identity/login-names.ts';
import { createRefreshTokens } from '../../src/identity/refresh-token.ts';
import { openSecrets, type Secrets } from '../../src/identity/secrets.ts';
import { createSignIn, type SignIn } from '../../src/identity/sign-in.ts';
import { openEmbeddedLog } from '../../src/log/embedded/embedded-log.ts';
import type { Append, EventLog } from '../../src/log/log.ts';
import { openEmbeddedReadStore } from '../../src/readstore/embedded/embedded-read-store.ts';
import type { ReadStore } from '../../src/readstore/read-store.ts';
import { systemClock as clock } from '../../src/shared/clock.ts';
import { newId } from '../../src/shared/ids.ts';
import { openLoginAttempts } from '../../src/traffic/login-attempts.ts';

const EMAIL = 'ada@example.com';
const PASSWORD = 'a planted password';
const KEY = Buffer.alloc(32, 1);
const request = { correlationId: 'request', network: '192.0.2.1' };

let folder: string;
let log: EventLog;
let readStore: ReadStore;
let context: CommandContext;
let waited: number[] = [];
let secrets: Secrets;
let loginNames: LoginNames;
type Right = readonly string[];
let signIn: (check: (look: () => Promise<Right>) => Promise<Right>, through?: EventLog) => SignIn;

beforeEach(async () => {
  waited = [];
  folder = mkdtempSync(join(tmpdir(), 'bank-sign-in-'));
  log = openEmbeddedLog({ file: join(folder, 'log.sqlite'), codec: eventCodec });
  readStore = openEmbeddedReadStore({ file: join(folder, 'store.sqlite') });
  const actor = { type: 'system' as const, id: 'test' };
  context = { log, clock, newId, tenantId: 'tenant', companyId: null, actor, correlationId: 'request' };
  loginNames = await openLoginNames(readStore, KEY);
  secrets = await openSecrets(readStore, KEY);
  await added('tenant', 'ada', PASSWORD);
  const loginAttempts = await openLoginAttempts(readStore, clock);
  signIn = (check, through = log) => {
    const watched: Secrets = { ...secrets, whosePassword: (...given) => check(() => secrets.whosePassword(...given)) };
    const accessTokens = createAccessTokens({ tokenKey: KEY, clock });
    const refreshTokens = createRefreshTokens(KEY);
    const wait = async (ms: number): Promise<void> => void waited.push(ms);
    const common = { log: through, clock, newId, loginNames, loginAttempts, accessTokens, refreshTokens, wait };
    return createSignIn({ ...common, secrets: watched });
  };
});
afterEach(async () => {
  await log.close();
  await readStore.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A user with the email of all tests. */
async function added(tenantId: string, userId: string, password: string): Promise<void> {
  await loginNames.claim(EMAIL, { tenantId, userId }, async () => false);
  await secrets.keepPassword(userId, { password, salt: loginNames.saltOf(EMAIL) });
  await addUser({ ...context, tenantId }, { userId, email: EMAIL, role: 'analyst', displayName: null });
}

const begun = async (): Promise<string[]> => {
  const { events } = await log.readAll({ after: '', limit: 100, categories: ['session'] });
  return events.map(({ type }) => type);
};

describe('a login', () => {
  it('with the right password begins a session', async () => {
    const outcome = await signIn((look) => look()).logIn({ email: EMAIL, password: PASSWORD }, request);
    expect(outcome.outcome).toBe('signed-in');
  });

  const changes: [string, () => Promise<unknown>][] = [
    ['the password was replaced', () => replacePassword(context, 'ada')],
    ['the user was disabled', () => changeStanding(context, 'ada', { disabled: true }, () => false)],
  ];

  it.each(changes)('fails when %s while it was checked, and leaves no session', async (_, meanwhile) => {
    const check = async (look: () => Promise<Right>): Promise<Right> => {
      const right = await look();
      await meanwhile();
      return right;
    };
    const outcome = await signIn(check).logIn({ email: EMAIL, password: PASSWORD }, request);
    expect(outcome).toEqual({ outcome: 'refused' });
    expect([[], ['SessionBegan', 'SessionEnded']]).toContainEqual(await begun());
  });

  it.each(changes)('fails when %s just before its session begins, and ends that', async (_, meanwhile) => {
    const late = {
      readStreamPositions: (...given: Parameters<EventLog['readStreamPositions']>) => log.readStreamPositions(...given),
      end: () => log.end(),
      append: async (append: Append) => {
        if (append.events.some(({ type }) => type === 'SessionBegan')) await meanwhile();
        return log.append(append);
      },
    } as EventLog;
    const outcome = await signIn((look) => look(), late).logIn({ email: EMAIL, password: PASSWORD }, request);
    expect(outcome).toEqual({ outcome: 'refused' });
    expect(await begun()).toEqual(['SessionBegan', 'SessionEnded']);
  });

  it('does not get new attempts at the password of one tenant by that of another', async () => {
    await added('other', 'eve', 'a password of the other tenant');
    const attempts = signIn((look) => look());
    const logIn = (password: string) => attempts.logIn({ email: EMAIL, password }, request);
    for (let nth = 0; nth < 6; nth += 1) {
      expect((await logIn('a guess at the first')).outcome).toBe('refused');
      expect((await logIn('a password of the other tenant')).outcome).toBe('signed-in');
    }
    expect(Math.max(...waited)).toBeGreaterThanOrEqual(1_000);
  });

  it('with the right password succeeds from one network while wrong ones come from others', async () => {
    const attempts = signIn((look) => look());
    const wrong = (network: string) => attempts.logIn({ email: EMAIL, password: 'wrong' }, { ...request, network });
    const guesses = ['198.51.100.1', '198.51.100.2'].flatMap((network) =>
      Array.from({ length: 12 }, () => wrong(network)),
    );
    const outcomes = (await Promise.all(guesses)).map(({ outcome }) => outcome);
    expect(outcomes).toContain('busy');
    const owner = await attempts.logIn({ email: EMAIL, password: PASSWORD }, request);
    expect(owner.outcome).toBe('signed-in');
    expect(waited.at(-1)).toBe(0);
  });

  it('is asked to retry while too many passwords wait to be checked', async () => {
    let release = (_: Right): void => {};
    const held = new Promise<Right>((done) => {
      release = done;
    });
    const busy = signIn(() => held);
    const names = Array.from({ length: 70 }, (_, nth) => `nobody-${nth}@example.com`);
    const asked = names.map((email) => busy.logIn({ email, password: 'x' }, request));
    const first = await Promise.race(asked);
    release([]);
    expect(first).toEqual({ outcome: 'busy', retryAfterSeconds: 1 });
    const all = await Promise.all(asked);
    expect(all.filter(({ outcome }) => outcome === 'busy')).toHaveLength(6);
  });

  it('does not wait while another network uses up its own places', async () => {
    let release = (_: Right): void => {};
    const held = new Promise<Right>((done) => {
      release = done;
    });
    const busy = signIn(() => held);
    const elsewhere = { ...request, network: '198.51.100.1' };
    const asked = Array.from({ length: 64 }, (_, nth) =>
      busy.logIn({ email: `nobody-${nth}@example.com`, password: 'x' }, elsewhere),
    );
    const owner = busy.logIn({ email: EMAIL, password: PASSWORD }, request);
    const first = await Promise.race([owner, new Promise<string>((done) => setImmediate(() => done('waits')))]);
    expect(first).toBe('waits');
    release(['ada']);
    expect((await owner).outcome).toBe('signed-in');
    await Promise.all(asked);
  });
});
