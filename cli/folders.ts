import { resolve } from 'node:path';
import { FolderRefused, grantFolder } from '../src/providers/statement-files/folder-grant.ts';
import { readConfiguration } from './configuration.ts';
import { refuse, say } from './say.ts';

/** Exit code 0: granted; 1: the folder cannot be granted; 78: the configuration is wrong. */
export function grantStatementFolder(folder: string, { tenant, company }: { tenant: string; company: string }): void {
  const config = readConfiguration();
  if (config === null) return;
  try {
    const owner = { tenantId: tenant, companyId: company };
    const path = grantFolder(resolve(config.statementsDir), folder, owner);
    say(`${path} is granted to company ${company} of tenant ${tenant}`);
  } catch (error) {
    if (!(error instanceof FolderRefused) && !(error instanceof Error && 'code' in error)) throw error;
    refuse(error.message);
  }
}
