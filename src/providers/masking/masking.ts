import { elementSpans, jsonSpans, pairSpans, partSpans } from './named-values.ts';
import { isShownHeader } from './names.ts';
import { numberSpans } from './numbers.ts';
import { createPhraseFinder } from './phrase-finder.ts';
import { base64Phrases, hexPhrases } from './secret-values.ts';
import { MASK, mergedSpans, type Span, withoutSpans } from './spans.ts';
import { tokenSpans } from './tokens.ts';
import { viewsOf } from './views.ts';

/**
 * Takes out of what was exchanged with a bank all that nobody may read. Never throws; the time it takes grows with the
 * text alone.
 */
export type Masking = {
  /**
   * Addresses, bodies, words of errors. JSON and XML stay what they are.
   * @param end how much of the text is shown; what goes on beyond is looked at, so that a secret is known that reaches
   * over the end
   */
  readonly text: (text: string, end?: number) => string;
  /** In clear only those headers that are known to say nothing of who calls. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>;
  /** How many signs the longest of the secrets may take in any encoding. */
  readonly longestSecret: number;
};

/** One sign as `%25C5%259F` is the longest that is met with in earnest. */
const LONGEST_SIGN = 24;
const LONGEST_LOOKED_AT = 128 * 1024;

/** @param secrets known by their exact value, in whatever encoding they come back */
export function createMasking(secrets: readonly string[]): Masking {
  const exact = createPhraseFinder([...secrets.map((text) => ({ text })), ...secrets.flatMap(base64Phrases)], false);
  const folded = createPhraseFinder([...secrets.map((text) => ({ text })), ...secrets.flatMap(hexPhrases)], true);

  function spansOf(text: string): Span[] {
    const spans: Span[] = [];
    for (const view of viewsOf(text)) {
      const add = (start: number, end: number, shown: string): void => {
        const [from, to] = view.source(start, end);
        spans.push({ start: from, end: to, shown });
      };
      exact.find(view.text, (start, end) => add(start, end, MASK));
      folded.find(view.text, (start, end) => add(start, end, MASK));
      if (view.joined) continue;
      for (const find of [tokenSpans, numberSpans, pairSpans, elementSpans, partSpans]) {
        for (const { start, end, shown } of find(view.text)) add(start, end, shown);
      }
    }
    return spans;
  }

  function masked(text: string, end = text.length): string {
    try {
      const spans = spansOf(text);
      if (!/^\s*[{[]/.test(text)) return withoutSpans(text, mergedSpans(spans), end);
      const json = jsonSpans(text);
      return withoutSpans(text, quoted(mergedSpans([...spans, ...json.spans]), json.bare), end);
    } catch {
      // What cannot be looked through is not shown.
      return MASK;
    }
  }

  return {
    text: masked,
    headers: (headers) =>
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [masked(name), isShownHeader(name) ? masked(value) : MASK]),
      ),
    longestSecret: Math.min(LONGEST_LOOKED_AT, LONGEST_SIGN * Math.max(0, ...secrets.map(({ length }) => length))),
  };
}

/** A number of which a part is masked is masked whole and becomes a string, so that JSON stays JSON. */
function quoted(merged: readonly Span[], bare: readonly (readonly [start: number, end: number])[]): Span[] {
  const result: Span[] = [];
  let next = 0;
  for (const span of merged) {
    while (next < bare.length && (bare[next]?.[1] ?? 0) <= span.start) next += 1;
    const [start, end] = bare[next] ?? [span.end, span.end];
    if (span.start < start || span.end > end) {
      result.push(span);
    } else if (result.at(-1)?.start === start) {
      result[result.length - 1] = { start, end, shown: `"${MASK}"` };
    } else {
      result.push({ start, end, shown: `"${span.shown}"` });
    }
  }
  return result;
}
