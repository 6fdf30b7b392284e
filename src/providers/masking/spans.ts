/** Replaces a secret. None of its characters is special in any format used here. */
export const MASK = '[masked]';

/** A part of a text (half open), and the text that replaces it. */
export type Span = { readonly start: number; readonly end: number; readonly shown: string };

/**
 * The last four characters of an account, card or identity number, so that people can recognize it; nothing of a short
 * one.
 */
export function lastFour(text: string): string {
  const signs = text.replace(/[^\p{L}\p{N}]/gu, '');
  return signs.length > 7 ? `****${signs.slice(-4)}` : MASK;
}

/** Sorted and without overlaps; spans that overlap and have different replacements are masked as a whole. */
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

/** The text up to `end` with the merged spans replaced; one that extends past the end is replaced as a whole. */
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
