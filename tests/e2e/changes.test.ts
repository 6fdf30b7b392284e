import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bearer, signIn } from '../support/signed-in.ts';
import {
  type Answer,
  automationDone,
  COMPANY,
  connectDemoBank,
  startTestService,
  syncAndWait,
  type TestService,
} from '../support/test-service.ts';

type Item = {
  type: string;
  id: string;
  kind: string;
  position: string;
  at: string;
  resource: Record<string, unknown> | null;
};
type Page = { items: Item[]; nextCursor: string; more: boolean };

let api: TestService;
beforeAll(async () => {
  api = await startTestService({ environment: { TENANT_LIMIT_HELD_REQUESTS: '2' } });
});
afterAll(() => api?.stop());

const EVERYTHING = { 'x-company-id': undefined };

async function ask(query: string, headers: Record<string, string | undefined> = EVERYTHING): Promise<Answer<Page>> {
  const head = await api.service.log.head();
  return api.call<Page>('GET', `/banks/changes${query}`, undefined, { 'x-min-log-position': head, ...headers });
}

async function pageOf(query: string, headers?: Record<string, string | undefined>): Promise<Page> {
  const answer = await ask(query, headers);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body.result;
}

/** Every page from the cursor on. */
async function walk(query = '', after?: string): Promise<Page & { pages: number }> {
  const items: Item[] = [];
  let cursor = after;
  for (let pages = 1; ; pages += 1) {
    const page = await pageOf(`?${query}${cursor === undefined ? '' : `&after=${encodeURIComponent(cursor)}`}`);
    items.push(...page.items);
    cursor = page.nextCursor;
    if (!page.more) return { items, nextCursor: cursor, more: false, pages };
  }
}

const rule = (name: string) => ({
  name,
  conditions: { children: [{ field: 'incoming', operator: 'equals', value: true }] },
  actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId: name } }],
});

async function createRule(name: string): Promise<{ id: string; version: number }> {
  return (await api.call<{ id: string; version: number }>('POST', '/banks/transaction-rules', rule(name))).body.result;
}

