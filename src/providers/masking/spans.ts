/** What stands in the place of a secret. No format used here gives any of its characters a meaning. */
export const MASK = '[masked]';

/** A part of a text, half open, and what is shown instead of it. */
export type Span = { readonly start: number; readonly end: number; readonly shown: string };

/** An account, card or identity number by its end, so that people can tell which one it was; a short one not at all. */
export function lastFour(text: string): string {
  const signs = text.replace(/[^\p{L}\p{N}]/gu, '');
  return signs.length > 7 ? `****${signs.slice(-4)}` : MASK;
}

/** In their order and apart from each other: where some meet that would be shown differently, nothing of either is. */
export function mergedSpans(spans: readonly Span[]): Span[] {
  const merged: Span[] = [];
  const sorted = spans.filter(({ start, end }) => end > start).sort((a, b) => a.start - b.start || b.end - a.end);
  for (const span of sorted) {
    const before = merged.at(-1);
    if (before === undefined || span.start >= before.end) {
      merged.push(span);
      continue;
    }
    const shown = before.shown === span.shown ? span.shown : MASK;
    merged[merged.length - 1] = { start: before.start, end: Math.max(before.end, span.end), shown };
  }
  return merged;
}

/**
 * The text up to `end`, merged spans replaced; one that reaches over the end is replaced whole, so nothing of it is
 * left.
 */
export function withoutSpans(text: string, merged: readonly Span[], end: number): string {
  const parts: string[] = [];
  let done = 0;
  for (const span of merged) {
    if (span.start >= end) break;
    parts.push(text.slice(done, span.start), span.shown);
    done = span.end;
  }
  parts.push(text.slice(done, Math.max(done, end)));
  return parts.join('');
}
