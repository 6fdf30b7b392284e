import type { BankDescription, BankProvider, Environment } from './bank-provider.ts';
import { type CredentialCheck, checkDeclared } from './credentials.ts';
import { createDemoBank } from './demo/demo-bank.ts';
import type { FolderOwners } from './statement-files/folder-owners.ts';
import type { LargeFiles } from './statement-files/large-files.ts';
import { createStatementFiles } from './statement-files/statement-files.ts';

/**
 * Every bank this service supports, by its `bankCode`. `statementsDir`: the absolute path of the folder below which
 * statements are delivered. A bank of `others` replaces the one with the same code.
 */
export function createProviders(options: {
  statementsDir: string;
  folderOwners: FolderOwners;
  /** Whether `demo` is one of them. */
  demoBank: boolean;
  largeFiles?: LargeFiles;
  others?: readonly BankProvider[];
}): ReadonlyMap<string, BankProvider> {
  const demo = options.demoBank ? [createDemoBank()] : [];
  const providers = [...demo, createStatementFiles(options), ...(options.others ?? [])];
  return new Map(providers.map((provider) => [provider.description.bankCode, provider]));
}

/** Credentials as a caller gave them against what the bank takes in that environment. */
export function checkCredentials(
  { bankCode, credentials }: BankDescription,
  environment: Environment,
  input: unknown,
): CredentialCheck {
  const declared = credentials[environment];
  if (declared !== undefined) return checkDeclared(declared, input);
  const message = `${bankCode} has no ${environment} mode`;
  return { ok: false, issues: [{ path: '', code: 'environment_not_supported', message }] };
}
