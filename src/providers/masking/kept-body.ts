import { sha256 } from '../../shared/hash.ts';
import type { Masking } from './masking.ts';

/**
 * A body as it is stored. `size` (bytes) and `sha256` are those of the original; `text` is null when it is not text.
 */
export type KeptBody = {
  readonly size: number;
  readonly sha256: string;
  /** True when the original is longer than what is stored. */
  readonly truncated: boolean;
  readonly text: string | null;
};

const KEPT_BYTES = 32 * 1024;

/**
 * Masks first and truncates afterwards, so that no secret is cut in two and missed. To bound the cost, the text beyond
 * the cut is searched only as far as a secret that begins before the cut can reach.
 */
export function keptBody(masking: Masking, body: string | Uint8Array | null): KeptBody | null {
  if (body === null) return null;
  const bytes = typeof body === 'string' ? Buffer.from(body, 'utf8') : Buffer.from(body);
  const original = { size: bytes.length, sha256: sha256(bytes) };
  const lookedAt = readable(bytes.subarray(0, KEPT_BYTES + masking.longestSecret));
  if (lookedAt === null) return { ...original, truncated: false, text: null };
  const kept = bytes.length <= KEPT_BYTES ? lookedAt.length : textOf(bytes.subarray(0, KEPT_BYTES)).length;
  const text = cut(masking.text(lookedAt, kept));
  return { ...original, truncated: bytes.length > KEPT_BYTES, text };
}

/** Null for bytes that are not valid UTF-8 or contain U+0000. A character that the cut divides is left out. */
function readable(bytes: Buffer): string | null {
  const text = textOf(bytes);
  return text.includes('\ufffd') || text.includes('\0') ? null : text;
}

function textOf(bytes: Buffer): string {
  let end = bytes.length;
  // A UTF-8 sequence has at most four bytes, and only its first is not a continuation byte.
  for (let back = 1; back <= Math.min(4, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >> 6 === 2) continue;
    const length = byte < 0x80 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
    if (length > back) end = bytes.length - back;
    break;
  }
  return bytes.toString('utf8', 0, end);
}

/** Masking can make a text longer. */
function cut(text: string): string {
  return Buffer.byteLength(text) <= KEPT_BYTES ? text : textOf(Buffer.from(text).subarray(0, KEPT_BYTES));
}
