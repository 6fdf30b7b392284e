/** `widen`: how many characters before and after it hold part of the phrase as well. */
export type Phrase = { readonly text: string; readonly widen?: readonly [before: number, after: number] };

export type PhraseFinder = {
  /** Calls `found` with the bounds (half open) of the longest phrase that ends at each place of the text. */
  readonly find: (text: string, found: (start: number, end: number) => void) => void;
};

/**
 * Finds any number of phrases in one pass (Aho and Corasick, 1975): the time depends on the text and not on the number
 * of phrases.
 * @param foldCase whether a-z and A-Z are the same
 */
export function createPhraseFinder(phrases: readonly Phrase[], foldCase: boolean): PhraseFinder {
  const next: Map<number, number>[] = [new Map()];
  const ends: (Phrase | null)[] = [null];
  const fallback: number[] = [0];
  const fold = (code: number): number => (foldCase && code >= 65 && code <= 90 ? code + 32 : code);

  for (const phrase of phrases) {
    let at = 0;
    for (let index = 0; index < phrase.text.length; index += 1) {
      const code = fold(phrase.text.charCodeAt(index));
      let to = next[at]?.get(code);
      if (to === undefined) {
        to = next.push(new Map()) - 1;
        ends.push(null);
        fallback.push(0);
        next[at]?.set(code, to);
      }
      at = to;
    }
    if (at !== 0) ends[at] = phrase;
  }

  function step(from: number, code: number): number {
    let at = from;
    for (;;) {
      const to = next[at]?.get(code);
      if (to !== undefined) return to;
      if (at === 0) return 0;
      at = fallback[at] ?? 0;
    }
  }

  const queue = [...(next[0]?.values() ?? [])];
  for (let index = 0; index < queue.length; index += 1) {
    const at = queue[index] ?? 0;
    for (const [code, to] of next[at] ?? []) {
      fallback[to] = step(fallback[at] ?? 0, code);
      ends[to] ??= ends[fallback[to] ?? 0] ?? null;
      queue.push(to);
    }
  }

  return {
    find(text, found) {
      if (next.length === 1) return;
      let at = 0;
      for (let index = 0; index < text.length; index += 1) {
        at = step(at, fold(text.charCodeAt(index)));
        const phrase = ends[at];
        if (phrase === null || phrase === undefined) continue;
        const [before, after] = phrase.widen ?? [0, 0];
        const start = index + 1 - phrase.text.length;
        found(Math.max(0, start - before), Math.min(text.length, index + 1 + after));
      }
    },
  };
}
