import { afterEach, describe, expect, it } from 'vitest';
import { type EventLog, LogUnavailable } from '../../src/log/log.ts';
import { type StandIn, startStandIn } from '../support/eventstore-stand-in/stand-in.ts';
import { bearer, signIn } from '../support/signed-in.ts';
import {
  automationDone,
  connectDemoBank,
  eventually,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

const KEYS = {
  ENCRYPTION_KEY: Buffer.alloc(32, 1).toString('base64'),
  TOKEN_KEY: Buffer.alloc(32, 2).toString('base64'),
};
const HEARTBEAT = { everyMs: 20, againMs: 20, missedAfterMs: 300 };

const services: TestService[] = [];
const standIns: StandIn[] = [];
const returns: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(returns.splice(0).map((comeBack) => comeBack()));
  await Promise.all(services.splice(0).map((api) => api.stop()));
  await Promise.all(standIns.splice(0).map((standIn) => standIn.stop()));
});

let aheadMs = 0;
const clock = { now: () => Date.now() + aheadMs };

/** A verification is not trusted any more without a look at the log. */
function trustRunsOut(): void {
  aheadMs += 501;
}

type Away = { readonly api: TestService; readonly goAway: () => Promise<void>; readonly comeBack: () => Promise<void> };

/** Every call of the log fails, or none is answered, until it is back. */
function faulty(log: EventLog, how: 'fails' | 'hangs'): { goAway: () => void; comeBack: () => void } {
  const original = { ...log };
  let back = Promise.withResolvers<void>();
  const names = [
    'append',
    'appendMany',
    'readStream',
    'readStreamPositions',
    'readAll',
    'head',
    'end',
    'ping',
  ] as const;
  return {
    goAway() {
      back = Promise.withResolvers();
      const { promise } = back;
      for (const name of names) {
        const call = original[name] as (...given: unknown[]) => Promise<unknown>;
        const replacement = async (...given: unknown[]): Promise<unknown> => {
          if (how === 'fails') throw new LogUnavailable('planted');
          await promise;
          return call(...given);
        };
        Object.assign(log, { [name]: replacement });
      }
    },
    comeBack() {
      Object.assign(log, original);
      back.resolve();
    },
  };
}

async function onEmbedded(how: 'fails' | 'hangs', environment: Record<string, string> = {}): Promise<Away> {
  const api = await startTestService({ environment, clock, heartbeat: HEARTBEAT });
  services.push(api);
  const fault = faulty(api.service.log, how);
  return returning({
    api,
    goAway: async () => {
      fault.goAway();
      await isDown(api);
    },
    comeBack: async () => fault.comeBack(),
  });
}

/** Back at the end of the test, if not before. */
function returning(away: Away): Away {
  let isAway = false;
  const comeBack = async (): Promise<void> => {
    if (isAway) await away.comeBack();
    isAway = false;
  };
  returns.push(comeBack);
  return {
    ...away,
    comeBack,
    goAway() {
      isAway = true;
      return away.goAway();
    },
  };
}

async function onStandIn(how: 'killed' | 'frozen', environment: Record<string, string> = {}): Promise<Away> {
  const standIn = await startStandIn({ front: true });
  standIns.push(standIn);
  const front = standIn.front();
  const api = await startTestService({
    environment: { ...KEYS, DEMO_BANK: 'on', EVENTSTORE_URL: standIn.connectionString, ...environment },
    clock,
    heartbeat: HEARTBEAT,
  });
  services.push(api);
  return returning({
    api,
    goAway: async () => {
      if (how === 'killed') await front.shut();
      else front.freeze();
      await isDown(api);
    },
    comeBack: async () => (how === 'killed' ? front.open() : front.thaw()),
  });
}

async function isDown(api: TestService): Promise<void> {
  await eventually(
    async () => api.service.httpServices.logDown().aborted,
    (down) => down,
  );
}

type Start = (environment?: Record<string, string>) => Promise<Away>;

const WAYS: readonly { readonly away: string; readonly writesWait: boolean; readonly start: Start }[] = [
  { away: 'the embedded log fails', writesWait: false, start: (environment) => onEmbedded('fails', environment) },
  { away: 'the embedded log hangs', writesWait: true, start: (environment) => onEmbedded('hangs', environment) },
  { away: 'EventStoreDB is killed', writesWait: true, start: (environment) => onStandIn('killed', environment) },
  { away: 'EventStoreDB is frozen', writesWait: true, start: (environment) => onStandIn('frozen', environment) },
];

/** A key of the tenant, known to the read models. */
async function newKey(api: TestService, admin: string): Promise<{ id: string; headers: Record<string, string> }> {
  const made = await api.call<{ id: string; key: string; secret: string }>(
    'POST',
    '/auth/api-keys',
    { name: 'Reader', scopes: ['transactions:read', 'connections:read'] },
    bearer(admin),
  );
  await api.service.httpServices.waitFor(['api-keys'], made.headers.get('x-log-position') ?? '', 100_000);
  const { id, key, secret } = made.body.result;
  return { id, headers: { 'x-api-key': key, 'x-api-secret': secret } };
}

