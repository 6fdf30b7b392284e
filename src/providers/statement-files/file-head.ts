import { charsetOf, decodeLoosely } from './code-pages.ts';
import { StatementFault } from './statement.ts';
import { type FormatReader, formatOf, HEAD_LENGTH, type ReadingSettings } from './statement-formats.ts';
import { declaredEncoding, markedEncoding } from './text-decoding.ts';

/** Bytes at the beginning of a file by which its format is detected. */
export const HEAD_BYTES = HEAD_LENGTH;

export type FileHead = {
  /** Null for a file of no known kind. */
  readonly format: FormatReader | null;
  /** The encoding that the file, its format or the connection names; null: it is detected from the bytes. */
  readonly charset: string | null;
  /** The encoding as far as the head shows it; null for an unknown format, or one declared that is not supported. */
  readonly likelyCharset: string | null;
};

/** What the first bytes of an unpacked file say of it. Never throws for what they hold. */
export function readHead(bytes: Uint8Array, settings: ReadingSettings): FileHead {
  const unknown = { format: null, charset: null, likelyCharset: null };
  if (bytes.length === 0) return unknown;
  const plain = Buffer.from(bytes)
    .toString('latin1')
    .replace(/\0|^(ï»¿|ÿþ|þÿ)/g, '')
    .trimStart();
  const marked = markedEncoding(bytes);
  const isXml = plain.startsWith('<');
  const guessed = marked ?? settings.csv?.charset ?? settings.charset ?? charsetOf(bytes);
  const head = isXml ? plain : decoded(bytes, marked, guessed).trimStart();
  const format = formatOf(head, settings) ?? (isXml ? null : formatOf(plain, settings));
  if (format === null) return unknown;
  if (format.decoding === 'xml') return { format, charset: null, likelyCharset: marked ?? declared(bytes) };
  const charset = format.charsetOf(plain) ?? settings.charset;
  return { format, charset, likelyCharset: marked ?? charset ?? charsetOf(bytes) };
}

function decoded(bytes: Uint8Array, marked: string | null, guessed: string): string {
  return marked === null ? decodeLoosely(bytes, guessed) : new TextDecoder(marked).decode(bytes);
}

function declared(bytes: Uint8Array): string | null {
  try {
    return declaredEncoding(bytes);
  } catch (error) {
    if (error instanceof StatementFault) return null;
    throw error;
  }
}
