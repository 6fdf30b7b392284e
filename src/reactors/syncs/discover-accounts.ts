import { noteAccounts } from '../../commands/change-connection.ts';
import type { CommandContext } from '../../commands/command.ts';
import type { SubAccount } from '../../events/bank-connection.ts';
import type { SyncRunDocument } from '../../projections/sync-runs.ts';
import type { SourceFault } from '../../providers/bank-provider.ts';
import type { BankSession } from './bank-session.ts';
import { claimedSubAccounts, toProviderAccount } from './sub-accounts.ts';

/**
 * Asks the bank for the accounts of a connection and records them. `accounts`: those that the company owns, by their
 * keys. @throws as `BankSession.call`
 */
export async function discoverAccounts(
  context: CommandContext,
  run: SyncRunDocument,
  session: BankSession,
  signal: AbortSignal,
) {
  const found = await session.call({ operation: 'accounts', page: null }, signal, (asked) =>
    session.provider.discoverAccounts(asked),
  );
  const masked = (fault: SourceFault): SourceFault => maskedFault(session, fault);
  const seen = await claimedSubAccounts(context, run, found.accounts);
  await noteAccounts(context, run.accountId, { syncId: run.id, subAccounts: seen });
  const [own, others] = [seen.filter((one) => !one.ownedElsewhere), seen.filter((one) => one.ownedElsewhere)];
  const accounts = new Map(own.map((account) => [account.subAccountKey, toProviderAccount(account)]));
  const notes = [...(found.notes ?? []).map(masked), ...others.map(ownedElsewhere)];
  return { accounts, faults: found.faults.map(masked), notes };
}

function ownedElsewhere({ iban, accountNo, subAccountKey }: SubAccount): SourceFault {
  return {
    code: 'ACCOUNT_OWNED_ELSEWHERE',
    message: 'another company of the tenant owns this account; nothing of it was synced',
    source: iban ?? accountNo ?? subAccountKey,
    place: null,
  };
}

/**
 * People search for a source by name, so names from a bank without secrets, such as a file with an IBAN in its name,
 * stay unmasked.
 */
export function maskedFault(session: BankSession, { code, message, source, place }: SourceFault): SourceFault {
  const { provider, masking } = session;
  const modes = Object.values(provider.description.credentials);
  const hasSecrets = modes.some(({ jsonSchema }) => Object.values(jsonSchema.properties).some((one) => one.writeOnly));
  return {
    code,
    message: masking.text(message),
    source: hasSecrets ? masking.text(source) : source,
    place: place === null ? null : masking.text(place),
  };
}
