import { type ShownFor, shownByName } from './names.ts';
import type { Span } from './spans.ts';

const LONGEST_NAME = 64;
const ANY_NAME = /[\p{L}\p{N}_$.-]/u;
const BETWEEN = new Set([' ', '\t', '"', "'", ']', '\\']);

/**
 * Values next to a name that suggests a secret, as `name=value`, `name: value` or `"name": "value"`, in any text:
 * queries, forms, cookies, attributes, printed headers, error messages.
 */
export function pairSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (let index = 1; index < text.length; index += 1) {
    const sign = text[index];
    if (sign !== '=' && sign !== ':') continue;
    const { name, quoted } = nameBefore(text, index);
    const shown = name === '' ? null : shownByName(name);
    if (shown === null) continue;
    const [start, end] = valueAfter(text, index + 1, sign === ':' && !quoted);
    if (end > start) spans.push({ start, end, shown: shown(text.slice(start, end)) });
  }
  return spans;
}

function nameBefore(text: string, separator: number): { name: string; quoted: boolean } {
  let end = separator;
  while (end > 0 && separator - end < 6 && BETWEEN.has(text[end - 1] ?? '')) end -= 1;
  let start = end;
  while (start > 0 && end - start < LONGEST_NAME && ANY_NAME.test(text[start - 1] ?? '')) start -= 1;
  return { name: text.slice(start, end), quoted: /["']/.test(text.slice(end, separator)) };
}

/**
 * A quoted value, else up to the character that ends a value; after a colon outside quotes, as in a header, up to the
 * end of the line.
 */
function valueAfter(text: string, from: number, toLineEnd: boolean): readonly [start: number, end: number] {
  let start = from;
  while (start < text.length && start - from < 8 && /[ \t]/.test(text[start] ?? '')) start += 1;
  const quote = text[start];
  if (quote === '"' || quote === "'") return [start + 1, closingQuote(text, start + 1, quote)];
  // An escaped quote belongs to an enclosing text, which is searched once it is decoded.
  const ends = toLineEnd ? /[\r\n"'<>{}]|\\+["']/g : /[\s&;,"'<>{}[\]]|\\+["']/g;
  ends.lastIndex = start;
  return [start, ends.exec(text)?.index ?? text.length];
}

/** The end of the text when the closing quote is missing. */
function closingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}

const ELEMENT = /<(?:[\w-]{1,40}:)?([A-Za-z_][\w.-]{0,63})(?:\s[^<>]{0,2000})?>/g;

/** The whole content of XML or HTML elements whose names suggest a secret. */
export function elementSpans(text: string): Span[] {
  const spans: Span[] = [];
  let done = 0;
  for (const { 0: tag, 1: name = '', index } of text.matchAll(ELEMENT)) {
    const start = index + tag.length;
    const shown = index < done || tag.endsWith('/>') ? null : shownByName(name);
    if (shown === null) continue;
    const closing = new RegExp(`</(?:[\\w-]{1,40}:)?${name.replaceAll('.', '\\.')}\\s*>`, 'g');
    closing.lastIndex = start;
    done = closing.exec(text)?.index ?? text.length;
    if (done > start) spans.push({ start, end: done, shown: shown(text.slice(start, done)) });
  }
  return spans;
}

/** Parts of a multipart form whose names suggest a secret. */
export function partSpans(text: string): Span[] {
  const spans: Span[] = [];
  let done = 0;
  for (const { 0: head, 1: name = '', index } of text.matchAll(
    /content-disposition:[^\r\n]{0,200}?\bname="([^"\r\n]{1,200})"/gi,
  )) {
    const shown = index < done ? null : shownByName(name);
    if (shown === null) continue;
    const blank = /\r?\n\r?\n/g;
    blank.lastIndex = index + head.length;
    const gap = blank.exec(text);
    const start = gap === null ? text.length : gap.index + gap[0].length;
    const boundary = /\r?\n--/g;
    boundary.lastIndex = start;
    done = boundary.exec(text)?.index ?? text.length;
    if (done > start) spans.push({ start, end: done, shown: shown(text.slice(start, done)) });
  }
  return spans;
}

type Level = { readonly shown: ShownFor | null; readonly isObject: boolean };

/**
 * Values of JSON properties whose names suggest a secret, with everything below them; the JSON may be incomplete.
 * `bare`: numbers and literals, which need quotes once they are masked.
 */
export function jsonSpans(text: string): { spans: Span[]; bare: (readonly [start: number, end: number])[] } {
  const spans: Span[] = [];
  const bare: (readonly [number, number])[] = [];
  const levels: Level[] = [];
  let pending: ShownFor | null = null;
  const shownHere = (): ShownFor | null => pending ?? levels.at(-1)?.shown ?? null;
  const mask = (start: number, end: number): void => {
    const shown = shownHere();
    if (shown !== null && end > start) spans.push({ start, end, shown: shown(text.slice(start, end)) });
  };
  for (let at = 0; at < text.length; ) {
    const sign = text[at] ?? '';
    if (sign === '"') {
      const end = closingQuote(text, at + 1, '"');
      const isName = levels.at(-1)?.isObject === true && pending === null && followedByColon(text, end + 1);
      if (isName) pending = shownByName(text.slice(at + 1, end)) ?? levels.at(-1)?.shown ?? null;
      else mask(at + 1, end);
      at = end + 1;
    } else if (sign === '{' || sign === '[') {
      levels.push({ shown: shownHere(), isObject: sign === '{' });
      pending = null;
      at += 1;
    } else if (sign === '}' || sign === ']') {
      levels.pop();
      pending = null;
      at += 1;
    } else if (sign === ',') {
      pending = null;
      at += 1;
    } else if (/[\w.+-]/.test(sign)) {
      const word = /[\w.+-]+/y;
      word.lastIndex = at;
      const end = at + (word.exec(text)?.[0].length ?? 1);
      bare.push([at, end]);
      if (text.slice(at, end) !== 'null') mask(at, end);
      at = end;
    } else {
      at += 1;
    }
  }
  return { spans, bare };
}

function followedByColon(text: string, from: number): boolean {
  const colon = /\s{0,200}:/y;
  colon.lastIndex = from;
  return colon.test(text);
}
