import { copyFileSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { answerOf, type BankClient, type BankConnection, type Sync } from '../../sdk/src/index.ts';
import { BERLIN, ISTANBUL } from './demo-rules.ts';

/** How many rows the files of cli/demo/statements have in all. */
export const STATEMENT_ROWS = 26;
const FOLDER = BERLIN;
const SHIPPED = join(import.meta.dirname, 'statements');
/** A first sync requests 90 days, including today, which is not over yet. */
const WHOLE_DAYS = 89;
const LOOK_AGAIN_MS = 150;
const DELIVERED_BEFORE_MS = 60_000;

type DemoBank = {
  readonly company: string;
  readonly title: string;
  readonly bankCode: string;
  readonly environment: 'demo' | 'production';
  readonly credentials: Readonly<Record<string, unknown>>;
};

/** Rows per day such that the first 90 days have at least the wanted number of transactions at any time of day. */
function rowsPerDay(transactions: number): number {
  return Math.max(1, Math.ceil((transactions - STATEMENT_ROWS) / WHOLE_DAYS));
}

export function expectedTransactions(transactions: number, now: Date): number {
  const perDay = rowsPerDay(transactions);
  const dayGone = (now.getTime() % 86_400_000) / 86_400_000;
  return Math.round(perDay * (WHOLE_DAYS + dayGone)) + STATEMENT_ROWS;
}

export function demoBanks(transactions: number): readonly DemoBank[] {
  return [
    {
      company: ISTANBUL,
      title: 'Demo Bank, İstanbul',
      bankCode: 'demo',
      environment: 'demo',
      credentials: { seed: 'demo', transactionsPerDay: rowsPerDay(transactions) },
    },
    {
      company: BERLIN,
      title: 'Statement files, Berlin',
      bankCode: 'statement-files',
      environment: 'production',
      credentials: { folder: FOLDER },
    },
  ];
}

/** Copies the example files to where a bank would deliver them, granted to this tenant. */
export function deliverStatements(statementsDir: string, tenantId: string): void {
  const folder = join(statementsDir, FOLDER);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, '.tenant'))) writeFileSync(join(folder, '.tenant'), `${tenantId}\n`);
  for (const name of readdirSync(SHIPPED)) {
    const file = join(folder, name);
    if (existsSync(file)) continue;
    copyFileSync(join(SHIPPED, name), file);
    // A file that has just changed counts as still being written and would be left for the next sync.
    const delivered = new Date(Date.now() - DELIVERED_BEFORE_MS);
    utimesSync(file, delivered, delivered);
  }
}

/**
 * The connection of the bank, ready to sync; `fresh` when it never had a complete sync. Steps that an earlier start did
 * not complete are repeated.
 */
export async function connect(
  client: BankClient,
  { company, title, bankCode, environment, credentials }: DemoBank,
): Promise<{ connection: BankConnection; fresh: boolean }> {
  const own = client.with({ company });
  const found = await connectionNamed(own, title);
  if (found?.syncHealth.lastSuccessAt !== undefined) return { connection: found, fresh: false };
  const { id } = found ?? (await own.openConnection({ bankCode, title, environment }));
  await own.putCredentials(id, credentials);
  const asked = await own.setUpConnection(id, { wait: 30 });
  let connection = asked;
  while (connection.syncHealth.status === 'running') {
    await wait(LOOK_AGAIN_MS);
    connection = await own.waitFor(asked).getConnection(id);
  }
  if (connection.subAccounts.length === 0) throw new Error(`${title}: the setup found no accounts`);
  return { connection, fresh: true };
}

async function connectionNamed(client: BankClient, title: string): Promise<BankConnection | undefined> {
  for await (const one of client.each.listConnections()) {
    if (one.title === title && one.archivedAt === undefined) return one;
  }
  return undefined;
}

/**
 * Starts a sync of each connection (or joins the running one) and waits until all have ended; `onProgress` gets the
 * number of recorded transactions.
 * @throws Error for a sync that does not complete
 */
export async function syncAll(
  client: BankClient,
  connections: readonly BankConnection[],
  onProgress: (inserted: number) => void,
): Promise<void> {
  const looks: (() => Promise<Sync>)[] = [];
  for (const { id, companies } of connections) {
    const asked = await client.with({ company: companies }).syncConnection(id);
    const syncId = answerOf(asked).headers.get('x-sync-id') ?? '';
    looks.push(() => client.waitFor(asked).getSync(id, syncId));
  }
  for (;;) {
    const syncs = await Promise.all(looks.map((look) => look()));
    onProgress(syncs.reduce((sum, { counts }) => sum + counts.inserted, 0));
    for (const [index, { status, error }] of syncs.entries()) {
      if (status !== 'failed' && status !== 'cancelled') continue;
      const { code = status, message = '' } = error ?? {};
      throw new Error(`the sync of ${connections[index]?.title} did not complete: ${code} ${message}`);
    }
    if (syncs.every(({ status }) => status === 'completed')) return;
    await wait(LOOK_AGAIN_MS);
  }
}
