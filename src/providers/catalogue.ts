import type { BankDescription, BankProvider, CredentialField, Environment } from './bank-provider.ts';
import { createDemoBank } from './demo/demo-bank.ts';
import { demoCredentialIssues } from './demo/demo-credentials.ts';
import { settingsIssues } from './statement-files/file-settings.ts';
import type { FolderOwners } from './statement-files/folder-owners.ts';
import type { LargeFiles } from './statement-files/large-files.ts';
import { createStatementFiles } from './statement-files/statement-files.ts';
import { folderIssues } from './statement-files/statements-folder.ts';

/**
 * Every bank this service knows, by its `bankCode`. `statementsDir`: the absolute folder below which statements are
 * delivered. `others` take the place of what has their code.
 */
export function createProviders(options: {
  statementsDir: string;
  folderOwners: FolderOwners;
  /** Whether `demo` is among them. */
  demoBank: boolean;
  largeFiles?: LargeFiles;
  others?: readonly BankProvider[];
}): ReadonlyMap<string, BankProvider> {
  const demo = options.demoBank ? [createDemoBank()] : [];
  const providers = [...demo, createStatementFiles(options), ...(options.others ?? [])];
  return new Map(providers.map((provider) => [provider.description.bankCode, provider]));
}

/** `path` is the field's name, dotted below it; empty for the whole. The message never holds the value. */
export type CredentialIssue = { readonly path: string; readonly code: string; readonly message: string };

export type CredentialCheck =
  | { readonly ok: true; readonly credentials: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly issues: readonly CredentialIssue[] };

/** What a bank checks beyond the kinds and bounds of its fields. */
const FURTHER_CHECKS: Readonly<Record<string, (input: Readonly<Record<string, unknown>>) => CredentialIssue[]>> = {
  demo: demoCredentialIssues,
  'statement-files': (input) => [...folderIssues(input), ...settingsIssues(input)],
};

const LONGEST_TEXT = 4096;

/**
 * Credentials as a caller gave them against what the bank asks for in that environment: closed, every issue at once. A
 * text field also takes a whole number, as its digits.
 */
export function checkCredentials(
  description: BankDescription,
  environment: Environment,
  input: unknown,
): CredentialCheck {
  const fields = description.credentials[environment];
  if (fields === undefined) {
    return refused([
      { path: '', code: 'environment_not_supported', message: `${description.bankCode} has no ${environment} mode` },
    ]);
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    return refused([{ path: '', code: 'invalid_type', message: 'must be an object' }]);
  }
  const given = new Map<string, unknown>(Object.entries(input));
  const known = new Set(fields.map(({ name }) => name));
  const issues: CredentialIssue[] = [...given.keys()]
    .filter((name) => !known.has(name))
    .map((name) => ({
      path: name.slice(0, 64),
      code: 'unrecognized_key',
      message: 'is not a credential of this bank',
    }));
  const credentials: Record<string, unknown> = {};
  for (const field of fields) {
    const value = given.get(field.name);
    if (value === undefined) {
      if (field.required) issues.push({ path: field.name, code: 'required', message: 'is required' });
      continue;
    }
    const read = field.type === 'string' && Number.isSafeInteger(value) ? String(value) : value;
    const wrong = fieldIssue(field, read);
    if (wrong === null) credentials[field.name] = read;
    else issues.push({ path: field.name, ...wrong });
  }
  if (issues.length === 0) issues.push(...(FURTHER_CHECKS[description.bankCode]?.(credentials) ?? []));
  return issues.length === 0 ? { ok: true, credentials } : refused(issues);
}

function fieldIssue(field: CredentialField, value: unknown): Omit<CredentialIssue, 'path'> | null {
  switch (field.type) {
    case 'string': {
      const longest = field.maxLength ?? LONGEST_TEXT;
      if (typeof value !== 'string') return { code: 'invalid_type', message: 'must be a text' };
      if (field.required && value.trim() === '') return { code: 'too_small', message: 'must not be blank' };
      return value.length <= longest ? null : { code: 'too_big', message: `must have at most ${longest} characters` };
    }
    case 'integer': {
      const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = field;
      if (!Number.isSafeInteger(value)) return { code: 'invalid_type', message: 'must be a whole number' };
      if (Number(value) < minimum) return { code: 'too_small', message: `must be at least ${minimum}` };
      return Number(value) <= maximum ? null : { code: 'too_big', message: `must be at most ${maximum}` };
    }
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
        ? null
        : { code: 'invalid_type', message: 'must be an object' };
  }
}

function refused(issues: readonly CredentialIssue[]): CredentialCheck {
  return { ok: false, issues };
}
