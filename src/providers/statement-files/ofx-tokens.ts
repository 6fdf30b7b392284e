import { StatementFault } from './statement.ts';

/** The most characters between two tags, and of a tag: no bank writes as many, and each is held in memory. */
const LONGEST = 64 * 1024;

/** A tag; an opening one with the text after it, "" for an aggregate. */
export type OfxToken = { readonly kind: 'open' | 'close'; readonly name: string; readonly value: string };

/**
 * The tags of OFX, in SGML (1.x, where elements have no end tags) or XML (2.x). Headers, comments and processing
 * instructions are skipped.
 * @throws StatementFault
 */
export async function* ofxTokens(text: AsyncIterable<string>): AsyncGenerator<OfxToken> {
  let left = '';
  let open: { name: string; value: string } | null = null;
  const token = (): OfxToken | null =>
    open === null ? null : { kind: 'open', name: open.name, value: decodeEntities(open.value).trim() };
  const append = (value: string): void => {
    if (open === null) return;
    open.value += value;
    if (open.value.length > LONGEST) throw tooLong(open.name);
  };
  for await (const piece of text) {
    left += piece;
    let from = 0;
    for (;;) {
      const start = left.indexOf('<', from);
      append(left.slice(from, start < 0 ? left.length : start));
      from = start < 0 ? left.length : start;
      const end = start < 0 ? -1 : endOf(left, start);
      if (end < 0) break;
      const tag = left.slice(start, end);
      from = end;
      if (tag.startsWith('<![CDATA[')) append(tag.slice(9, -3).replaceAll('&', '&amp;'));
      else if (/^<!(DOCTYPE|ENTITY)/i.test(tag)) {
        throw new StatementFault('document type declarations are not accepted', null);
      } else if (!/^<[!?]/.test(tag)) {
        const before = token();
        if (before !== null) yield before;
        const [, closes, name = '', empty] = /^<(\/?)\s*([\w.:-]{1,80})[^<>]*?(\/?)>$/.exec(tag) ?? [];
        open = closes === '' && empty === '' ? { name: name.toUpperCase(), value: '' } : null;
        if (closes === '/') yield { kind: 'close', name: name.toUpperCase(), value: '' };
      }
    }
    left = left.slice(from);
    if (left.length > LONGEST) throw tooLong(open?.name ?? 'the file');
  }
  const last = token();
  if (last !== null) yield last;
}

/**
 * The index after the end of the tag, comment or CDATA section that begins at `start`; -1 while the end is not known.
 */
function endOf(text: string, start: number): number {
  for (const [begins, ends] of [
    ['<!--', '-->'],
    ['<![CDATA[', ']]>'],
  ] as const) {
    if (text.startsWith(begins, start)) {
      const end = text.indexOf(ends, start + begins.length);
      return end < 0 ? -1 : end + ends.length;
    }
    if (begins.startsWith(text.slice(start, start + begins.length))) return -1;
  }
  return text.indexOf('>', start) + 1 || -1;
}

function tooLong(name: string): StatementFault {
  return new StatementFault(`${name.slice(0, 80)} is too long`, null, 'STATEMENT_FILE_TOO_LARGE');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };

function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  const reference = /&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos|nbsp));/gi;
  return text.replace(reference, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}
