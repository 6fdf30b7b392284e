import { z } from 'zod';
import { type CredentialField, ProviderError, type ProviderSession } from '../bank-provider.ts';
import { type FaultScript, faultScript, NO_FAULTS } from './fault-script.ts';

export const DEMO_FIELDS: readonly CredentialField[] = [
  {
    name: 'seed',
    type: 'string',
    required: false,
    secret: false,
    maxLength: 100,
    description:
      'A text or whole number that fixes everything this bank makes up. Two connections with one seed see the same ' +
      'accounts and rows. Unset: each connection has a bank of its own.',
  },
  {
    name: 'transactionsPerDay',
    type: 'integer',
    required: false,
    secret: false,
    minimum: 1,
    maximum: 20_000,
    description: 'Rows of a whole day, all accounts together. Default 12. Another number is another history.',
  },
  {
    name: 'script',
    type: 'object',
    required: false,
    secret: false,
    description:
      'What goes wrong and where: { steps: [{ at: { operation: "accounts" or "page", page?, request?, account?, ' +
      'attempts? }, do }] }, `do` being time-out, unavailable, rate-limit (retryAfterMs), reject-credentials, ' +
      'repeat-page, send-twice, reorder, withdraw (count), re-issue (count), blank-ids or change-accounts.',
  },
];

const schema = z.strictObject({
  seed: z.union([z.string().max(100), z.int()]).optional(),
  transactionsPerDay: z.int().min(1).max(20_000).optional(),
  script: faultScript.optional(),
});

export type DemoCredentials = {
  readonly seed: string;
  readonly transactionsPerDay: number;
  readonly script: FaultScript;
};

/** What the catalogue's fields cannot say: that a seed may be a number, and how a script is made. */
export function demoCredentialIssues(input: unknown): { path: string; code: string; message: string }[] {
  const parsed = schema.safeParse(input);
  if (parsed.success) return [];
  return parsed.error.issues.map(({ path, code, message }) => ({ path: path.join('.'), code, message }));
}

/** @throws ProviderError for credentials that were not checked before they were stored */
export function demoCredentials({ credentials, connectionId }: ProviderSession): DemoCredentials {
  const parsed = schema.safeParse(credentials);
  if (!parsed.success) {
    throw new ProviderError(
      'permanent',
      'PROVIDER_CREDENTIALS_INVALID',
      'the stored credentials do not fit the demo bank',
    );
  }
  const { seed = `connection ${connectionId}`, transactionsPerDay = 12, script = NO_FAULTS } = parsed.data;
  return { seed: String(seed), transactionsPerDay, script };
}
