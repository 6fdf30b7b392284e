import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FolderOwner } from './folder-owners.ts';
import { isBelow, isFolderName, OWNER_FILE } from './statements-folder.ts';

/** The folder's name is invalid, or leads outside the statements directory. */
export class FolderRefused extends Error {
  constructor(folder: string) {
    super(`${folder} is not a folder below the statements directory`);
    this.name = 'FolderRefused';
  }
}

/**
 * Grants a folder below the statements directory, with everything below it, to one company of one tenant; creates it
 * where it is missing, and replaces an earlier grant. Returns its path. @throws FolderRefused, Error of the file system
 */
export function grantFolder(statementsDir: string, folder: string, owner: FolderOwner): string {
  if (!isFolderName(folder)) throw new FolderRefused(folder);
  mkdirSync(join(statementsDir, folder), { recursive: true });
  const path = realpathSync(join(statementsDir, folder));
  if (!isBelow(path, realpathSync(statementsDir))) throw new FolderRefused(folder);
  writeFileSync(join(path, OWNER_FILE), `${owner.tenantId}\n${owner.companyId}\n`);
  return path;
}
