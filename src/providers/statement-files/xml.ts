import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { StatementFault } from './statement.ts';

/**
 * Element names without prefix; attributes begin with `@`; the text of an element that also has attributes is `#text`.
 */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

/**
 * Characters of a document outside of its verbatim elements, and of one of those: what is parsed at once holds up the
 * event loop.
 */
const LARGEST = { document: 4 * 1024 * 1024, fragment: 2 * 1024 * 1024 } as const;
const OPTIONS = {
  ignoreAttributes: false,
  attributeNamePrefix: '@',
  removeNSPrefix: true,
  parseTagValue: false,
  parseAttributeValue: false,
  // No entity is ever expanded by the library; the five of XML and character numbers are decoded in `textOf`.
  processEntities: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  /** Much deeper than any message of ISO 20022. */
  maxNestedTags: 64,
};

export type XmlDocument = {
  /** In it a verbatim element holds nothing but its number in `verbatim`. */
  readonly root: XmlNode;
  readonly verbatim: readonly string[];
};

/**
 * A well-formed document as a tree. The content of `verbatim` elements is left out of it, as it is written, to be read
 * one by one with `readFragment`: a statement of 100,000 entries never becomes one tree, nor stops everything else
 * while it does.
 * @throws StatementFault for malformed XML and for any document type declaration
 */
export function readDocument(text: string, verbatim: string): XmlDocument {
  const declared = /<!(?:DOCTYPE|ENTITY)/i.exec(text);
  if (declared !== null) {
    throw new StatementFault('document type declarations are not accepted', `line ${lineAt(text, declared.index)}`);
  }
  const { skeleton, contents } = takeOut(text, verbatim);
  const root = parse(skeleton, (line) => `line ${originalLine(skeleton, contents, line)}`);
  return { root, verbatim: contents.map(({ content }) => content) };
}

/** The element of that name with this content. @throws StatementFault */
export function readFragment(name: string, content: string, place: string): XmlNode {
  if (content.length > LARGEST.fragment) {
    throw new StatementFault('the element is too long', place, 'STATEMENT_FILE_TOO_LARGE');
  }
  return (
    at(
      parse(`<${name}>${content}</${name}>`, () => place),
      name,
    ) ?? ''
  );
}

function parse(text: string, placeOf: (line: number) => string): XmlNode {
  const valid = XMLValidator.validate(text);
  if (valid !== true) {
    throw new StatementFault(`not well-formed XML: ${valid.err.msg.slice(0, 120)}`, placeOf(valid.err.line));
  }
  try {
    return new XMLParser(OPTIONS).parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
    throw new StatementFault(`not well-formed XML: ${reason}`, placeOf(1));
  }
}

type TakenOut = { readonly content: string; readonly at: number };

/**
 * One that stands in a comment is taken out as well, and its number then is in no element. Elements of this name do not
 * nest; where they do, or one is not closed, what remains is not well-formed.
 */
function takeOut(text: string, name: string): { skeleton: string; contents: TakenOut[] } {
  const opening = new RegExp(`<(?:[\\w.-]+:)?${name}(?:\\s[^<>]*)?(?<!/)>`, 'g');
  const closing = new RegExp(`</(?:[\\w.-]+:)?${name}\\s*>`, 'g');
  const parts: string[] = [];
  const contents: TakenOut[] = [];
  let [from, length] = [0, 0];
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const start = found.index + found[0].length;
    closing.lastIndex = start;
    const end = closing.exec(text)?.index;
    if (end === undefined || length > LARGEST.document) break;
    const kept = `${text.slice(from, start)}${contents.length}`;
    parts.push(kept);
    length += kept.length;
    contents.push({ content: text.slice(start, end), at: length });
    from = end;
    opening.lastIndex = end;
  }
  if (length + text.length - from > LARGEST.document) {
    throw new StatementFault('the head and balances are too long', null, 'STATEMENT_FILE_TOO_LARGE');
  }
  parts.push(text.slice(from));
  return { skeleton: parts.join(''), contents };
}

/** The line of the whole text that a line of the skeleton begins or goes on in. */
function originalLine(skeleton: string, contents: readonly TakenOut[], line: number): number {
  let start = 0;
  for (let passed = 1; passed < line; passed += 1) start = skeleton.indexOf('\n', start) + 1;
  const before = contents.filter(({ at: place }) => place <= start);
  return before.reduce((sum, { content }) => sum + lineAt(content, content.length) - 1, line);
}

/** The child elements of that name, none when there is none. */
export function childrenOf(node: XmlNode | undefined, name: string): readonly XmlNode[] {
  if (node === undefined || typeof node === 'string' || !Object.hasOwn(node, name)) return [];
  const found = node[name];
  return found === undefined ? [] : isList(found) ? found : [found];
}

/** The first element at the end of a path of names. */
export function at(node: XmlNode | undefined, ...path: readonly string[]): XmlNode | undefined {
  return path.reduce<XmlNode | undefined>((step, name) => childrenOf(step, name)[0], node);
}

/** The text of the element at the end of a path, trimmed; null when the element is missing or empty. */
export function textAt(node: XmlNode | undefined, ...path: readonly string[]): string | null {
  return textOf(at(node, ...path));
}

export function textOf(node: XmlNode | undefined): string | null {
  const raw = typeof node === 'string' ? node : (childrenOf(node, '#text')[0] ?? '');
  const text = typeof raw === 'string' ? decodeEntities(raw).trim() : '';
  return text === '' ? null : text;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function decodeEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(amp|lt|gt|quot|apos));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return ENTITIES[name] ?? whole;
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : whole;
  });
}

function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let found = text.indexOf('\n'); found >= 0 && found < offset; found = text.indexOf('\n', found + 1)) line += 1;
  return line;
}

function isList(found: XmlNode | readonly XmlNode[]): found is readonly XmlNode[] {
  return Array.isArray(found);
}
