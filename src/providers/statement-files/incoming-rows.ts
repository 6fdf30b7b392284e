import type { ProviderTransaction } from '../bank-provider.ts';
import { type BookedRow, kindOf } from './booked-rows.ts';
import type { PlacesOfDays } from './folder-index.ts';

/**
 * An account's rows in the form of the provider port, each with its group and its number in it; none of a refused day.
 */
export function incomingRows(
  accountKey: string,
  rows: readonly BookedRow[],
  placesOfDays: PlacesOfDays,
): ProviderTransaction[] {
  return rows.flatMap((row) => {
    const { day, formerDay, nth, alike } = row;
    const placed = placesOfDays(day);
    if (typeof placed === 'string') return [];
    const kind = kindOf(row);
    const index = placed?.indexes.get(kind)?.[nth] ?? nth;
    const size = Math.max(placed?.totals.get(kind) ?? 0, alike, index + 1);
    return [{ ...portRow(row), group: { key: `${accountKey}/${day}/${kind}`, size, index, formerDay } }];
  });
}

/** The day on which a row is booked; undefined if it is in no group. */
export function bookedDay({ group }: ProviderTransaction): string | undefined {
  // The kind follows the day, and neither contains a slash.
  return group?.key.split('/').at(-2);
}

export function portRow(row: BookedRow): ProviderTransaction {
  const { providerId, discriminator, transactionDate, amount, incoming, balance, currency } = row;
  const { description, nameSurname, iban, idNo, code, findAI } = row;
  const content = { description, nameSurname, iban, idNo, code, findAI };
  const references = Object.keys(row.references).length === 0 ? {} : { references: row.references };
  return { providerId, discriminator, transactionDate, amount, incoming, balance, currency, ...content, ...references };
}
