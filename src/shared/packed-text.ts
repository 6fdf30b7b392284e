import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Text like the texts to be packed: what one has in common with it takes next to no space. */
export type Dictionary = { readonly number: number; readonly bytes: Uint8Array };

/** Most of what a dictionary may have, so that a text of 2 kB is still near enough to all of it. */
export const DICTIONARY_BYTES = 6 * 1024;

/** The first byte. Then: the number of the dictionary, 0 for none; the length of the text in bytes; compressed text. */
const [SMALL_WINDOW, LARGE_WINDOW] = [1, 2];
/** A window of 8 KiB is set up in a fraction of the time that one of 32 KiB takes. */
const SMALL = { windowBits: 13, memLevel: 5, level: 6 } as const;
const LARGE = { windowBits: 15, memLevel: 8, level: 6 } as const;
const LARGE_FROM = 16 * 1024;
/** A damaged length must not take all memory. */
const MOST_AT_ONCE = 1024 * 1024;

/** The text packed, or undefined where that would not be shorter. */
export function packText(text: string, dictionary: Dictionary | undefined): Uint8Array | undefined {
  const bytes = Buffer.from(text);
  const isLarge = bytes.length >= LARGE_FROM;
  const options = { ...(isLarge ? LARGE : SMALL), chunkSize: chunkFor(bytes.length) };
  const packed = deflateRawSync(
    bytes,
    dictionary === undefined ? options : { ...options, dictionary: dictionary.bytes },
  );
  const kind = isLarge ? LARGE_WINDOW : SMALL_WINDOW;
  const head = Uint8Array.from([kind, ...varint(dictionary?.number ?? 0), ...varint(bytes.length)]);
  return head.length + packed.length < bytes.length ? Buffer.concat([head, packed]) : undefined;
}

/**
 * The inverse.
 * @param dictionaryOf the bytes of the dictionary with a number; undefined for one that does not exist
 * @throws RangeError for anything that {@link packText} does not return
 */
export function unpackText(packed: Uint8Array, dictionaryOf: (number: number) => Uint8Array | undefined): string {
  const [kind] = packed;
  if (kind !== SMALL_WINDOW && kind !== LARGE_WINDOW) throw new RangeError('not a packed text');
  const { windowBits } = kind === SMALL_WINDOW ? SMALL : LARGE;
  const [number, lengthAt] = readVarint(packed, 1);
  const [length, from] = readVarint(packed, lengthAt);
  const dictionary = number === 0 ? undefined : dictionaryOf(number);
  if (number !== 0 && dictionary === undefined) throw new RangeError(`there is no dictionary ${number}`);
  const options = {
    windowBits,
    chunkSize: chunkFor(length + 1),
    maxOutputLength: length + 1,
  };
  let bytes: Buffer;
  try {
    bytes = inflateRawSync(packed.subarray(from), dictionary === undefined ? options : { ...options, dictionary });
  } catch (cause) {
    throw new RangeError('a packed text is damaged', { cause });
  }
  if (bytes.length !== length) throw new RangeError('a packed text is damaged');
  return bytes.toString();
}

/**
 * What zlib allocates for its output, in bytes. With its 16 KiB for each short text, what waits for garbage collection
 * would be many times as large as the texts.
 */
function chunkFor(length: number): number {
  return Math.min(Math.max(64, length), MOST_AT_ONCE);
}

/** A dictionary of these texts; what is last in it costs least to refer to. */
export function dictionaryBytes(texts: readonly string[]): Uint8Array {
  return Buffer.from(texts.join('\n')).subarray(-DICTIONARY_BYTES);
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return [...bytes, rest];
}

/** The number, and where the next byte is. */
function readVarint(bytes: Uint8Array, from: number): [value: number, next: number] {
  let value = 0;
  for (let [at, factor] = [from, 1]; ; at += 1, factor *= 0x80) {
    const byte = bytes[at] ?? 0;
    value += (byte % 0x80) * factor;
    if (byte < 0x80) return [value, at + 1];
  }
}
