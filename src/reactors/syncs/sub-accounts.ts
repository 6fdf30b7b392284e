import type { SubAccount } from '../../events/bank-connection.ts';
import type { ProviderAccount } from '../../providers/bank-provider.ts';
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

/** An unknown balance as events hold it. */
export function recordedBalance(balance: Decimal | null): { balance: Decimal; balanceStated?: false } {
  return balance === null ? { balance: '0', balanceStated: false } : { balance };
}

export function toProviderAccount({ subAccountKey: _, balanceStated, ...account }: SubAccount): ProviderAccount {
  return balanceStated === false ? { ...account, balance: null } : account;
}
