import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import type { EventLog } from '../../src/log/log.ts';
import type { BankProvider } from '../../src/providers/bank-provider.ts';
import { createStatementFiles } from '../../src/providers/statement-files/statement-files.ts';
import { NOW_MS, sessionOf, unclaimed } from '../providers/sessions.ts';
import { memoryLog } from './small-reactor-services.ts';
import { openStatementLedger, type StatementLedger } from './statement-ledger.ts';

/** A folder of statements of its own, and what its syncs have recorded. */
export type StatementCase = {
  /** All cases of a test file record in this one. */
  readonly log: EventLog;
  readonly bank: BankProvider;
  readonly ledger: StatementLedger;
  readonly session: () => ReturnType<typeof sessionOf>;
  /** Another bank on the same folder, without memory of what it has read. */
  readonly newBank: () => BankProvider;
  /** Writes a file that is old enough to be read. */
  readonly deliver: (name: string, content: string) => Promise<void>;
  /** Does nothing where there is no such file. */
  readonly remove: (name: string) => Promise<void>;
};

const DELIVERED = new Date(NOW_MS - 3_600_000);

/** Registers the set-up of a test file. @returns what opens a new case */
export function statementCases(credentials: Readonly<Record<string, unknown>> = {}): () => Promise<StatementCase> {
  let root: string;
  let log: EventLog;
  let cases = 0;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'statements-'));
    log = memoryLog();
  });
  afterAll(async () => {
    await log.close();
    await rm(root, { recursive: true });
  });
  return async () => {
    cases += 1;
    const folder = `case-${cases}`;
    const path = join(root, folder);
    await mkdir(path);
    const session = () => sessionOf({ folder, ...credentials }, { environment: 'production', tenantId: folder });
    const newBank = () => createStatementFiles({ statementsDir: root, folderOwners: unclaimed });
    const bank = newBank();
    return {
      log,
      bank,
      ledger: await openStatementLedger(log, bank, session, folder),
      session,
      newBank,
      async deliver(name, content) {
        await writeFile(join(path, name), content);
        await utimes(join(path, name), DELIVERED, DELIVERED);
      },
      remove: (name) => rm(join(path, name), { force: true }),
    };
  };
}
