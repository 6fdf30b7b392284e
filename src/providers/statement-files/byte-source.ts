import type { FileHandle } from 'node:fs/promises';

/** Bytes that can be read from any place, as often as needed. */
export type ByteSource = {
  readonly size: number;
  /** Up to `length` bytes from `at`; fewer only at the end. `into`: a buffer to read into, if it is long enough. */
  readonly read: (at: number, length: number, into?: Buffer) => Promise<Buffer>;
};

const PIECE_BYTES = 64 * 1024;

export function bytesInMemory(bytes: Uint8Array): ByteSource {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return { size: buffer.length, read: async (at, length) => buffer.subarray(at, at + length) };
}

/** @param size of the file when it was listed: bytes appended since then are not read */
export function bytesOfFile(handle: FileHandle, size: number): ByteSource {
  return {
    size,
    async read(at, length, into) {
      const wanted = Math.max(0, Math.min(length, size - at));
      const buffer = into !== undefined && into.length >= wanted ? into : Buffer.allocUnsafeSlow(wanted);
      let filled = 0;
      while (filled < wanted) {
        const { bytesRead } = await handle.read(buffer, filled, wanted - filled, at + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return buffer.subarray(0, filled);
    },
  };
}

/** The bytes from `from` up to, but not including, `to`, in pieces. */
export async function* piecesOf(source: ByteSource, from = 0, to = source.size): AsyncGenerator<Buffer> {
  yield* pieces(source, from, to, undefined);
}

/** The whole source in pieces, each valid until the next one is requested: this takes the memory of one piece. */
export async function* passingPiecesOf(source: ByteSource): AsyncGenerator<Buffer> {
  yield* pieces(source, 0, source.size, Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, source.size)));
}

async function* pieces(source: ByteSource, from: number, to: number, into: Buffer | undefined): AsyncGenerator<Buffer> {
  for (let at = from; at < to; ) {
    const piece = await source.read(at, Math.min(PIECE_BYTES, to - at), into);
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}
