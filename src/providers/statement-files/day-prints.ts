import { sha256 } from '../../shared/hash.ts';
import type { FileOutline } from './file-content.ts';

/** The days that a file states of an account, those of its payments (camt.054) included. */
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
 * A print of each day of an account: equal as long as the same files state the day, and those beside it that say where
 * it begins and ends. So the same rows are listed of a day with the same print.
 * @param numbered the outlines in the order of their files, each with a number that no other has
 * @param rowDays the days whose rows are listed, in their order
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
