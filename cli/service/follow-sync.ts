import { setTimeout as pause } from 'node:timers/promises';
import type { BankClient, BankConnection, Sync } from '../../sdk/src/index.ts';
import { count, say, sayError } from '../say.ts';
import { CONNECTION_COLUMNS } from './connection-columns.ts';
import { onOneLine, sayJson, sayTable } from './output.ts';
import type { LastHeaders } from './with-client.ts';

const LOOK_AGAIN_MS = 250;
const USUAL_COLUMNS = 80;
const ENDED: ReadonlySet<Sync['status']> = new Set(['completed', 'failed', 'cancelled']);

/**
 * Follows a sync or setup that was asked for to its end, and prints the connection as it is then. How far it is goes to
 * standard error, on a terminal only. The exit code says whether it completed.
 * @param start asks for it; the answer names it in `x-sync-id`
 */
export async function followSync(
  { client, lastHeaders, json = false }: { client: BankClient; lastHeaders: LastHeaders; json?: boolean | undefined },
  start: () => Promise<BankConnection>,
): Promise<void> {
  const asked = await start();
  const syncId = lastHeaders()?.get('x-sync-id') ?? '';
  const line = openLine();
  let sync = await client.waitFor(asked).getSync(asked.id, syncId);
  for (; !ENDED.has(sync.status); sync = await client.getSync(asked.id, syncId)) {
    line.show(progressOf(sync));
    await pause(LOOK_AGAIN_MS);
  }
  line.end();
  const connection = await client.waitFor(sync).getConnection(asked.id);
  if (json) sayJson(connection);
  else {
    sayTable([connection], CONNECTION_COLUMNS);
    say(summaryOf(sync));
  }
  if (sync.status === 'completed') return;
  process.exitCode = 1;
  const { code, message } = sync.error ?? { code: sync.status.toUpperCase(), message: 'it did not complete' };
  sayError(onOneLine(`${code}: ${message}`));
}

/** "running, 5 windows, account 1 of 2, 13 pages, 412 rows". */
export function progressOf({ status, windows, pages, counts, subAccounts, nextAttemptAt }: Sync): string {
  const begun = subAccounts.filter((one) => one.pages > 0).length;
  const accounts = new Set(windows.map(({ subAccountKey }) => subAccountKey)).size;
  return [
    nextAttemptAt === undefined ? status : `next attempt at ${nextAttemptAt}`,
    ...(windows.length === 0 ? [] : [`${count(windows.length)} windows`]),
    ...(begun === 0 ? [] : [`account ${count(begun)} of ${count(Math.max(begun, accounts))}`]),
    `${count(pages)} pages`,
    `${count(counts.fetched)} rows`,
  ].join(', ');
}

function summaryOf({ status, pages, counts: { fetched, inserted, duplicates } }: Sync): string {
  return `${status}: ${count(pages)} pages, ${count(fetched)} rows, ${count(inserted)} new, ${count(duplicates)} known`;
}

/** One line that is written over; nothing where standard error is no terminal. */
function openLine(): { readonly show: (text: string) => void; readonly end: () => void } {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => undefined, end: () => undefined };
  return {
    show: (text) => {
      stderr.write(`\r\u001b[K${onOneLine(text).slice(0, (stderr.columns || USUAL_COLUMNS) - 1)}`);
    },
    end: () => {
      stderr.write('\r\u001b[K');
    },
  };
}
