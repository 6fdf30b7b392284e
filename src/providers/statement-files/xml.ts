import { type SaxesOptions, SaxesParser } from 'saxes';
import { StatementFault } from './statement.ts';

/**
 * Element names without prefix; attributes begin with `@`; the text of an element that also has attributes is `#text`.
 */
export type XmlNode = string | { readonly [name: string]: XmlNode | readonly XmlNode[] };

/**
 * What is read of a document: an element whose children are read one by one begins and ends; one that is read whole is
 * a tree. `path`: the names of the elements around it and its own.
 */
export type XmlEvent =
  | { readonly kind: 'begin' | 'end'; readonly path: readonly string[] }
  | { readonly kind: 'element'; readonly path: readonly string[]; readonly node: XmlNode; readonly length: number }
  /** Replaces an element that cannot be read; what follows it can. */
  | { readonly kind: 'broken'; readonly path: readonly string[]; readonly fault: ElementFault };

export type ElementFault = { readonly message: string; readonly code: StatementFault['code'] };

/** The most characters of an element that is read whole, and between two tags or texts. */
const LARGEST_ELEMENT = 2 * 1024 * 1024;
/** Much deeper than any ISO 20022 message. */
const DEEPEST = 64;
const OPTIONS = { xmlns: false, position: true } as const satisfies SaxesOptions;
/**
 * What banks write although XML forbids it, and which does not affect the structure. An entity that is not one of XML's
 * five is never resolved, and stays as written.
 */
const HARMLESS =
  /^(disallowed character\.|undefined entity|malformed character entity|the string "\]\]>"|version number|encoding value|standalone value|XML declaration|did not expect any more|expected )/;

const TOO_LONG: ElementFault = { message: 'the element is too long', code: 'STATEMENT_FILE_TOO_LARGE' };

type Whole = { readonly path: readonly string[]; readonly from: number; fault: ElementFault | null };
type Frame = { readonly name: string; node: Record<string, XmlNode | XmlNode[]> | null; text: string };

/**
 * Reads a document that arrives in pieces, and holds no more of it than one whole element. Yields the events that each
 * piece completes. No document type declaration is accepted and no entity is expanded.
 * @param isWhole whether the element with this path is read whole; otherwise its children are read one by one
 * @param placeOf the place of an element that is read whole, for its faults
 * @throws StatementFault for malformed XML, unless it is malformed within an element that is read whole and ends where
 * it should, and for any document type declaration
 */
