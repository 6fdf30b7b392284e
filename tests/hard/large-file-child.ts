import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openLargeFiles } from '../../src/providers/statement-files/large-files.ts';
import { createStatementFiles } from '../../src/providers/statement-files/statement-files.ts';
import { accountsOf, present, sessionOf, unclaimed } from '../providers/sessions.ts';

/** What the child says at its end. */
export type LargeFileReport = {
  readonly rows: number;
  readonly lastBalance: string | null;
  /** By how much the memory of the process grew at the most, from when a small folder had been read. */
  readonly grownMb: number;
};

// Reads the folders `warm` and `large` below the one named, page by page as a sync does, in a process whose heap is
// bounded by its options, and prints what that took.
const [root = ''] = process.argv.slice(2);
const largeFiles = openLargeFiles({ folder: join(tmpdir(), `large-file-child-${process.pid}`) });
const bank = createStatementFiles({ statementsDir: root, folderOwners: unclaimed, largeFiles });

async function readFolder(folder: string): Promise<Pick<LargeFileReport, 'rows' | 'lastBalance'>> {
  const session = sessionOf({ folder }, { environment: 'production' });
  const account = present((await accountsOf(bank, session))[0]);
  let [rows, lastBalance, cursor]: [number, string | null, string | null] = [0, null, null];
  do {
    const window = { fromDay: '1970-01-01', toDay: '2040-01-01', cursor };
    const page = await bank.fetchPage(session, { account, ...window });
    const ofPage = page.listings.flatMap((listing) => listing.rows);
    rows += ofPage.length;
    lastBalance = ofPage.at(-1)?.balance ?? lastBalance;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return { rows, lastBalance };
}

await readFolder('warm');
const before = process.resourceUsage().maxRSS;
const read = await readFolder('large');
const grownMb = (process.resourceUsage().maxRSS - before) / 1024;
await largeFiles.close();
process.stdout.write(JSON.stringify({ ...read, grownMb } satisfies LargeFileReport));
