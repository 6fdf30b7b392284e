import type { Acknowledged, KnownConnection, KnownRule } from './acknowledged.ts';
import { addRow, type Book, DESCRIPTIONS, daysBefore, makeBook } from './bank-books.ts';
import type { Answer, Client, Reply } from './client.ts';

export type LifeOptions = {
  readonly client: Client;
  /** What was acknowledged to all clients of the tenant. */
  readonly known: Acknowledged;
  readonly books: Map<string, Book>;
  readonly nowMs: () => number;
  readonly onTrace: (line: string) => void;
  readonly actions: number;
};

/** Statuses of refusals that a careful client may get. */
const REFUSALS = new Set([400, 404, 409, 422, 429]);

/** A client's life: so many random requests, and what the bank does meanwhile. */
export async function live(options: LifeOptions): Promise<void> {
  const { client, known, books, nowMs, onTrace } = options;
  const { random } = client.actor;
  let made = 0;

  const isTrue = (probability: number): boolean => random() < probability;
  function pick<T>(values: readonly T[]): T | undefined {
    return values[Math.floor(random() * values.length)];
  }
  function newName(kind: 'connection' | 'rule' | 'schedule'): string {
    made += 1;
    const name = `${kind} ${made} of ${client.actor.name}`;
    known.askedNames.push({ kind, name });
    return name;
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Reply> {
    const reply = await client.ask(method, path, body);
    const shown = reply === 'unknown' ? 'unknown' : `${reply.status} ${reply.code ?? ''}`;
    onTrace(`${client.actor.name} ${method} ${path} ${body === undefined ? '' : JSON.stringify(body)}: ${shown}`);
    if (reply === 'unknown') return reply;
    if (reply.status >= 300 && !REFUSALS.has(reply.status)) {
      known.wrongAnswers.push(`${method} ${path}: ${reply.status} ${reply.code}`);
    }
    if (method !== 'GET' && reply.status < 300 && reply.position !== null) {
      known.positions.push({ what: `${method} ${path}`, position: reply.position });
    }
    return reply;
  }

  const isDone = (reply: Reply): reply is Answer => reply !== 'unknown' && reply.status < 300;

  /** Whoever names the position of a write finds what it wrote, or is told that the read model is behind. */
  async function readOwn(path: string, { position, result }: Answer): Promise<void> {
    if (position === null || isTrue(0.5)) return;
    const found = await client.once('GET', path, undefined, { 'x-min-log-position': position });
    if (found === 'unknown' || found.status >= 500) return;
    if (found.status !== 200 || found.result.id !== result.id) {
      known.wrongAnswers.push(`GET ${path} at ${position}: ${found.status} ${found.code}`);
    } else if (result.version !== undefined && found.result.version < result.version) {
      known.wrongAnswers.push(`GET ${path} at ${position}: version ${found.result.version}, not ${result.version}`);
    }
  }

  /** Own things only, so that nobody else changes them meanwhile. */
  const ownRules: KnownRule[] = [];
  const ownConnections: KnownConnection[] = [];

  async function openConnection(): Promise<void> {
    const bankCode = isTrue(0.5) ? 'ids' : 'content';
    // Several connections may have the same login: then they share accounts.
    const login = `${bankCode}-${Math.floor(random() * 2)}`;
    const book = books.get(login) ?? makeBook(random, bankCode, login, nowMs());
    books.set(login, book);
    const title = newName('connection');
    const opened = await ask('POST', '/banks/accounts', { bankCode, title });
    if (!isDone(opened)) return;
    const connection = { id: opened.result.id as string, title, book, hasCredentials: false };
    await readOwn(`/banks/accounts/${connection.id}`, opened);
    known.connections.push(connection);
    ownConnections.push(connection);
    await setUp(connection);
  }

  async function setUp(connection: KnownConnection): Promise<void> {
    const credentials = { login: connection.book.login, pin: '1234' };
    const put = await ask('PUT', `/banks/accounts/${connection.id}/credentials`, credentials);
    if (!isDone(put)) return;
    connection.hasCredentials = true;
    await ask('POST', `/banks/accounts/${connection.id}/setup`);
  }

  async function sync(): Promise<void> {
    const connection = pick(known.connections);
    if (connection === undefined) return openConnection();
    if (!connection.hasCredentials) return setUp(connection);
    const body = isTrue(0.8) ? { from: daysBefore(nowMs(), 6) } : {};
    const synced = await ask('POST', `/banks/accounts/${connection.id}/sync`, body);
    if (synced !== 'unknown' && synced.code === 'CONNECTION_NOT_SET_UP') {
      await ask('POST', `/banks/accounts/${connection.id}/setup`);
    } else if (isDone(synced) && isTrue(0.15)) await cancelSync(connection);
  }

  async function cancelSync({ id }: KnownConnection): Promise<void> {
    await client.pause(random() * 1_500);
    const list = await ask('GET', `/banks/accounts/${id}/syncs?limit=1`);
    if (!isDone(list)) return;
    const [newest] = list.result.items;
    if (newest !== undefined) await ask('POST', `/banks/accounts/${id}/syncs/${newest.id}/cancel`);
  }

  function conditions(): object {
    const incoming = { field: 'incoming', operator: 'equals', value: isTrue(0.5) };
    const description = { field: 'description', operator: 'contains', value: pick(DESCRIPTIONS) };
    return { combinator: isTrue(0.5) ? 'any' : 'all', children: isTrue(0.5) ? [incoming] : [incoming, description] };
  }

  function actions(): object[] {
    const externalId = String(Math.floor(random() * 3));
    return [{ type: 'attach_reference', reference: { source: 'erp', entityType: 'invoice', externalId } }];
  }

  async function createRule(): Promise<void> {
    const name = newName('rule');
    const status = isTrue(0.7) ? 'active' : 'paused';
    const created = await ask('POST', '/banks/transaction-rules', {
      name,
      status,
      conditions: conditions(),
      actions: actions(),
    });
    if (!isDone(created)) return;
    const { id, version } = created.result;
    await readOwn(`/banks/transaction-rules/${id}`, created);
    const rule: KnownRule = { id, name, version, status, archived: false, certain: true };
    known.rules.push(rule);
    ownRules.push(rule);
  }

  async function changeRule(): Promise<void> {
    const rule = pick(ownRules.filter((one) => !one.archived && one.certain));
    if (rule === undefined) return createRule();
    const path = `/banks/transaction-rules/${rule.id}`;
    const how = pick(['content', 'content', 'pause', 'resume', 'archive'] as const);
    const { version } = rule;
    const body = how === 'content' ? { version, conditions: conditions(), actions: actions() } : { version };
    const changed = await ask('PATCH', how === 'content' ? path : `${path}/${how}`, body);
    if (changed === 'unknown') rule.certain = false;
    else if (changed.status < 300) {
      rule.version = changed.result.version;
      await readOwn(path, changed);
      if (how === 'pause') rule.status = 'paused';
      if (how === 'resume') rule.status = 'active';
      if (how === 'archive') rule.archived = true;
    } else if (changed.code === 'RULE_VERSION_CONFLICT') {
      known.wrongAnswers.push(`nobody else changes ${rule.name}, and its version ${version} is stale`);
    }
  }

  async function endOfRun(id: string): Promise<Answer | null> {
    for (let look = 0; look < 20; look += 1) {
      const run = await ask('GET', `/banks/rule-runs/${id}`);
      if (isDone(run) && ['completed', 'dead', 'cancelled'].includes(run.result.status)) return run;
      await client.pause(500 + random() * 1_000);
    }
    return null;
  }

  async function started(path: string, type: 'preview' | 'backfill' | 'revert', body?: object): Promise<string | null> {
    const asked = await ask('POST', path, body);
    if (!isDone(asked)) return null;
    known.runs.push({ id: asked.result.id, type });
    return asked.result.id;
  }

  async function runRule(): Promise<void> {
    const rule = pick(ownRules.filter((one) => !one.archived));
    if (rule === undefined) return createRule();
    const preview = await started(`/banks/transaction-rules/${rule.id}/preview-runs`, 'preview', { scope: {} });
    if (preview === null || (await endOfRun(preview)) === null) return;
    const path = `/banks/transaction-rules/${rule.id}/backfill-runs`;
    const backfill = await started(path, 'backfill', { previewRunId: preview });
    if (backfill === null) return;
    if (isTrue(0.3)) {
      await client.pause(random() * 300);
      await ask('POST', `/banks/rule-runs/${backfill}/cancel`);
    }
    if ((await endOfRun(backfill)) === null || isTrue(0.4)) return;
    const revert = await started(`/banks/rule-runs/${backfill}/revert`, 'revert');
    if (revert !== null && isTrue(0.2)) await ask('POST', `/banks/rule-runs/${revert}/cancel`);
  }

  async function assign(): Promise<void> {
    const list = await ask('GET', '/banks/transactions?limit=50');
    const transaction = isDone(list) ? pick(list.result.items as { id: string }[]) : undefined;
    if (transaction === undefined) return sync();
    made += 1;
    const reference = { source: 'person', entityType: 'note', externalId: `${client.actor.name}-${made}` };
    const path = `/banks/transactions/${transaction.id}/assignments`;
    const attached = await ask('POST', path, { reference });
    if (!isDone(attached)) return;
    const { id: assignmentId } = attached.result;
    const assignment = { transactionId: transaction.id, assignmentId, revoked: false, certain: true };
    known.assignments.push(assignment);
    if (isTrue(0.5)) return;
    const revoked = await ask('POST', `${path}/${assignmentId}/revoke`);
    if (revoked === 'unknown') assignment.certain = false;
    else if (revoked.status < 300) assignment.revoked = true;
  }

  /** What a rule attached, revoked by a person. */
  async function revokeOfRule(): Promise<void> {
    const list = await ask('GET', '/banks/assignments?status=active&limit=50');
    const items = isDone(list) ? (list.result.items as { id: string; transactionId: string; origin: string }[]) : [];
    const one = pick(items.filter(({ origin }) => origin === 'rule'));
    if (one === undefined) return createRule();
    await ask('POST', `/banks/transactions/${one.transactionId}/assignments/${one.id}/revoke`);
  }

  async function schedule(): Promise<void> {
    const connection = pick(known.connections);
    if (connection === undefined) return openConnection();
    const title = newName('schedule');
    const body = { accountId: connection.id, title, everyMinutes: 5 };
    const created = await ask('POST', '/banks/schedules', body);
    if (!isDone(created)) return;
    const one = { id: created.result.id as string, title, status: 'active' as const, certain: true };
    const kept: Acknowledged['schedules'][number] = one;
    known.schedules.push(kept);
    if (isTrue(0.7)) await ask('POST', `/banks/schedules/${one.id}/run`);
    if (isTrue(0.5)) return;
    const [how, method] = isTrue(0.5) ? (['paused', 'PATCH'] as const) : (['deleted', 'DELETE'] as const);
    const path = `/banks/schedules/${one.id}${how === 'paused' ? '/pause' : ''}`;
    const changed = await ask(method, path);
    if (changed === 'unknown') kept.certain = false;
    // A deletion is repeated without a key: where the first one was carried out, the repetition finds nothing.
    else if (changed.status < 300 || changed.code === 'SCHEDULE_NOT_FOUND') kept.status = how;
  }

  /** The bank books, withdraws, or lists again. */
  function bank(): void {
    const book = pick([...books.values()]);
    const account = book === undefined ? undefined : pick(book.accounts);
    if (book === undefined || account === undefined) return;
    const row = pick(account.rows);
    if (book.bankCode === 'ids' && row !== undefined && isTrue(0.6)) {
      row.withdrawn = !row.withdrawn;
      row.changedMs.push(nowMs());
      onTrace(`the bank ${row.withdrawn ? 'withdraws' : 'lists again'} ${row.id}`);
      return;
    }
    addRow(random, book, account, { day: daysBefore(nowMs(), 0), bookedMs: nowMs() });
    onTrace(`the bank books a row of ${account.id}`);
  }

  const all: readonly (readonly [number, () => void | Promise<void>])[] = [
    [1, openConnection],
    [4, sync],
    [2, createRule],
    [2, changeRule],
    [3, runRule],
    [2, assign],
    [1, revokeOfRule],
    [1, schedule],
    [3, bank],
    // Long enough for turns to fall due.
    [0.2, () => client.pause((5 + 4 * random()) * 60_000)],
  ];
  const whole = all.reduce((sum, [weight]) => sum + weight, 0);

  await openConnection();
  for (let done = 0; done < options.actions; done += 1) {
    let drawn = random() * whole;
    const [, action] = all.find(([weight]) => {
      drawn -= weight;
      return drawn < 0;
    }) ?? [0, sync];
    await action();
    await client.pause(random() * 2_000);
  }
}
