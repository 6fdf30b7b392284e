import { add, signed, subtract } from '../../shared/money.ts';
import type { ProviderTransaction } from '../bank-provider.ts';
import { batchOf } from './batch-reference.ts';
import { type BookedRow, kindOf } from './booked-rows.ts';
import { portRow } from './incoming-rows.ts';

/**
 * The payments that notifications (camt.054) list for batches, assigned to the booked rows of these. See
 * docs/adr/0025-payments-of-a-batch.md.
 */

/** Payments of one page: the rows after them go to the next one. */
const MOST_PAYMENTS = 10_000;

/** By account, currency, day, direction, amount and reference, in which a booked row and its batch agree. */
export type Batches = ReadonlyMap<string, readonly (readonly BookedRow[])[]>;

/** @param notifications the rows of each notification of one account, in the order of the files */
export function batchesOf(accountKey: string, notifications: readonly (readonly BookedRow[])[]): Batches {
  const batches = new Map<string, BookedRow[][]>();
  for (const rows of notifications) {
    const listed = new Map<string, Map<number, BookedRow[]>>();
    for (const row of rows) {
      if (row.reference === null) continue;
      const { nth, reference, ...batch } = batchOf(row.reference);
      const key = `${accountKey}/${row.day}/${kindOf(batch)} ${reference}`;
      const entries = listed.get(key) ?? new Map<number, BookedRow[]>();
      listed.set(key, entries);
      const payments = entries.get(nth) ?? [];
      entries.set(nth, payments);
      payments.push(row);
    }
    // A notification that is delivered again lists known batches.
    for (const [key, entries] of listed) if (!batches.has(key)) batches.set(key, [...entries.values()]);
  }
  return batches;
}

type Listing = { readonly listing: string; readonly rows: readonly ProviderTransaction[] };

/** Days on which rows may be batches: those with a reference of the bank. */
export function daysWithReferences(listings: readonly Listing[]): ReadonlySet<string> {
  const rows = listings.flatMap((listing) => listing.rows.filter((row) => row.references?.bankReference !== undefined));
  // The kind of the row follows the day, and neither holds a slash.
  return new Set(rows.flatMap(({ group }) => group?.key.split('/').at(-2) ?? []));
}

/**
 * The rows with their payments, each batch at one row. `kept`: how many rows there are, where not all are, because
 * their payments are more than a page should hold; else null.
 */
export function withPayments(
  listings: readonly Listing[],
  batches: Batches,
  most: number = MOST_PAYMENTS,
): { listings: Listing[]; kept: number | null } {
  const taken = new Map<string, number>();
  const given: Listing[] = [];
  let [kept, count] = [0, 0];
  for (const { listing, rows } of listings) {
    const split: ProviderTransaction[] = [];
    for (const row of rows) {
      const payments = nextPayments(row, batches, taken);
      count += payments?.length ?? 0;
      if (count > most && kept > 0) return { listings: [...given, { listing, rows: split }].filter(isFilled), kept };
      split.push(payments === null ? row : { ...row, details: portDetails(row, payments) });
      kept += 1;
    }
    given.push({ listing, rows: split });
  }
  return { listings: given, kept: null };
}

function isFilled({ rows }: Listing): boolean {
  return rows.length > 0;
}

function nextPayments(
  { group, references }: ProviderTransaction,
  batches: Batches,
  taken: Map<string, number>,
): readonly BookedRow[] | null {
  const key = `${group?.key} ${references?.bankReference}`;
  const nth = taken.get(key) ?? 0;
  const payments = batches.get(key)?.[nth];
  if (payments === undefined) return null;
  taken.set(key, nth + 1);
  return payments;
}

/** The running balance of the payments ends at the balance after the batch. */
function portDetails(
  batch: ProviderTransaction,
  payments: readonly BookedRow[],
): NonNullable<ProviderTransaction['details']> {
  let balance = batch.balance === null ? null : subtract(batch.balance, signed(batch.amount, batch.incoming));
  return payments.map((payment) => {
    balance = balance === null ? null : add(balance, signed(payment.amount, payment.incoming));
    return { ...portRow(payment), balance };
  });
}
