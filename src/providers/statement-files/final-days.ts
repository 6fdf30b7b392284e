import type { FileOutline } from './file-content.ts';

/**
 * The days of an account that a statement with proven balances covers. It includes what intraday reports of such a day
 * listed, so the rows of these reports are no longer used.
 */
export function finalDays(outlines: readonly FileOutline[], accountKey: string): (day: string) => boolean {
  const days = new Set<string>();
  const spans: { from: string; to: string }[] = [];
  for (const outline of outlines) {
    for (const [index, { account, intraday, isProven, openingDay, closingDay }] of outline.summaries.entries()) {
      if (account.key !== accountKey || intraday !== null || !isProven) continue;
      for (const { day } of outline.days[index] ?? []) days.add(day);
      days.add(closingDay);
      if (openingDay !== null && openingDay < closingDay) spans.push({ from: openingDay, to: closingDay });
    }
  }
  const merged = mergedSpans(spans);
  return (day) => {
    if (days.has(day)) return true;
    // The last span that begins before the day.
    let [low, high] = [0, merged.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((merged[middle]?.from ?? '') < day) low = middle + 1;
      else high = middle;
    }
    return (merged[low - 1]?.to ?? '') >= day;
  };
}

/**
 * Sorted, with spans that touch or overlap merged into one. The day of an opening balance may be the one before its
 * statement.
 */
function mergedSpans(spans: { from: string; to: string }[]): { from: string; to: string }[] {
  const merged: { from: string; to: string }[] = [];
  for (const { from, to } of spans.sort((a, b) => (a.from < b.from ? -1 : 1))) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last.to) last.to = to > last.to ? to : last.to;
    else merged.push({ from, to });
  }
  return merged;
}
