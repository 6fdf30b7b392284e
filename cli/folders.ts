import { resolve } from 'node:path';
import { readConfig } from '../src/config.ts';
import { FolderRefused, grantFolder } from '../src/providers/statement-files/folder-grant.ts';
import { EXIT_CONFIG, say, sayError } from './say.ts';

/** Exit code 0: granted; 1: the folder cannot be granted; 78: the configuration is wrong. */
export function grantStatementFolder(folder: string, { tenant, company }: { tenant: string; company: string }): void {
  const read = readConfig(process.env);
  if (!read.ok) {
    for (const fault of read.faults) sayError(fault);
    process.exitCode = EXIT_CONFIG;
    return;
  }
  try {
    const owner = { tenantId: tenant, companyId: company };
    const path = grantFolder(resolve(read.config.statementsDir), folder, owner);
    say(`${path} is granted to company ${company} of tenant ${tenant}`);
  } catch (error) {
    if (!(error instanceof FolderRefused) && !(error instanceof Error && 'code' in error)) throw error;
    sayError(error.message);
    process.exitCode = 1;
  }
}
