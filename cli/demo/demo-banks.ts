import { copyFileSync, existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { Api } from '../client/api.ts';
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

type SubAccount = { readonly currency: string };

export type Connection = {
  readonly id: string;
  readonly title: string;
  readonly companies: string;
  readonly subAccounts: readonly SubAccount[];
  readonly archivedAt?: string;
  readonly syncHealth: { readonly status: string; readonly lastSuccessAt?: string };
};

export type Sync = {
  readonly status: 'queued' | 'running' | 'completed' | 'failed' | 'cancelled';
  readonly counts: { readonly inserted: number };
  readonly error?: { readonly code: string; readonly message: string };
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
export async function connect(api: Api, bank: DemoBank): Promise<{ connection: Connection; fresh: boolean }> {
  const { company, title, bankCode, environment, credentials } = bank;
  const known = await api.all<Connection>('/banks/accounts', company);
  const found = known.find((one) => one.title === title && one.archivedAt === undefined);
  if (found?.syncHealth.lastSuccessAt !== undefined) return { connection: found, fresh: false };
  const opened =
    found ?? (await api.send<Connection>('POST', '/banks/accounts', company, { bankCode, title, environment }));
  const path = `/banks/accounts/${opened.id}`;
  await api.send('PUT', `${path}/credentials`, company, credentials);
  const connection = await api.send<Connection>('POST', `${path}/setup`, company, undefined, { prefer: 'wait=20' });
  if (connection.subAccounts.length === 0) throw new Error(`${title}: the setup found no accounts`);
  return { connection, fresh: true };
}

/**
 * Starts a sync of each connection (or joins the running one) and waits until all have ended; `onProgress` gets the
 * number of recorded transactions.
 * @throws Error for a sync that does not complete
 */
export async function syncAll(
  api: Api,
  connections: readonly Connection[],
  onProgress: (inserted: number) => void,
): Promise<void> {
  for (const { id, companies } of connections) await api.send('POST', `/banks/accounts/${id}/sync`, companies);
  for (;;) {
    const newest = await Promise.all(connections.map((connection) => newestSync(api, connection)));
    onProgress(newest.reduce((sum, sync) => sum + (sync?.counts.inserted ?? 0), 0));
    for (const [index, sync] of newest.entries()) {
      if (sync?.status !== 'failed' && sync?.status !== 'cancelled') continue;
      const { code = sync.status, message = '' } = sync.error ?? {};
      throw new Error(`the sync of ${connections[index]?.title} did not complete: ${code} ${message}`);
    }
    if (newest.every((sync) => sync?.status === 'completed')) return;
    await wait(LOOK_AGAIN_MS);
  }
}

async function newestSync(api: Api, { id, companies }: Connection): Promise<Sync | undefined> {
  const page = await api.get<{ items: Sync[] }>(`/banks/accounts/${id}/syncs`, companies, { limit: 1 });
  return page.items[0];
}
