import type { ProviderAccount } from '../bank-provider.ts';
import type { ClosingSummary } from './file-content.ts';

/** The accounts, sorted by key, each as of its latest statement. */
export function accountsOf(summaries: readonly ClosingSummary[]): ProviderAccount[] {
  const latest = new Map<string, ClosingSummary>();
  const lastDates = new Map<string, string>();
  for (const summary of summaries) {
    const { key } = summary.account;
    const known = latest.get(key);
    if (known === undefined || isLater(summary, known)) latest.set(key, summary);
    const date = summary.lastTransactionDate ?? '';
    if (date > (lastDates.get(key) ?? '')) lastDates.set(key, date);
  }
  return [...latest.keys()].sort().flatMap((key) => {
    const summary = latest.get(key);
    return summary === undefined ? [] : [toAccount(summary, lastDates.get(key) ?? null)];
  });
}

/**
 * Of two statements of the same day, the later one is the one that continues from the other; if neither does, the one
 * later in the folder.
 */
function isLater(next: ClosingSummary, than: ClosingSummary): boolean {
  if (next.closingDay !== than.closingDay) return next.closingDay > than.closingDay;
  return next.opening === than.balance || than.opening !== next.balance;
}

function toAccount(
  { account, balance, available }: ClosingSummary,
  lastTransactionDate: string | null,
): ProviderAccount {
  const { key, currency, iban, accountNo, accountName, accountType, branchId, branchName } = account;
  return {
    providerAccountId: key,
    currency,
    balance,
    availableBalance: available,
    blockedBalance: null,
    customerNo: null,
    accountNo,
    iban,
    accountType,
    accountName,
    branchId,
    branchName,
    openingDate: null,
    lastTransactionDate,
  };
}