describe('the changes of a tenant', () => {
  let connection: string;
  beforeAll(async () => {
    await createRule('first');
    connection = await connectDemoBank(api);
    await syncAndWait(api, connection);
    await automationDone(api);
  });

  it('are everything there is, in the order of the last change, in any page size', async () => {
    const whole = await walk('limit=500');
    const small = await walk('limit=7');
    expect(small.pages).toBeGreaterThan(10);
    expect(small.items).toEqual(whole.items);
    expect(new Set(whole.items.map(({ type }) => type))).toEqual(
      new Set(['assignment', 'connection', 'rule', 'sync', 'transaction']),
    );
    expect(new Set(whole.items.map(({ id }) => id)).size).toBe(whole.items.length);
    const positions = whole.items.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted());
    expect(new Set(whole.items.map(({ kind }) => kind))).toEqual(new Set(['created']));
  });

  it('hold each resource as its own GET answers', async () => {
    const { items } = await walk('limit=500');
    const paths: Record<string, (item: Item) => string> = {
      connection: ({ id }) => `/banks/accounts/${id}`,
      rule: ({ id }) => `/banks/transaction-rules/${id}`,
      sync: ({ id, resource }) => `/banks/accounts/${resource?.accountId}/syncs/${id}`,
      transaction: ({ id }) => `/banks/transactions/${id}`,
    };
    for (const [type, path] of Object.entries(paths)) {
      const item = items.find((one) => one.type === type) as Item;
      const { body } = await api.call('GET', path(item));
      expect([type, item.resource]).toEqual([type, body.result]);
    }
    const assigned = items.find(({ type }) => type === 'assignment');
    const { body } = await api.call<{ items: { id: string }[] }>(
      'GET',
      `/banks/transactions/${assigned?.resource?.transactionId}/assignments`,
    );
    expect(body.result.items).toContainEqual(assigned?.resource);
  });

  it('continue at the cursor with what came, changed or was withdrawn, and with nothing else', async () => {
    const kept = await createRule('kept');
    const archived = await createRule('archived');
    const schedule = (
      await api.call<{ id: string }>('POST', '/banks/schedules', { accountId: connection, everyMinutes: 60 })
    ).body.result;
    const { nextCursor } = await walk();
    expect(await pageOf(`?after=${nextCursor}`)).toMatchObject({ items: [], more: false });
    await api.call('PATCH', `/banks/transaction-rules/${kept.id}`, { version: 1, name: 'kept on' });
    await api.call('PATCH', `/banks/transaction-rules/${archived.id}/archive`, { version: 1 });
    await api.call('DELETE', `/banks/schedules/${schedule.id}`);
    const fresh = await createRule('fresh');
    const { items } = await pageOf(`?after=${nextCursor}`);
    expect(items.map(({ type, id, kind, resource }) => [type, id, kind, resource === null])).toEqual([
      ['rule', kept.id, 'updated', false],
      ['rule', archived.id, 'withdrawn', false],
      ['schedule', schedule.id, 'withdrawn', true],
      ['rule', fresh.id, 'created', false],
    ]);
    expect(items[0]?.resource?.name).toBe('kept on');
  });

  it('shown for the first time are created, also where they changed while the walk was under way', async () => {
    const { nextCursor } = await walk();
    const [one, two] = [await createRule('one'), await createRule('two')];
    const first = await pageOf(`?limit=1&after=${nextCursor}`);
    expect(first.items.map(({ id }) => id)).toEqual([one.id]);
    await api.call('PATCH', `/banks/transaction-rules/${two.id}/pause`, { version: 1 });
    const second = await pageOf(`?limit=1&after=${first.nextCursor}`);
    expect(second.items.map(({ id, kind }) => [id, kind])).toEqual([[two.id, 'created']]);
    expect(second.more).toBe(false);
    await api.call('PATCH', `/banks/transaction-rules/${two.id}/resume`, { version: 2 });
    expect((await pageOf(`?after=${second.nextCursor}`)).items[0]?.kind).toBe('updated');
  });

  it('after=now are those from here on', async () => {
    const { items, nextCursor } = await pageOf('?after=now');
    expect(items).toEqual([]);
    const { id } = await createRule('later');
    expect((await pageOf(`?after=${nextCursor}`)).items.map((item) => item.id)).toEqual([id]);
  });

  it('are limited to types and companies', async () => {
    const { items } = await walk('limit=500&types=rule,sync');
    expect(new Set(items.map(({ type }) => type))).toEqual(new Set(['rule', 'sync']));
    expect((await walk(`limit=500&types=rule&types=sync&companies=${COMPANY}`)).items).toEqual(items);
    expect((await ask('?companies=another')).body.code).toBe('COMPANY_NOT_FOUND');
    expect((await ask('?types=user')).body.code).toBe('VALIDATION_FAILED');
  });

  it('are not reached by a cursor of another choice, or by one that was altered', async () => {
    const { nextCursor } = await pageOf('?types=rule');
    for (const query of [`?after=${nextCursor}`, `?types=rule&after=${nextCursor}x`, '?after=none']) {
      const answer = await ask(query);
      expect([query, answer.status, answer.body.code]).toEqual([query, 400, 'CURSOR_INVALID']);
    }
    expect((await ask(`?types=rule&after=${nextCursor}`)).status).toBe(200);
  });

  it('need the scope of each type that is named; else those without it are left out', async () => {
    const admin = bearer((await signIn(api)).accessToken);
    const keyOf = async (scopes: string[]) => {
      const { result } = (
        await api.call<{ key: string; secret: string }>('POST', '/auth/api-keys', { name: 'n', scopes }, admin)
      ).body;
      return { ...EVERYTHING, 'x-api-key': result.key, 'x-api-secret': result.secret };
    };
    const rules = await keyOf(['rules:read']);
    expect(new Set((await pageOf('?limit=500', rules)).items.map(({ type }) => type))).toEqual(new Set(['rule']));
    const refused = await ask('?types=rule,sync', rules);
    expect([refused.status, refused.body.code, refused.body.meta?.required]).toEqual([
      403,
      'PERMISSION_DENIED',
      'connections:read',
    ]);
    expect((await ask('', await keyOf(['audit:read']))).body.code).toBe('PERMISSION_DENIED');
  });
});

describe('a request that waits for changes', () => {
  it('is answered when there is one, and with none when the time is up', async () => {
    const { nextCursor } = await pageOf('?after=now');
    const waiting = api.call<Page>('GET', `/banks/changes?wait=30&after=${nextCursor}`, undefined, EVERYTHING);
    const { id } = await createRule('awaited');
    const { result } = (await waiting).body;
    expect(result.items.map((item) => item.id)).toEqual([id]);
    const empty = await api.call<Page>(
      'GET',
      `/banks/changes?wait=1&after=${result.nextCursor}`,
      undefined,
      EVERYTHING,
    );
    expect(empty.body.result).toMatchObject({ items: [], more: false });
  });

  it('is refused where the tenant holds as many as it may, and released when its client is gone', async () => {
    const { nextCursor } = await pageOf('?after=now');
    const gone = new AbortController();
    const url = `${api.service.url}/banks/changes?wait=30&after=${nextCursor}`;
    const headers = { 'x-api-key': api.key, 'x-api-secret': api.secret };
    const held = [1, 2].map(() => fetch(url, { headers, signal: gone.signal }).catch(() => 'gone'));
    const third = async () => api.call<Page>('GET', `/banks/changes?wait=1&after=${nextCursor}`, undefined, EVERYTHING);
    let refused = await third();
    while (refused.status === 200) refused = await third();
    expect([refused.status, refused.body.code]).toEqual([429, 'TENANT_BUSY']);
    gone.abort();
    expect(await Promise.all(held)).toEqual(['gone', 'gone']);
    let answered = await third();
    while (answered.status === 429) answered = await third();
    expect(answered.status).toBe(200);
  });
});

