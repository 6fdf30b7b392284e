import { readBai2 } from './bai2.ts';
import { readCamt052, readCamt053 } from './camt053.ts';
import { readCamt054 } from './camt054.ts';
import { isCharset } from './code-pages.ts';
import { csvReader, looksLikeCsv } from './csv.ts';
import type { CsvMapping } from './csv-mapping.ts';
import type { FileSettings } from './file-settings.ts';
import { readMt940 } from './mt940.ts';
import { looksLikeSwift } from './mt940-fields.ts';
import { looksLikeMt942, readMt942 } from './mt942.ts';
import { readOfx } from './ofx.ts';
import type { StatementFormat } from './statement.ts';
import type { StatementReader } from './statement-parts.ts';

/** Characters at the beginning of a file by which its format is detected. */
export const HEAD_LENGTH = 65_536;

/** A format of statement files. */
export type FormatReader = {
  readonly format: StatementFormat;
  /**
   * Whether a file is in this format. `head`: its first `HEAD_LENGTH` characters, decoded, without byte order mark and
   * white space before the first one. Takes linear time.
   */
  readonly looksLike: (head: string) => boolean;
  /** `xml`: decoded as the XML declaration says; `text`: as the bytes suggest, unless `charsetOf` names an encoding. */
  readonly decoding: 'xml' | 'text';
  /** The encoding that the beginning of the file or the CSV mapping names; null: neither names one. */
  readonly charsetOf: (head: string) => string | null;
  readonly reader: StatementReader;
};

/** The settings that determine formats and encodings. */
export type ReadingSettings = Pick<FileSettings, 'charset' | 'csv'>;

/** The formats in the order in which they are tried: a file is read in the first one that it looks like. */
function statementFormats({ csv }: ReadingSettings): readonly FormatReader[] {
  return [...FORMATS, ...(csv === null ? [] : [csvFormat(csv)])];
}

const FORMATS: readonly FormatReader[] = [
  {
    format: 'camt.052',
    looksLike: (head) => head.startsWith('<') && /<(?:[\w.-]+:)?BkToCstmrAcctRpt[\s>]/.test(head),
    decoding: 'xml',
    charsetOf: () => null,
    reader: readCamt052,
  },
  {
    format: 'camt.054',
    looksLike: (head) => head.startsWith('<') && /<(?:[\w.-]+:)?BkToCstmrDbtCdtNtfctn[\s>]/.test(head),
    decoding: 'xml',
    charsetOf: () => null,
    reader: readCamt054,
  },
  {
    format: 'camt.053',
    looksLike: (head) => head.startsWith('<') && /<(?:[\w.-]+:)?(Document|BkToCstmr)|camt\.05/.test(head),
    decoding: 'xml',
    charsetOf: () => null,
    reader: readCamt053,
  },
  {
    format: 'MT942',
    looksLike: looksLikeMt942,
    decoding: 'text',
    charsetOf: () => null,
    reader: readMt942,
  },
  {
    format: 'MT940',
    looksLike: looksLikeSwift,
    decoding: 'text',
    charsetOf: () => null,
    reader: readMt940,
  },
  {
    format: 'OFX',
    looksLike: (head) =>
      /^(?:OFXHEADER\s*:|<(?:[?!][^<]*<)*OFX>|<\?OFX\s)/i.test(head) || /^<\?xml[^<]*<\?OFX\s/i.test(head),
    decoding: 'text',
    charsetOf: ofxCharset,
    reader: readOfx,
  },
  {
    format: 'BAI2',
    looksLike: (head) => /^01,[^,\r\n]*,[^,\r\n]*,\d{6}/.test(head),
    decoding: 'text',
    charsetOf: () => null,
    reader: readBai2,
  },
];

/** The encoding that OFX 1 names in its header and OFX 2 in its XML declaration; null for none or an unknown one. */
function ofxCharset(head: string): string | null {
  const [header = ''] = head.split('<OFX>', 1);
  const declared = /\bencoding\s*=\s*["']([\w.-]{1,40})["']/i.exec(header)?.[1];
  const page = /\bCHARSET\s*[:=]\s*"?([\w-]{1,20})/i.exec(header)?.[1];
  const isUtf8 = /\bENCODING\s*:\s*(UTF-?8|UNICODE)/i.test(header);
  const name = isUtf8 ? 'utf-8' : (declared ?? (/^\d+$/.test(page ?? '') ? `cp${page}` : page));
  return isCharset(name) ? name : null;
}

/** Tried last, because a text in another format may contain any separator. */
function csvFormat(mapping: CsvMapping): FormatReader {
  return {
    format: 'CSV',
    looksLike: (head) => looksLikeCsv(mapping, head),
    decoding: 'text',
    charsetOf: () => mapping.charset,
    reader: csvReader(mapping),
  };
}

/** The format that a file is in; null for an unknown format. */
export function formatOf(head: string, settings: ReadingSettings): FormatReader | null {
  return statementFormats(settings).find(({ looksLike }) => looksLike(head)) ?? null;
}
