import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createInflateRaw } from 'node:zlib';
import { type ByteSource, piecesOf } from './byte-source.ts';
import { StatementFault } from './statement.ts';

/**
 * The largest total size that a packed file may unpack to, in bytes and as a multiple of its own size: a zip bomb
 * unpacks to any size.
 */
export type UnpackedLimits = { readonly bytes: number; readonly ratio: number };

export const UNPACKED_LIMITS: UnpackedLimits = { bytes: 1024 * 1024 * 1024, ratio: 250 };
/** Every packed file may unpack to this size. */
const HARMLESS_BYTES = 4 * 1024 * 1024;
const MOST_ENTRIES = 1_000;

/** A file in a packed file. `open`: its bytes, from the beginning each time. */
export type PackedEntry = { readonly name: string; readonly open: () => AsyncIterable<Uint8Array> };

/**
 * The files in a gzip or zip file in their order; null for one that is neither. A file is inflated only as it is read,
 * and no more than a piece of it is held in memory.
 * @throws StatementFault, as reading an entry does
 */
export async function packedEntries(
  source: ByteSource,
  limits: UnpackedLimits = UNPACKED_LIMITS,
): Promise<PackedEntry[] | null> {
  const [first, second, third] = await source.read(0, 4);
  if (first === 0x1f && second === 0x8b) {
    const bound = bounded(limits, source.size);
    return [{ name: '', open: () => inflated(piecesOf(source), createGunzip(), bound('')) }];
  }
  const isZip = first === 0x50 && second === 0x4b && (third === 0x03 || third === 0x05);
  return isZip ? zipEntries(source, limits) : null;
}

/** Counts bytes. @throws StatementFault for too many */
type Count = { readonly add: (bytes: number) => void };
/** The count for one reading of an entry; the bytes of an entry that is read again count only once. */
type Bound = (entry: string) => Count;

function bounded({ bytes: most, ratio }: UnpackedLimits, packedBytes: number): Bound {
  const counted = new Map<string, number>();
  const limit = Math.min(most, Math.max(HARMLESS_BYTES, ratio * packedBytes));
  let total = 0;
  return (entry) => {
    let read = 0;
    return {
      add(bytes) {
        read += bytes;
        const known = counted.get(entry) ?? 0;
        if (read <= known) return;
        total += read - known;
        counted.set(entry, read);
        if (total > limit) throw tooMuch(limit === most ? most : null);
      },
    };
  };
}

function tooMuch(most: number | null): StatementFault {
  const message =
    most === null
      ? 'the packed file is far larger unpacked than any statement'
      : `the file is larger than ${Math.floor(most / 1024 / 1024)} MiB unpacked`;
  return new StatementFault(message, null, 'STATEMENT_FILE_TOO_LARGE', true);
}

function damaged(): StatementFault {
  return new StatementFault('the packed file is damaged', null, 'STATEMENT_FILE_INVALID', true);
}

async function* inflated(
  packed: AsyncIterable<Uint8Array>,
  inflate: Transform,
  count: Count,
): AsyncGenerator<Uint8Array> {
  // A failure of either side ends the other; it surfaces where the bytes are read.
  const fed = pipeline(Readable.from(packed), inflate).catch(() => undefined);
  try {
    for await (const piece of inflate) {
      count.add(piece.length);
      yield piece;
    }
  } catch (error) {
    throw isOfZlib(error) ? damaged() : error;
  } finally {
    inflate.destroy();
    await fed;
  }
}

function isOfZlib(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_STREAM_PREMATURE)/.test(String(error.code));
}

const END_RECORD = 0x0605_4b50;
const END_RECORD_LENGTH = 22;
const LONGEST_COMMENT = 65_535;
const DIRECTORY_ENTRY = 0x0201_4b50;
const DIRECTORY_ENTRY_LENGTH = 46;
const LOCAL_ENTRY = 0x0403_4b50;
const LOCAL_ENTRY_LENGTH = 30;
const [STORED, DEFLATED] = [0, 8];
const ENCRYPTED = 1;

type ZipEntry = {
  readonly method: number;
  readonly packed: number;
  readonly local: number;
};

/** The entries by the central directory at the end of the file (APPNOTE 4.3.12), which is what the packer intended. */
async function zipEntries(source: ByteSource, limits: UnpackedLimits): Promise<PackedEntry[]> {
  const bound = bounded(limits, source.size);
  const end = await endRecordOf(source);
  if (end === null) throw damaged();
  const count = end.readUInt16LE(10);
  if (count > MOST_ENTRIES) throw new StatementFault(`the packed file holds more than ${MOST_ENTRIES} files`, null);
  const entries: PackedEntry[] = [];
  let at = end.readUInt32LE(16);
  let stated = 0;
  for (let index = 0; index < count; index += 1) {
    const head = await exactly(source, at, DIRECTORY_ENTRY_LENGTH);
    if (head.readUInt32LE(0) !== DIRECTORY_ENTRY) throw damaged();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((place) => head.readUInt16LE(place));
    const name = (await exactly(source, at + DIRECTORY_ENTRY_LENGTH, nameLength ?? 0)).toString('utf8');
    at += DIRECTORY_ENTRY_LENGTH + (nameLength ?? 0) + (extraLength ?? 0) + (commentLength ?? 0);
    if (name.endsWith('/')) continue;
    const [flags, method] = [head.readUInt16LE(8), head.readUInt16LE(10)];
    if ((flags & ENCRYPTED) !== 0) throw new StatementFault('the packed file is encrypted', null);
    if (method !== STORED && method !== DEFLATED) {
      throw new StatementFault('the packed file is packed in an unknown way', null);
    }
    stated += head.readUInt32LE(24);
    if (stated > limits.bytes) throw tooMuch(limits.bytes);
    const entry = { method, packed: head.readUInt32LE(20), local: head.readUInt32LE(42) };
    entries.push({ name, open: () => entryBytes(source, entry, bound(`${index}`)) });
  }
  return entries;
}

async function* entryBytes(
  source: ByteSource,
  { local, packed, method }: ZipEntry,
  count: Count,
): AsyncGenerator<Uint8Array> {
  const head = await exactly(source, local, LOCAL_ENTRY_LENGTH);
  if (head.readUInt32LE(0) !== LOCAL_ENTRY) throw damaged();
  const from = local + LOCAL_ENTRY_LENGTH + head.readUInt16LE(26) + head.readUInt16LE(28);
  if (from + packed > source.size) throw damaged();
  const bytes = piecesOf(source, from, from + packed);
  if (method === DEFLATED) return yield* inflated(bytes, createInflateRaw(), count);
  for await (const piece of bytes) {
    count.add(piece.length);
    yield piece;
  }
}

async function exactly(source: ByteSource, at: number, length: number): Promise<Buffer> {
  const bytes = await source.read(at, length);
  if (bytes.length < length) throw damaged();
  return bytes;
}

async function endRecordOf(source: ByteSource): Promise<Buffer | null> {
  const from = Math.max(0, source.size - END_RECORD_LENGTH - LONGEST_COMMENT);
  const tail = await source.read(from, source.size - from);
  for (let at = tail.length - END_RECORD_LENGTH; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === END_RECORD) return tail.subarray(at);
  }
  return null;
}
