import { addDays, daysBetween } from '../../format/days.ts';

/** As many days before `from` as there are up to `to`; null where one of them is open. */
export function periodBefore({ from, to }: Readonly<Record<string, unknown>>): { from: string; to: string } | null {
  if (typeof from !== 'string' || typeof to !== 'string') return null;
  const length = daysBetween(from, to);
  return length > 0 ? { from: addDays(from, -length), to: from } : null;
}
