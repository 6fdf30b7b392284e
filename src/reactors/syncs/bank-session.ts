import type { BankProvider, ProviderSession } from '../../providers/bank-provider.ts';
import { ProviderError } from '../../providers/bank-provider.ts';
import { VaultError } from '../../providers/vault.ts';
import type { World } from '../world.ts';

/** A provider with what a call to it needs, and the number of requests sent since last asked. */
export type BankSession = {
  readonly provider: BankProvider;
  readonly session: (signal: AbortSignal) => ProviderSession;
  readonly takeRequests: () => number;
};

/**
 * Opens the vault for one connection.
 * @throws ProviderError (permanent) when the bank is gone from the catalogue or its credentials cannot be read
 */
export async function openBankSession(
  world: World,
  connection: { tenantId: string; accountId: string; bankCode: string; environment: 'demo' | 'production' },
): Promise<BankSession> {
  const provider = world.providers.get(connection.bankCode);
  if (provider === undefined)
    throw new ProviderError('permanent', 'BANK_NOT_SUPPORTED', 'the bank is not in the catalogue');
  const credentials = await readCredentials(world, connection);
  let requests = 0;
  return {
    provider,
    session: (signal) => ({
      tenantId: connection.tenantId,
      connectionId: connection.accountId,
      environment: connection.environment,
      credentials,
      nowMs: world.clock.now(),
      signal,
      countRequest: () => {
        requests += 1;
      },
    }),
    takeRequests: () => {
      const sent = requests;
      requests = 0;
      return sent;
    },
  };
}

async function readCredentials(
  world: World,
  { tenantId, accountId }: { tenantId: string; accountId: string },
): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await world.vault.get(tenantId, accountId))?.fields ?? {};
  } catch (error) {
    if (!(error instanceof VaultError)) throw error;
    throw new ProviderError(
      'permanent',
      'CREDENTIALS_UNREADABLE',
      'the stored credentials cannot be read; put them again',
    );
  }
}
