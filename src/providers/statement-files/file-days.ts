import type { PageRequest, ProviderPage } from '../bank-provider.ts';
import type { FileOutline } from './file-content.ts';
import type { AccountPlaces } from './folder-index.ts';
import { bookedDay } from './incoming-rows.ts';
import type { PageDays } from './recorded-days.ts';

/** The days of a file that a page request covers, and which of them are left out because they are already recorded. */
export type FileDays = {
  readonly areAsked: boolean;
  readonly isLeftOut: (day: string) => boolean;
  readonly areAllLeftOut: boolean;
  /** How many rows of the file are left out; a batch with payments counts as its payments. */
  readonly rowsLeftOut: number;
  /** Records for the pass what a page lists for these days. Null: the file could not be read. */
  readonly noteListed: (listings: ProviderPage['listings'] | null) => void;
};

/** A bank's day may differ from the UTC day by up to one, so every requested row or balance is on one of these days. */
export function spanOf({ fromDay, toDay }: PageRequest): { readonly fromDay: string; readonly toDay: string } {
  return { fromDay: daysFrom(fromDay, -1), toDay };
}

export function openFileDays(
  { name, outline, places }: { readonly name: string; readonly outline: FileOutline; readonly places: AccountPlaces },
  request: PageRequest,
  days: PageDays,
): FileDays {
  const own = [...outline.summaries.entries()].filter(
    // Payments of a notification are looked up where their batch is booked.
    ([, { account, format }]) => account.key === request.account.providerAccountId && format !== 'camt.054',
  );
  const asked = new Set<string>();
  const span = spanOf(request);
  const addAsked = (day: string): void => {
    if (day >= span.fromDay && day <= span.toDay) asked.add(day);
  };
  for (const [index, { closingDay }] of own) {
    addAsked(closingDay);
    for (const { day } of outline.days[index] ?? []) addAsked(day);
  }
  // Days for which every row is requested.
  const [first, last] = [daysFrom(request.fromDay, 1), daysFrom(request.toDay, -2)];
  const whole = [...asked].filter((day) => day >= first && day <= last);
  const leftOut = new Set(whole.filter((day) => days.isRecorded(day, places.printOf(day))));

  function rowsLeftOut(): number {
    let rows = 0;
    for (const [index, { intraday }] of own) {
      for (const one of outline.days[index] ?? []) {
        if (leftOut.has(one.day) && (intraday === null || !places.isFinal(one.day))) rows += one.rows;
      }
    }
    for (const day of leftOut) rows += days.paymentsOf(day, name);
    return rows;
  }

  return {
    areAsked: asked.size > 0,
    isLeftOut: (day) => leftOut.has(day),
    areAllLeftOut: leftOut.size === asked.size,
    rowsLeftOut: rowsLeftOut(),
    noteListed(listings) {
      const payments = listings === null ? new Map<string, number>() : furtherPayments(listings);
      for (const day of whole) {
        const print = listings === null ? null : places.printOf(day);
        const further = leftOut.has(day) ? days.paymentsOf(day, name) : (payments.get(day) ?? 0);
        days.seen(day, print, name, further);
      }
    },
  };
}

/** How many more payments than batches are listed for each day. */
function furtherPayments(listings: ProviderPage['listings']): Map<string, number> {
  const found = new Map<string, number>();
  for (const row of listings.flatMap(({ rows }) => rows)) {
    const day = bookedDay(row);
    const payments = row.details?.length ?? 0;
    if (day === undefined || payments === 0) continue;
    found.set(day, (found.get(day) ?? 0) + payments - 1);
  }
  return found;
}

function daysFrom(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10);
}
