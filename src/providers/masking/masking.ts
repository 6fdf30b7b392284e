import { elementSpans, jsonSpans, pairSpans, partSpans } from './named-values.ts';
import { isShownHeader } from './names.ts';
import { numberSpans } from './numbers.ts';
import { createPhraseFinder } from './phrase-finder.ts';
import { base64Phrases, hexPhrases } from './secret-values.ts';
import { MASK, mergedSpans, type Span, withoutSpans } from './spans.ts';
import { tokenSpans } from './tokens.ts';
import { viewsOf } from './views.ts';

/**
 * Removes everything confidential from what was exchanged with a bank. Never throws; its time is linear in the length
 * of the text.
 */
export type Masking = {
  /**
   * For URLs, bodies and error messages. JSON and XML stay well-formed.
   * @param end how much of the text is shown; the text beyond it is searched too, so that a secret that extends past
   * the end is found
   */
  readonly text: (text: string, end?: number) => string;
  /** Only headers that are known not to identify the caller keep their values. */
  readonly headers: (headers: Readonly<Record<string, string>>) => Record<string, string>;
  /** The greatest number of characters that a secret may take in any encoding. */
  readonly longestSecret: number;
};

/** `%25C5%259F` for a single character is the longest encoding that occurs in practice. */
const LONGEST_SIGN = 24;
const LONGEST_LOOKED_AT = 128 * 1024;

/** @param secrets masked wherever their exact value appears, in any encoding */
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
      // A text that cannot be searched is not shown.
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

/** A number that is masked in part is masked whole and becomes a string, so that JSON stays valid. */
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
