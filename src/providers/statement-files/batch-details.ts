import { add, signed, subtract } from '../../shared/money.ts';
import type { ProviderTransaction } from '../bank-provider.ts';
import { batchOf } from './batch-reference.ts';
import { type BookedRow, kindOf } from './booked-rows.ts';
import { bookedDay, portRow } from './incoming-rows.ts';

/**
 * Assigns the payments that notifications (camt.054) list for batches to the booked rows of these batches. See
 * docs/adr/0025-payments-of-a-batch.md.
 */

/** The most payments on one page: the rows after them go to the next one. */
const MOST_PAYMENTS = 10_000;

/** The batches of each group: account, currency, day, direction and amount. */
export type Batches = ReadonlyMap<string, readonly ListedBatch[]>;

export type ListedBatch = { readonly reference: string | null; readonly payments: readonly BookedRow[] };

/** @param notifications the rows of each notification of one account, in the order of the files */
export function batchesOf(accountKey: string, notifications: readonly (readonly BookedRow[])[]): Batches {
  const batches = new Map<string, ListedBatch[]>();
  const known = new Set<string>();
  for (const rows of notifications) {
    const listed = new Map<string, { key: string; reference: string | null; entries: Map<number, BookedRow[]> }>();
    for (const row of rows) {
      if (row.reference === null) continue;
      const { nth, reference, ...batch } = batchOf(row.reference);
      const key = `${accountKey}/${row.day}/${kindOf(batch)}`;
      const id = `${key} ${reference}`;
      const found = listed.get(id) ?? { key, reference, entries: new Map<number, BookedRow[]>() };
      listed.set(id, found);
      const payments = found.entries.get(nth) ?? [];
      found.entries.set(nth, payments);
      payments.push(row);
    }
    for (const [id, { key, reference, entries }] of listed) {
      // A notification that is delivered again lists the same batches.
      if (known.has(id)) continue;
      known.add(id);
      const ofGroup = batches.get(key) ?? [];
      ofGroup.push(...entries.values().map((payments) => ({ reference, payments })));
      batches.set(key, ofGroup);
    }
  }
  return batches;
}

type Listing = { readonly listing: string; readonly rows: readonly ProviderTransaction[] };

/** The days on which the listed rows are booked. */
export function listedDays(listings: readonly Listing[]): ReadonlySet<string> {
  return new Set(listings.flatMap(({ rows }) => rows.map(bookedDay)).filter((day) => day !== undefined));
}

/**
 * The rows with their payments; each batch is assigned to one row. `kept`: how many rows are kept if the payments of
 * all would exceed what a page should hold; null if all are kept. `unclear`: days on which several bookings or batches
 * have the same amount and nothing says which belong together; each of these stays one row.
 */
export function withPayments(
  listings: readonly Listing[],
  batches: Batches,
  most: number = MOST_PAYMENTS,
): { listings: Listing[]; kept: number | null; unclear: ReadonlySet<string> } {
  const taken = new Map<string, number>();
  const unclear = new Set<string>();
  const given: Listing[] = [];
  let [kept, count] = [0, 0];
  for (const { listing, rows } of listings) {
    const split: ProviderTransaction[] = [];
    for (const row of rows) {
      const found = nextPayments(row, batches, taken);
      const payments = found === 'unclear' ? null : found;
      count += payments?.length ?? 0;
      if (count > most && kept > 0) {
        return { listings: [...given, { listing, rows: split }].filter(isFilled), kept, unclear };
      }
      const day = bookedDay(row);
      if (found === 'unclear' && day !== undefined) unclear.add(day);
      split.push(payments === null ? row : { ...row, details: portDetails(row, payments) });
      kept += 1;
    }
    given.push({ listing, rows: split });
  }
  return { listings: given, kept: null, unclear };
}

function isFilled({ rows }: Listing): boolean {
  return rows.length > 0;
}

function nextPayments(
  row: ProviderTransaction,
  batches: Batches,
  taken: Map<string, number>,
): readonly BookedRow[] | 'unclear' | null {
  const { group, references } = row;
  const reference = references?.bankReference ?? null;
  const ofGroup = batches.get(group?.key ?? '') ?? [];
  const alike = reference === null ? [] : ofGroup.filter((batch) => batch.reference === reference);
  if (alike.length === 0) return withoutReference(row, ofGroup);
  const key = `${group?.key} ${reference}`;
  const nth = taken.get(key) ?? 0;
  taken.set(key, nth + 1);
  return alike[nth]?.payments ?? null;
}

/**
 * If the statement or the notification states no reference, a booking is the batch if it names no counterparty and no
 * other booking of the day and no other batch has its amount.
 */
function withoutReference(
  { group, references, nameSurname, iban }: ProviderTransaction,
  ofGroup: readonly ListedBatch[],
): readonly BookedRow[] | 'unclear' | null {
  const fitting = ofGroup.filter(({ reference }) => reference === null || references?.bankReference === undefined);
  const [batch] = fitting;
  if (batch === undefined || nameSurname !== null || iban !== null) return null;
  return ofGroup.length === 1 && group?.size === 1 ? batch.payments : 'unclear';
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
