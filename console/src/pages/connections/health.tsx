import type { BankConnection } from '../../../../sdk/src/index.ts';
import { BankReason } from '../../parts/bank-words.tsx';
import { StateWord } from '../../parts/state-word.tsx';
import { connectionWords } from './words.ts';

const TONES = {
  never: 'none',
  running: 'warn',
  healthy: 'good',
  degraded: 'warn',
  failing: 'bad',
  rate_limited: 'warn',
  credentials_rejected: 'bad',
} as const;

/** How a connection is, in a sign and words. */
export function Health({ connection }: { readonly connection: BankConnection }) {
  const w = connectionWords();
  if (connection.archivedAt !== undefined) return <StateWord tone="none">{w.archived}</StateWord>;
  if (!connection.status) return <StateWord tone="none">{w.disabled}</StateWord>;
  const { status } = connection.syncHealth;
  return <StateWord tone={TONES[status]}>{w.health[status]}</StateWord>;
}

/** Why the last attempt failed, in the bank's words and with its code; nothing where it did not. */
export function HealthReason({ connection: { syncHealth } }: { readonly connection: BankConnection }) {
  const { status, lastErrorCode, lastErrorMessage } = syncHealth;
  if (status === 'healthy' || status === 'running' || lastErrorCode === undefined) return null;
  return (
    <div class="small">
      <BankReason code={lastErrorCode} message={lastErrorMessage} />
    </div>
  );
}
