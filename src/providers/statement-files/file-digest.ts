import { createHash } from 'node:crypto';
import { type ByteSource, passingPiecesOf } from './byte-source.ts';

/** SHA-256 of a file's bytes as stored, in hexadecimal. */
export async function sha256Of(source: ByteSource): Promise<string> {
  const digest = createHash('sha256');
  for await (const piece of passingPiecesOf(source)) digest.update(piece);
  return digest.digest('hex');
}
