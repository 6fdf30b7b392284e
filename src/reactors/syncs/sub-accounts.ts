import { claimSubAccount } from '../../commands/claim-sub-account.ts';
import type { CommandContext } from '../../commands/command.ts';
import type { SubAccount } from '../../events/bank-connection.ts';
import type { ProviderAccount } from '../../providers/bank-provider.ts';
import { isoTime } from '../../shared/clock.ts';
import { computedId } from '../../shared/ids.ts';
import type { Decimal } from '../../shared/money.ts';

/**
 * The key of a physical account: the same for every connection of the tenant that sees it and after every setup, so
 * that rows, balances and completeness of one account meet whichever connection brought them.
 */
export function subAccountKeyOf(tenantId: string, bankCode: string, account: ProviderAccount): string {
  return computedId('sub-account', tenantId, bankCode, account.providerAccountId, account.currency);
}

export function toSubAccount(tenantId: string, bankCode: string, account: ProviderAccount): SubAccount {
  const { balance } = account;
  return { subAccountKey: subAccountKeyOf(tenantId, bankCode, account), ...account, ...recordedBalance(balance) };
}

/**
 * The accounts that the bank lists, each once. One that another company of the tenant owns is marked; one that nobody
 * owns yet becomes the connection's company's. @throws LogUnavailable
 */
export async function claimedSubAccounts(
  context: CommandContext,
  connection: { readonly accountId: string; readonly bankCode: string },
  accounts: readonly ProviderAccount[],
): Promise<SubAccount[]> {
  const { accountId, bankCode } = connection;
  const found = accounts.map((account) => toSubAccount(context.tenantId, bankCode, account));
  const claimed: SubAccount[] = [];
  for (const account of new Map(found.map((one) => [one.subAccountKey, one])).values()) {
    const { subAccountKey } = account;
    const claimedAt = isoTime(context.clock.now());
    const isOwn = await claimSubAccount(context, { subAccountKey, accountId, bankCode, claimedAt });
    claimed.push(isOwn ? account : { ...account, ownedElsewhere: true });
  }
  return claimed;
}

/** An unknown balance as events hold it. */
export function recordedBalance(balance: Decimal | null): { balance: Decimal; balanceStated?: false } {
  return balance === null ? { balance: '0', balanceStated: false } : { balance };
}

export function toProviderAccount({
  subAccountKey,
  ownedElsewhere,
  balanceStated,
  ...account
}: SubAccount): ProviderAccount {
  return balanceStated === false ? { ...account, balance: null } : account;
}
