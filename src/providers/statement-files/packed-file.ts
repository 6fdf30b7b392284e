import { promisify } from 'node:util';
import { gunzip, inflateRaw } from 'node:zlib';
import { StatementFault } from './statement.ts';

/** What a packed file may come to, all of it together: a bomb of a few bytes comes to anything. */
export const LARGEST_UNPACKED_BYTES = 64 * 1024 * 1024;
const MOST_ENTRIES = 1_000;

export type UnpackedFile = { readonly name: string; readonly bytes: Uint8Array };

/** The files in a gzip or zip file in their order; null for one that is neither. @throws StatementFault */
export async function unpack(bytes: Uint8Array): Promise<UnpackedFile[] | null> {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) {
    return [{ name: '', bytes: await inflated(promisify(gunzip)(bytes, { maxOutputLength: LARGEST_UNPACKED_BYTES })) }];
  }
  const isZip = bytes[0] === 0x50 && bytes[1] === 0x4b && (bytes[2] === 0x03 || bytes[2] === 0x05);
  return isZip ? unzip(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)) : null;
}

async function inflated(work: Promise<Buffer>): Promise<Buffer> {
  try {
    return await work;
  } catch (error) {
    const tooLarge = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
    throw tooLarge ? tooMuch() : new StatementFault('the packed file is damaged', null);
  }
}

function tooMuch(): StatementFault {
  const mebibytes = LARGEST_UNPACKED_BYTES / 1024 / 1024;
  return new StatementFault(`the file is larger than ${mebibytes} MiB unpacked`, null, 'STATEMENT_FILE_TOO_LARGE');
}

const END_RECORD = 0x0605_4b50;
const END_RECORD_LENGTH = 22;
const LONGEST_COMMENT = 65_535;
const DIRECTORY_ENTRY = 0x0201_4b50;
const LOCAL_ENTRY = 0x0403_4b50;
const [STORED, DEFLATED] = [0, 8];
const ENCRYPTED = 1;

/** By the directory at the end of the file (APPNOTE 4.3.12), as whoever packed it meant it. */
async function unzip(file: Buffer): Promise<UnpackedFile[]> {
  const damaged = (): StatementFault => new StatementFault('the packed file is damaged', null);
  const end = endRecordOf(file);
  if (end === null) throw damaged();
  const count = file.readUInt16LE(end + 10);
  if (count > MOST_ENTRIES) throw new StatementFault(`the packed file holds more than ${MOST_ENTRIES} files`, null);
  const files: UnpackedFile[] = [];
  let left = LARGEST_UNPACKED_BYTES;
  let at = file.readUInt32LE(end + 16);
  try {
    for (let index = 0; index < count; index += 1) {
      if (file.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged();
      const [flags, method] = [file.readUInt16LE(at + 8), file.readUInt16LE(at + 10)];
      const [packed, size] = [file.readUInt32LE(at + 20), file.readUInt32LE(at + 24)];
      const lengths = [28, 30, 32].map((place) => file.readUInt16LE(at + place));
      const [nameLength = 0, extraLength = 0, commentLength = 0] = lengths;
      const name = file.toString('utf8', at + 46, at + 46 + nameLength);
      const local = file.readUInt32LE(at + 42);
      at += 46 + nameLength + extraLength + commentLength;
      if (name.endsWith('/')) continue;
      if ((flags & ENCRYPTED) !== 0) throw new StatementFault('the packed file is encrypted', null);
      if (size > left) throw tooMuch();
      if (file.readUInt32LE(local) !== LOCAL_ENTRY) throw damaged();
      const from = local + 30 + file.readUInt16LE(local + 26) + file.readUInt16LE(local + 28);
      if (from + packed > file.length) throw damaged();
      const content = file.subarray(from, from + packed);
      const bytes = await contentOf(method, content, left);
      left -= bytes.length;
      files.push({ name, bytes });
    }
  } catch (error) {
    throw error instanceof RangeError ? damaged() : error;
  }
  return files;
}

async function contentOf(method: number, content: Buffer, left: number): Promise<Buffer> {
  if (method === STORED) return content;
  if (method !== DEFLATED) throw new StatementFault('the packed file is packed in an unknown way', null);
  return inflated(promisify(inflateRaw)(content, { maxOutputLength: Math.max(1, left) }));
}

function endRecordOf(file: Buffer): number | null {
  const last = file.length - END_RECORD_LENGTH;
  for (let at = last; at >= Math.max(0, last - LONGEST_COMMENT); at -= 1) {
    if (file.readUInt32LE(at) === END_RECORD) return at;
  }
  return null;
}