export async function* readXml(
  text: AsyncIterable<string>,
  isWhole: (path: readonly string[]) => boolean,
  placeOf: (path: readonly string[]) => string | null,
): AsyncGenerator<readonly XmlEvent[]> {
  const parser = new SaxesParser<typeof OPTIONS>(OPTIONS);
  const path: string[] = [];
  const frames: Frame[] = [];
  let events: XmlEvent[] = [];
  /** The element that is being read whole. */
  let whole: Whole | null = null;
  let lastSign = 0;
  let isOver = false;
  const failed = (reason: string): StatementFault =>
    new StatementFault(`not well-formed XML: ${reason.slice(0, 120)}`, `line ${parser.line}`);

  function openElement(name: string, attributes: Readonly<Record<string, string>>): void {
    lastSign = parser.position;
    path.push(localName(name));
    if (path.length > DEEPEST) throw failed(`elements are nested more than ${DEEPEST} deep`);
    if (name === '__proto__') throw failed('an element has a name that is not accepted');
    if (whole === null && isWhole(path)) whole = { path: [...path], from: parser.position, fault: null };
    if (whole === null) events.push({ kind: 'begin', path: [...path] });
    else if (whole.fault === null) frames.push({ name: localName(name), node: attributesOf(attributes), text: '' });
  }

  function closeElement(): void {
    lastSign = parser.position;
    if (whole === null) events.push({ kind: 'end', path: [...path] });
    else closeWithin(whole);
    path.pop();
  }

  function closeWithin(element: Whole): void {
    const length = parser.position - element.from;
    if (length > LARGEST_ELEMENT) give(element, TOO_LONG);
    const frame = frames.pop();
    const outer = frames.at(-1);
    if (path.length > element.path.length) {
      if (frame !== undefined && outer !== undefined) addChild(outer, frame.name, nodeOf(frame));
      return;
    }
    if (element.fault !== null) events.push({ kind: 'broken', path: element.path, fault: element.fault });
    else if (frame !== undefined) events.push({ kind: 'element', path: element.path, node: nodeOf(frame), length });
    whole = null;
  }

  /** Marks the element as faulty: nothing more of it is kept. */
  function give(element: Whole, fault: ElementFault): void {
    element.fault ??= fault;
    frames.length = 0;
  }

  parser.on('error', (error) => {
    const reason = error.message.replace(/^\d+:\d+: /, '');
    if (HARMLESS.test(reason)) return;
    if (whole === null || isOver) throw failed(reason);
    give(whole, { message: `not well-formed XML: ${reason.slice(0, 120)}`, code: 'STATEMENT_FILE_INVALID' });
  });
  parser.on('doctype', () => {
    throw new StatementFault('document type declarations are not accepted', `line ${parser.line}`);
  });
  parser.on('opentag', ({ name, attributes }) => openElement(name, attributes));
  parser.on('closetag', closeElement);
  const addText = (part: string): void => {
    lastSign = parser.position;
    const frame = frames.at(-1);
    if (frame !== undefined) frame.text += part;
  };
  parser.on('text', (part) => {
    if (part.includes(BARE_AMPERSAND)) parser.fail(BARE);
    addText(part);
  });
  parser.on('attribute', ({ value }) => {
    if (value.includes(BARE_AMPERSAND)) parser.fail(BARE);
  });
  parser.on('cdata', (part) => addText(part.replaceAll(BARE_AMPERSAND, '&')));
  for await (const piece of markedAmpersands(text)) {
    parser.write(piece);
    const begun = whole as Whole | null;
    if (parser.position - lastSign > LARGEST_ELEMENT) {
      const place = begun === null ? null : placeOf(begun.path);
      throw new StatementFault(TOO_LONG.message, place ?? `line ${parser.line}`, TOO_LONG.code);
    }
    if (begun !== null && parser.position - begun.from > LARGEST_ELEMENT) give(begun, TOO_LONG);
    if (events.length > 0) yield events;
    events = [];
  }
  isOver = true;
  parser.close();
  if (events.length > 0) yield events;
}

/**
 * Replaces an ampersand that begins no reference, after which the parser would read on through everything that follows.
 */
const BARE_AMPERSAND = '\ufdd0';
const BARE = 'an ampersand is not written as &amp;';
const REFERENCE = /&(?!#\d{1,7};|#x[0-9a-f]{1,6};|[a-z][\w.-]{0,30};)/gi;
const LONGEST_REFERENCE = 32;

async function* markedAmpersands(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const piece of text) {
    const whole = rest + piece;
    const last = whole.lastIndexOf('&');
    // The last one may continue in the next piece.
    const end = last >= 0 && last >= whole.length - LONGEST_REFERENCE ? last : whole.length;
    rest = whole.slice(end);
    if (end > 0) yield whole.slice(0, end).replace(REFERENCE, BARE_AMPERSAND);
  }
  if (rest !== '') yield rest.replace(REFERENCE, BARE_AMPERSAND);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

function attributesOf(attributes: Readonly<Record<string, string>>): Frame['node'] {
  let node: Frame['node'] = null;
  for (const [name, value] of Object.entries(attributes)) {
    node ??= Object.create(null) as Record<string, XmlNode>;
    node[`@${localName(name)}`] = value;
  }
  return node;
}

function addChild(frame: Frame, name: string, child: XmlNode): void {
  // Without a prototype, no name has a special meaning.
  frame.node ??= Object.create(null) as Record<string, XmlNode>;
  const known = frame.node[name];
  if (known === undefined) frame.node[name] = child;
  else if (Array.isArray(known)) known.push(child);
  else frame.node[name] = [known, child];
}

function nodeOf({ node, text }: Frame): XmlNode {
  const trimmed = text.trim();
  if (node === null) return trimmed;
  if (trimmed !== '') node['#text'] = trimmed;
  return node;
}

/** The child elements with that name; empty if there are none. */
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
  const text = typeof raw === 'string' ? raw.trim() : '';
  return text === '' ? null : text;
}

function isList(found: XmlNode | readonly XmlNode[]): found is readonly XmlNode[] {
  return Array.isArray(found);
}
