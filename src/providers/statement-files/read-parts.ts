import { type ByteSource, bytesInMemory, passingPiecesOf } from './byte-source.ts';
import { type CharsetEvidence, openCharsetEvidence, openDecoder } from './code-pages.ts';
import { packedEntries, type UnpackedLimits } from './packed-file.ts';
import { type Reading, StatementFault, type StatementFormat } from './statement.ts';
import { type FormatReader, formatOf, HEAD_LENGTH, type ReadingSettings } from './statement-formats.ts';
import { collectStatements, type StatementPart } from './statement-parts.ts';
import { decoded, type Encoding, fromFirstCharacter, HEAD_BYTES, textEncoding, xmlEncoding } from './text-decoding.ts';

/** Opens a file, or one packed in it, from its start. */
type Open = () => AsyncIterable<Uint8Array>;

/**
 * The content of a file, packed or not, in any format. Places in a packed file start with the name of the file within.
 * @throws StatementFault when nothing more can be read; what was yielded before that remains valid
 */
export async function* readParts(
  source: ByteSource,
  settings: ReadingSettings,
  limits?: UnpackedLimits,
): AsyncGenerator<StatementPart> {
  const packed = await packedEntries(source, limits);
  if (packed === null) return yield* readPlain(() => passingPiecesOf(source), settings);
  for (const { name, open } of packed) {
    const within = (place: string | null): string | null =>
      name === '' ? place : [name.slice(0, 100), place].filter((part) => part !== null).join(', ');
    try {
      for await (const part of readPlain(open, settings)) yield placed(part, within);
    } catch (error) {
      if (!(error instanceof StatementFault) || error.ofWholeFile) throw error;
      yield placed({ kind: 'fault', fault: error }, within);
    }
  }
}

/** @throws StatementFault when nothing more can be read */
export function readStatements(
  bytes: Uint8Array,
  settings: Partial<ReadingSettings> = {},
  limits?: UnpackedLimits,
): Promise<Reading> {
  return collectStatements(readParts(bytesInMemory(bytes), { charset: null, csv: null, ...settings }, limits));
}

function placed(part: StatementPart, within: (place: string | null) => string | null): StatementPart {
  if (part.kind === 'row') return part;
  if (part.kind === 'fault') {
    const { message, place, code } = part.fault;
    return { kind: 'fault', fault: new StatementFault(message, within(place), code) };
  }
  const { statement } = part;
  return { ...part, statement: { ...statement, place: within(statement.place) ?? statement.place } };
}

async function* readPlain(open: Open, settings: ReadingSettings): AsyncGenerator<StatementPart> {
  const head = await headOf(open);
  if (head.length === 0) throw new StatementFault('the file is empty', null, 'STATEMENT_FORMAT_UNKNOWN');
  const { format, encoding } = await detected(head, open, settings);
  const text = decoded(open(), encoding);
  yield* format.reader(format.decoding === 'xml' ? fromFirstCharacter(text) : text);
}

/** The first bytes, without reading further. */
async function headOf(open: Open): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of open()) {
    pieces.push(Uint8Array.from(piece));
    length += piece.length;
    if (length >= HEAD_BYTES) break;
  }
  return Buffer.concat(pieces).subarray(0, HEAD_BYTES);
}

/** The bytes as Latin-1 characters, without NULs, a byte order mark and leading white space. */
function latinHead(head: Buffer): string {
  return head
    .toString('latin1')
    .replace(/\0|^(ï»¿|ÿþ|þÿ)/g, '')
    .trimStart();
}

async function detected(
  head: Buffer,
  open: Open,
  settings: ReadingSettings,
): Promise<{ format: FormatReader; encoding: Encoding }> {
  const latin = latinHead(head);
  let evidence: CharsetEvidence | null = null;
  const asText = async (charset: string | null): Promise<Encoding> => {
    evidence ??= charset === null ? await evidenceOf(open) : null;
    return textEncoding(head, charset, evidence ?? openCharsetEvidence());
  };
  if (latin.startsWith('<')) {
    const format = formatOf(latin, settings);
    if (format === null) throw unknownFormat();
    if (format.decoding === 'xml') return { format, encoding: xmlEncoding(head) };
    return { format, encoding: await asText(format.charsetOf(latin) ?? settings.charset) };
  }
  const encoding = await asText(settings.charset);
  const formatIn = (charset: string): FormatReader | null =>
    formatOf(openDecoder(charset, false)(head).trimStart().slice(0, HEAD_LENGTH), settings);
  const { csv } = settings;
  const format = formatIn(encoding.charset) ?? (csv?.charset ? formatIn(csv.charset) : null);
  if (format === null) throw unknownFormat();
  const named = format.charsetOf(latin);
  return { format, encoding: named === null ? encoding : await asText(named) };
}

/** The format and encoding of a file, or of the first file in a packed one; null for an unknown format. */
export async function formatAndCharset(
  source: ByteSource,
  settings: ReadingSettings,
): Promise<{ format: StatementFormat; charset: string } | null> {
  try {
    const packed = await packedEntries(source);
    const open = packed === null ? () => passingPiecesOf(source) : packed[0]?.open;
    if (open === undefined) return null;
    const { format, encoding } = await detected(await headOf(open), open, settings);
    return { format: format.format, charset: encoding.charset };
  } catch (error) {
    if (error instanceof StatementFault) return null;
    throw error;
  }
}

function unknownFormat(): StatementFault {
  return new StatementFault('the file is in no format that is read', null, 'STATEMENT_FORMAT_UNKNOWN');
}

async function evidenceOf(open: Open): Promise<CharsetEvidence> {
  const evidence = openCharsetEvidence();
  for await (const piece of open()) evidence.take(piece);
  return evidence;
}
