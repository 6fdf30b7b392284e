import { ProviderError, type ProviderSession } from '../bank-provider.ts';
import { declareCredentials, text, wholeNumber } from '../credentials.ts';
import { type FaultScript, faultScript, NO_FAULTS } from './fault-script.ts';

export const DEMO_CREDENTIALS = declareCredentials({
  seed: text(100)
    .optional()
    .meta({
      description:
        'A text or whole number from which this bank generates everything. Two connections with the same seed see the ' +
        'same accounts and rows. Without it, each connection has data of its own.',
    }),
  transactionsPerDay: wholeNumber(1, 20_000).optional().meta({
    description: 'Rows per day over all accounts. Default 12. Another number gives another history.',
  }),
  script: faultScript.optional().meta({
    description:
      'What goes wrong and where: { steps: [{ at: { operation: "accounts" or "page", page?, request?, account?, ' +
      'attempts? }, do }] }, `do` being time-out, unavailable, rate-limit (retryAfterMs), reject-credentials, ' +
      'repeat-page, send-twice, reorder, withdraw (count), re-issue (count), blank-ids or change-accounts.',
  }),
});

export type DemoCredentials = {
  readonly seed: string;
  readonly transactionsPerDay: number;
  readonly script: FaultScript;
};

/** @throws ProviderError for credentials that were not checked before they were stored */
export function demoCredentials({ credentials, connectionId }: ProviderSession): DemoCredentials {
  const parsed = DEMO_CREDENTIALS.schema.safeParse(credentials);
  if (!parsed.success) {
    throw new ProviderError(
      'permanent',
      'PROVIDER_CREDENTIALS_INVALID',
      'the stored credentials do not fit the demo bank',
    );
  }
  const { seed = `connection ${connectionId}`, transactionsPerDay = 12, script = NO_FAULTS } = parsed.data;
  return { seed, transactionsPerDay, script };
}
