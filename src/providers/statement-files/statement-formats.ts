import { readCamt053 } from './camt053.ts';
import type { FileSettings } from './file-settings.ts';
import { readMt940 } from './mt940.ts';
import { looksLikeSwift } from './mt940-fields.ts';
import type { StatementFormat } from './statement.ts';
import type { StatementReader } from './statement-parts.ts';

/** Characters at the beginning of a file by which its format is detected. */
export const HEAD_LENGTH = 65_536;

/** A format that statements come in. */
export type FormatReader = {
  readonly format: StatementFormat;
  /**
   * Whether a file is in this format. `head`: its first `HEAD_LENGTH` characters, decoded, without byte order mark and
   * white space before the first one. Takes linear time.
   */
  readonly looksLike: (head: string) => boolean;
  /** `xml`: decoded as the XML declaration says; `text`: as the bytes suggest, unless `charsetOf` names an encoding. */
  readonly decoding: 'xml' | 'text';
  /** The encoding that the file's own head or the mapping of its columns names; null: none is named. */
  readonly charsetOf: (head: string) => string | null;
  readonly reader: StatementReader;
};

const CAMT_053: FormatReader = {
  format: 'camt.053',
  looksLike: (head) => head.startsWith('<'),
  decoding: 'xml',
  charsetOf: () => null,
  reader: readCamt053,
};

const MT940: FormatReader = {
  format: 'MT940',
  looksLike: looksLikeSwift,
  decoding: 'text',
  charsetOf: () => null,
  reader: readMt940,
};

/** The formats in the order in which they are tried: the first that a file looks like is the one it is read in. */
export function statementFormats(_settings: Pick<FileSettings, 'charset'>): readonly FormatReader[] {
  return [CAMT_053, MT940];
}

/** The format that a file is in; null for a file of no known kind. */
export function formatOf(head: string, settings: Pick<FileSettings, 'charset'>): FormatReader | null {
  return statementFormats(settings).find(({ looksLike }) => looksLike(head)) ?? null;
}