type Message = { readonly id: string; readonly item: Item | null };

/** The messages of an event stream, as they arrive. */
async function* messagesOf(response: Response): AsyncGenerator<Message & { readonly comment: boolean }> {
  let text = '';
  for await (const part of (response.body as ReadableStream<Uint8Array>).pipeThrough(new TextDecoderStream())) {
    text += part;
    const whole = text.split('\n\n');
    text = whole.pop() ?? '';
    for (const message of whole) {
      const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(message)?.[1];
      const data = field('data');
      yield {
        id: field('id') ?? '',
        item: data === undefined ? null : JSON.parse(data),
        comment: message.startsWith(':'),
      };
    }
  }
}

describe('the changes as an event stream', () => {
  const STREAM = { accept: 'text/event-stream' };
  const open = async (query: string, headers: Record<string, string>, signal?: AbortSignal): Promise<Response> => {
    const credentials = { 'x-api-key': api.key, 'x-api-secret': api.secret };
    const url = `${api.service.url}/banks/changes${query}`;
    return fetch(url, { headers: { ...credentials, ...STREAM, ...headers }, ...(signal ? { signal } : {}) });
  };

  /** Waits until the tenant may hold another request: a connection that was closed is noticed a moment later. */
  async function opened(query: string, headers: Record<string, string> = {}, signal?: AbortSignal): Promise<Response> {
    for (;;) {
      const response = await open(query, headers, signal);
      if (response.status !== 429) return response;
      await response.body?.cancel();
    }
  }

  it('are the same items, each with the cursor after it, and come as they happen', async () => {
    const { nextCursor } = await walk();
    const expected = await createRule('streamed');
    const cut = new AbortController();
    const response = await opened(`?after=${nextCursor}`, {}, cut.signal);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    const messages = messagesOf(response);
    expect((await messages.next()).value).toMatchObject({ item: null });
    const first = (await messages.next()).value as Message;
    expect(first.item).toEqual((await pageOf(`?after=${nextCursor}`)).items[0]);
    expect(first.item?.id).toBe(expected.id);
    expect(await pageOf(`?after=${first.id}`)).toMatchObject({ items: [] });
    const later = await createRule('streamed later');
    const second = (await messages.next()).value as Message;
    expect(second.item).toMatchObject({ type: 'rule', id: later.id, kind: 'created' });
    cut.abort();
  });

  it('continue after Last-Event-ID, whatever the query says', async () => {
    const { nextCursor } = await walk();
    const names = ['one', 'two', 'three', 'four', 'five'];
    const made: string[] = [];
    for (const name of names) made.push((await createRule(`resumed ${name}`)).id);
    const received: string[] = [];
    let lastEventId = '';
    while (received.length < names.length) {
      const cut = new AbortController();
      const headers: Record<string, string> = lastEventId === '' ? {} : { 'last-event-id': lastEventId };
      const messages = messagesOf(await opened(`?after=${nextCursor}`, headers, cut.signal));
      for (let taken = 0; taken < 2 && received.length < names.length; ) {
        const { id, item } = (await messages.next()).value as Message;
        lastEventId = id;
        if (item === null) continue;
        received.push(item.id);
        taken += 1;
      }
      cut.abort();
    }
    expect(received).toEqual(made);
  });

  it('are refused like the list, before the stream begins', async () => {
    const refused = await opened('?after=none');
    expect([refused.status, refused.headers.get('content-type')]).toEqual([400, 'application/json; charset=utf-8']);
  });
});

it('the end of the service ends what is held at once', async () => {
  const own = await startTestService();
  const headers = { 'x-api-key': own.key, 'x-api-secret': own.secret };
  const url = `${own.service.url}/banks/changes?after=now&wait=30`;
  const waiting = fetch(url, { headers });
  const streaming = await fetch(url, { headers: { ...headers, accept: 'text/event-stream' } });
  const messages = messagesOf(streaming);
  await messages.next();
  // Both are held by now: the list's own look ends before anything that is asked later.
  await own.call('GET', '/banks/changes?wait=1');
  await own.stop();
  // Neither is cut off, as requests are that take longer than the service waits for them.
  expect(((await (await waiting).json()) as Answer<Page>['body']).result.items).toEqual([]);
  expect((await messages.next()).done).toBe(true);
});
