// What a program does with the packed client, the same on Node, Deno, Bun and in a browser.
import {
  answerOf,
  BankClient,
  isBankError,
  NotFoundError,
  ValidationError,
  verifyWebhook,
} from 'bank-connection-client';

const RULE = {
  name: 'Taxes',
  conditions: { children: [{ field: 'description', operator: 'contains', value: 'x' }] },
  actions: [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'account', externalId: '360' } }],
};
/** The example of the Standard Webhooks specification. */
const MESSAGE = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
  atMs: 1_614_265_330_000,
};

function must(holds, what) {
  if (!holds) throw new Error(what);
}

/** What the promise is rejected with. */
const failureOf = (promise) =>
  promise.then(
    () => null,
    (error) => error,
  );

/** @returns how many transactions there are; throws what does not hold */
export async function tour({ baseUrl, apiKey, apiSecret, company, seed, email, password }) {
  const client = new BankClient({ baseUrl, apiKey, apiSecret, company });
  const id = await connected(client, seed);
  const count = await synced(client, id);

  await lostAnswer({ baseUrl, apiKey, apiSecret, company });
  await failures(client);
  await streams(client, count);
  await changes(client);
  const { id: messageId } = await verifyWebhook(MESSAGE.headers, MESSAGE.body, MESSAGE.secret, MESSAGE.atMs);
  must(messageId === MESSAGE.headers['webhook-id'], 'the signature of a webhook');

  const { accessToken } = await new BankClient({ baseUrl }).logIn({ email, password });
  const person = new BankClient({ baseUrl, accessToken: async () => accessToken });
  must((await person.getMe()).email === email, 'a person with a token');
  return count;
}

async function connected(client, seed) {
  const { id } = await client.openConnection({ bankCode: 'demo', title: seed });
  await client.putCredentials(id, { seed, transactionsPerDay: 3 });
  await ended(client, id, await client.setUpConnection(id, { wait: 30 }));
  return id;
}

/** @returns how many transactions the sync recorded, which the list has too */
async function synced(client, id) {
  const asked = await client.syncConnection(id, {}, { wait: 30 });
  const { status, counts } = await ended(client, id, asked);
  must(status === 'completed' && counts.inserted > 50, `the sync is ${status} with ${counts.inserted} rows`);
  // A sync that outlasts the request ends after what its answer includes.
  for (let left = 100; ; left -= 1) {
    const ids = new Set();
    for await (const one of client.waitFor(asked).each.listTransactions({ accountId: id, limit: 50 })) ids.add(one.id);
    if (ids.size === counts.inserted) return ids.size;
    must(left > 0 && answerOf(asked).status === 202, `${ids.size} of ${counts.inserted} transactions are listed`);
  }
}

/** The setup or sync that the answer names, once it has ended. */
async function ended(client, id, asked) {
  const name = answerOf(asked).headers.get('x-sync-id');
  for (;;) {
    const work = await client.waitFor(asked).getSync(id, name);
    if (work.status !== 'queued' && work.status !== 'running') return work;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** A repeated attempt is answered like the first, whose answer was lost. */
async function lostAnswer(options) {
  let lost = 0;
  const client = new BankClient({
    ...options,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (lost > 0) return response;
      lost += 1;
      throw new TypeError('the link broke');
    },
  });
  const rule = await client.createRule(RULE);
  must(lost === 1 && answerOf(rule).headers.get('idempotency-replayed') === 'true', 'a lost answer is repeated');
  const paused = await client.pauseRule(rule.id, { version: rule.version });
  must((await client.waitFor(paused).getRule(rule.id)).status === 'paused', 'a read includes the write');
}

async function failures(client) {
  const missing = await failureOf(client.getRule('none'));
  must(missing instanceof NotFoundError && isBankError(missing, 'RULE_NOT_FOUND'), `of its class: ${missing}`);
  const wrong = await failureOf(client.createRule({ ...RULE, name: '' }));
  must(wrong instanceof ValidationError && wrong.issues[0]?.path === 'name', `with its issues: ${wrong}`);
  const stop = new AbortController();
  const stopped = failureOf(client.changes({ after: 'now' }, { signal: stop.signal }).next());
  stop.abort(new Error('enough'));
  must((await stopped)?.message === 'enough', 'a signal ends a call');
}

async function streams(client, count) {
  const csv = await client.exportTransactions();
  let text = '';
  const decoder = new TextDecoder();
  const reader = csv.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
  }
  must(text.trim().split('\n').length > count, 'an export has a line for each transaction');
}

/** Goes on after a cursor, and is told of what comes while it waits. */
async function changes(client) {
  let after = '';
  for await (const { nextCursor } of client.changes({ types: ['rule'], follow: false })) after = nextCursor;
  const awaited = (async () => {
    for await (const { items } of client.changes({ types: ['rule'], after })) return items;
  })();
  const rule = await client.createRule({ ...RULE, name: 'Seen' });
  const [change] = await awaited;
  must(change?.id === rule.id && change.kind === 'created', 'a change that comes is told');
}
