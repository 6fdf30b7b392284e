import { add, type Decimal, subtract } from '../../shared/money.ts';
import type { ProviderAccount } from '../bank-provider.ts';
import { accountsOf } from './account-list.ts';
import type { ClosingSummary } from './file-content.ts';

type Report = ClosingSummary & { readonly intraday: NonNullable<ClosingSummary['intraday']> };

/**
 * The accounts of a folder as of their latest statement, updated by the reports of a later day. Each report lists the
 * whole day so far, so only the last one counts; parts of one (made at the same moment) are added up. Its pending rows
 * count in the available balance in addition to its booked ones, unless the bank states that balance itself.
 */
export function accountsWithReports(given: readonly ClosingSummary[]): ProviderAccount[] {
  // A notification states no balance, and adds no account to those of statements.
  const summaries = given.filter(({ format }) => format !== 'camt.054');
  const finals = summaries.filter((summary) => summary.intraday === null);
  const lastDays = new Map<string, string>();
  for (const { account, closingDay, balance } of finals) {
    if (balance !== null && closingDay > (lastDays.get(account.key) ?? '')) lastDays.set(account.key, closingDay);
  }
  const latest = new Map<string, Report[]>();
  for (const summary of summaries) {
    if (!isReport(summary)) continue;
    const { key } = summary.account;
    if (summary.intraday.asOf.slice(0, 10) <= (lastDays.get(key) ?? '')) continue;
    const known = latest.get(key) ?? [];
    const before = known[0]?.intraday.asOf ?? '';
    if (summary.intraday.asOf > before) latest.set(key, [summary]);
    else if (summary.intraday.asOf === before && !known.some((one) => isSame(one, summary))) known.push(summary);
  }
  const settled = new Map(accountsOf(finals).map((account) => [account.providerAccountId, account]));
  const reported = accountsOf(summaries.filter((summary) => isReport(summary) && latest.has(summary.account.key)));
  for (const account of reported) {
    const key = account.providerAccountId;
    settled.set(key, withReports(settled.get(key), account, latest.get(key) ?? []));
  }
  return [...settled.values()].sort((a, b) => (a.providerAccountId < b.providerAccountId ? -1 : 1));
}

function isReport(summary: ClosingSummary): summary is Report {
  return summary.intraday !== null;
}

/** The same report delivered twice. */
function isSame(one: Report, other: Report): boolean {
  return JSON.stringify([one.intraday, one.balance]) === JSON.stringify([other.intraday, other.balance]);
}

function withReports(
  settled: ProviderAccount | undefined,
  account: ProviderAccount,
  reports: readonly Report[],
): ProviderAccount {
  const known = settled ?? { ...account, balance: null, availableBalance: null };
  const balance = lastOf(reports, (report) => report.stated);
  const stated = lastOf(reports, ({ available }) => available);
  const booked = sumOf(reports.map(({ intraday }) => intraday.booked));
  const moved = balance !== null && known.balance !== null ? subtract(balance, known.balance) : booked;
  const before = known.availableBalance ?? known.balance;
  const reached = before === null ? balance : add(before, moved);
  const pending = sumOf(reports.map(({ intraday }) => intraday.pending));
  const dates = [known.lastTransactionDate, account.lastTransactionDate].filter((date) => date !== null).sort();
  return {
    ...known,
    balance: balance ?? known.balance,
    availableBalance: stated ?? (reached === null ? null : add(reached, pending)),
    lastTransactionDate: dates.at(-1) ?? null,
  };
}

function lastOf(reports: readonly Report[], read: (report: Report) => Decimal | null): Decimal | null {
  return reports.reduce<Decimal | null>((last, report) => read(report) ?? last, null);
}

function sumOf(amounts: readonly Decimal[]): Decimal {
  return amounts.reduce((sum, amount) => add(sum, amount), '0');
}