describe.each(WAYS)('while $away', ({ writesWait, start }) => {
  it('known keys and sessions read, and what needs the log says so at once', async () => {
    const { api, goAway, comeBack } = await start();
    const id = await connectDemoBank(api);
    await syncAndWait(api, id);
    await automationDone(api);
    const list = '/banks/transactions?limit=5';
    const before = await api.call<{ items: { id: string }[] }>('GET', list);
    const one = `/banks/transactions/${before.body.result.items[0]?.id}`;
    const figures = '/banks/analytics/queries/cash-flow/results';
    await api.call('GET', figures);
    const person = bearer((await signIn(api)).accessToken);
    expect((await api.call('GET', list, undefined, person)).status).toBe(200);
    const position = await api.service.log.head();
    trustRunsOut();
    await goAway();

    let isAnswered = false;
    const written = api.call('POST', '/banks/accounts', { bankCode: 'demo', title: 'Later' }).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    const statuses: Record<string, number | string | undefined> = {};
    for (const path of [list, one, '/banks/accounts', figures]) {
      statuses[path] = (await api.call('GET', path)).status;
    }
    statuses.person = (await api.call('GET', list, undefined, person)).status;
    const reached = { 'x-min-log-position': position };
    statuses.reached = (await api.call('GET', list, undefined, reached)).status;
    const ahead = position.replace(/\d/g, '8');
    for (const [name, path, more] of [
      ['ahead', list, { 'x-min-log-position': ahead }],
      ['integrity', '/banks/audit/integrity', {}],
      ['history', '/banks/audit/history', {}],
      ['asOf', `${list}&asOf=${new Date(clock.now()).toISOString()}`, {}],
      ['unknown', list, { 'x-api-secret': 'another-secret-of-32-characters' }],
    ] as const) {
      const answer = await api.call('GET', path, undefined, more);
      statuses[name] = answer.status === 503 ? answer.body.code : answer.status;
    }
    expect(statuses).toEqual({
      [list]: 200,
      [one]: 200,
      '/banks/accounts': 200,
      [figures]: 200,
      person: 200,
      reached: 200,
      ahead: 'DEPENDENCY_UNAVAILABLE',
      integrity: 'DEPENDENCY_UNAVAILABLE',
      history: 'DEPENDENCY_UNAVAILABLE',
      asOf: 'DEPENDENCY_UNAVAILABLE',
      unknown: 'DEPENDENCY_UNAVAILABLE',
    });
    const ready = await api.call('GET', '/health/ready');
    const parts = (ready.body.meta?.parts ?? []) as { name: string; ok: boolean }[];
    expect(parts.find(({ name }) => name === 'event store')).toMatchObject({ ok: false });
    expect(isAnswered).toBe(!writesWait);
    await comeBack();
    expect(await written).toBe(writesWait ? 201 : 503);
  });

  it('a key revoked and a user disabled before do not read, and one that was not known does not', async () => {
    const { api, goAway } = await start();
    const admin = (await signIn(api)).accessToken;
    const [kept, revoked, unused] = [await newKey(api, admin), await newKey(api, admin), await newKey(api, admin)];
    const person = { email: 'second@example.com', password: 'a password of some length' };
    const added = await api.call<{ id: string }>('POST', '/auth/users', { ...person, role: 'analyst' }, bearer(admin));
    const second = bearer((await signIn(api, person)).accessToken);
    const list = async (headers: Record<string, string | undefined>): Promise<number> =>
      (await api.call('GET', '/banks/transactions', undefined, headers)).status;
    for (const headers of [kept.headers, revoked.headers, second]) expect(await list(headers)).toBe(200);
    const ended = [
      await api.call('POST', `/auth/api-keys/${revoked.id}/revoke`, {}, bearer(admin)),
      await api.call('PATCH', `/auth/users/${added.body.result.id}`, { status: 'disabled' }, bearer(admin)),
    ];
    expect(ended.map(({ status }) => status)).toEqual([200, 200]);
    trustRunsOut();
    await goAway();
    expect(await list(kept.headers)).toBe(200);
    for (const headers of [revoked.headers, second, unused.headers]) expect(await list(headers)).toBe(503);
  });

  it('nobody reads where that is turned off', async () => {
    const { api, goAway, comeBack } = await start({ READ_WITHOUT_LOG_SECONDS: '0' });
    expect((await api.call('GET', '/banks/transactions')).status).toBe(200);
    trustRunsOut();
    await goAway();
    const answer = await api.call('GET', '/banks/transactions');
    expect([answer.status, answer.body.code]).toEqual([503, 'DEPENDENCY_UNAVAILABLE']);
    await comeBack();
    await eventually(
      () => api.call('GET', '/banks/transactions'),
      ({ status }) => status === 200,
    );
  });
});
