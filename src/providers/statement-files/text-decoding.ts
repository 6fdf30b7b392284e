import { type CharsetEvidence, openDecoder } from './code-pages.ts';
import { StatementFault } from './statement.ts';

/** Encodings statements are issued in, by the names their XML declarations give. */
const XML_ENCODINGS: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8',
  utf8: 'utf-8',
  'us-ascii': 'utf-8',
  'utf-16': 'utf-16le',
  'utf-16le': 'utf-16le',
  'utf-16be': 'utf-16be',
  'iso-8859-1': 'windows-1252',
  'iso-8859-2': 'iso-8859-2',
  'iso-8859-9': 'windows-1254',
  'iso-8859-15': 'iso-8859-15',
  'windows-1252': 'windows-1252',
  'windows-1254': 'windows-1254',
  'windows-1250': 'windows-1250',
};

/** Bytes at the beginning of a file from which its encoding is detected, if they show it. */
export const HEAD_BYTES = 65_536;

/**
 * The encoding of an XML file: by its byte order mark, else by its declaration, else UTF-8.
 * @throws StatementFault for an unknown encoding
 */
export function xmlEncoding(head: Uint8Array): Encoding {
  return { charset: markedEncoding(head) ?? declaredEncoding(head), strictly: true };
}

/**
 * The encoding of a file that is not XML, such as MT940, which declares none: by the byte order mark, otherwise as the
 * file or the connection says, otherwise as detected from the bytes.
 * @param evidence of the whole file
 */
export function textEncoding(head: Uint8Array, charset: string | null, evidence: CharsetEvidence): Encoding {
  const marked = markedEncoding(head);
  if (marked !== null) return { charset: marked, strictly: true };
  return charset === null ? { charset: evidence.charset(), strictly: false } : { charset, strictly: true };
}

/** `strictly`: bytes that are invalid in the encoding end the reading with a fault. */
export type Encoding = { readonly charset: string; readonly strictly: boolean };

/** @throws StatementFault for bytes that are invalid in the encoding */
export async function* decoded(
  bytes: AsyncIterable<Uint8Array>,
  { charset, strictly }: Encoding,
): AsyncGenerator<string> {
  const decode = openDecoder(charset, strictly);
  for await (const piece of bytes) {
    const text = decode(piece);
    if (text !== '') yield text;
  }
  const last = decode(null);
  if (last !== '') yield last;
}

/** Some banks leave an empty line before the XML declaration, which must come first. */
export async function* fromFirstCharacter(text: AsyncIterable<string>): AsyncGenerator<string> {
  let begun = false;
  for await (const piece of text) {
    const rest: string = begun ? piece : piece.trimStart();
    begun ||= rest !== '';
    if (rest !== '') yield rest;
  }
}

export function markedEncoding(bytes: Uint8Array): string | null {
  const [first, second, third] = bytes;
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8';
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0x00)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0x00 && second === 0x3c)) return 'utf-16be';
  return null;
}

export function declaredEncoding(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, 200)).toString('latin1');
  const name = /^\s*<\?xml[^>]*\bencoding\s*=\s*["']([A-Za-z0-9._-]+)["']/.exec(head)?.[1] ?? 'utf-8';
  const encoding = XML_ENCODINGS[name.toLowerCase()];
  if (encoding === undefined) throw new StatementFault(`the encoding ${name.slice(0, 40)} is not supported`, 'line 1');
  return encoding;
}
