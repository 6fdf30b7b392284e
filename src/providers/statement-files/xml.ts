import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { StatementFault } from './statement.ts';

/** Element names without prefix; attributes begin with `@`; the text of an element that also has attributes is `#text`. */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

/** An element much deeper than any message of ISO 20022. */
const DEEPEST = 64;
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
  maxNestedTags: DEEPEST,
};

/**
 * A well-formed document as a tree. The content of `verbatim` elements, wherever they stand, is left as it is written, to be read one by
 * one with `readFragment`: a statement of 100,000 entries never becomes one tree.
 * @throws StatementFault for malformed XML and for any document type declaration
 */
export function readDocument(text: string, verbatim: string): XmlNode {
  const declared = /<!(?:DOCTYPE|ENTITY)/i.exec(text);
  if (declared !== null) {
    throw new StatementFault('document type declarations are not accepted', `line ${lineAt(text, declared.index)}`);
  }
  const valid = XMLValidator.validate(text);
  if (valid !== true)
    throw new StatementFault(`not well-formed XML: ${valid.err.msg.slice(0, 120)}`, `line ${valid.err.line}`);
  return parse(text, [`..${verbatim}`], null);
}

/** The element of that name whose content stands in the text. @throws StatementFault */
export function readFragment(name: string, content: string, place: string): XmlNode {
  const document = parse(`<${name}>${content}</${name}>`, [], place);
  return typeof document === 'string' ? '' : (childrenOf(document, name)[0] ?? '');
}

function parse(text: string, stopNodes: string[], place: string | null): XmlNode {
  try {
    return new XMLParser({ ...OPTIONS, stopNodes }).parse(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.slice(0, 120) : 'unreadable';
    throw new StatementFault(`not well-formed XML: ${reason}`, place);
  }
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

function decodeEntities(text: string): string {
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
