import { sha256 } from '../../shared/hash.ts';
import type { FileOutline } from './file-content.ts';

/** The days that a file covers for an account, including those of its payments (camt.054). */
export function daysOf({ summaries, days }: FileOutline, accountKey: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [index, { account, format, closingDay }] of summaries.entries()) {
    if (account.key !== accountKey) continue;
    for (const { day } of days[index] ?? []) found.add(day);
    if (format !== 'camt.054') found.add(closingDay);
  }
  return found;
}

/**
 * A fingerprint of each day of an account: it stays equal as long as the same files cover the day and the neighbouring
 * days, which say where it begins and ends. The same rows are therefore listed for a day with the same fingerprint.
 * @param numbered the outlines in the order of their files, each with a unique number
 * @param rowDays the days whose rows are listed, sorted
 */
export function dayPrints(
  numbered: readonly { readonly outline: FileOutline; readonly number: number }[],
  accountKey: string,
  rowDays: readonly string[],
  isFinal: (day: string) => boolean,
): (day: string) => string {
  const files = new Map<string, string>();
  for (const { outline, number } of numbered) {
    for (const day of daysOf(outline, accountKey)) files.set(day, `${files.get(day) ?? ''} ${number}`);
  }
  const placeOf = new Map(rowDays.map((day, place) => [day, place]));
  const own = (day = ''): string => [day, isFinal(day), files.get(day)].join(' ');
  const prints = new Map<string, string>();
  return (day) => {
    const known = prints.get(day);
    if (known !== undefined) return known;
    const place = placeOf.get(day);
    const beside = place === undefined ? [] : [own(rowDays[place - 1]), own(rowDays[place + 1])];
    const print = sha256([own(day), ...beside].join(';'));
    prints.set(day, print);
    return print;
  };
}
