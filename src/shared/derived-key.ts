import { hkdfSync } from 'node:crypto';

/** A key for one purpose, derived from the master key (RFC 5869), so that no two purposes share one. */
export function derivedKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32));
}
