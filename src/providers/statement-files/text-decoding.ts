import { charsetOf, decodeAs, decodeLoosely } from './code-pages.ts';
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

/** The text of an XML file: by its byte order mark, else by its declaration, else UTF-8. @throws StatementFault */
export function decodeXml(bytes: Uint8Array): string {
  // Some banks leave an empty line before the declaration, which must stand first.
  return decode(bytes, markedEncoding(bytes) ?? declaredEncoding(bytes)).trimStart();
}

/**
 * MT940 declares no encoding: by the byte order mark, else as the connection says, else as the bytes tell. @throws
 * StatementFault
 */
export function decodeSwift(bytes: Uint8Array, charset: string | null): string {
  const marked = markedEncoding(bytes);
  if (marked !== null) return decode(bytes, marked);
  return charset === null ? decodeLoosely(bytes, charsetOf(bytes)) : decodeAs(bytes, charset);
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

function decode(bytes: Uint8Array, encoding: string): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    throw new StatementFault(`the file is not valid ${encoding}`, null);
  }
}
