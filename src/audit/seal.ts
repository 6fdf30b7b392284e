import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import type { EventData } from '../events/registry.ts';
import { canonicalJson, sha256 } from '../shared/hash.ts';
import { merkleRoot } from './merkle.ts';

export type Seal = EventData<'TenantSealed'>;
type Unsigned = Omit<Seal, 'signature'>;

/** The most events that a seal covers; a tree of that size and its fingerprints fit into one event. */
export const MOST_EVENTS_A_SEAL = 10_000;

const FINGERPRINT_BYTES = 4;

/** DER of an Ed25519 private and public key (RFC 8410), up to the 32 bytes of the key itself. */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

export type SealingKey = {
  /** Raw, base64: what an auditor keeps to verify the service's seals. */
  readonly publicKey: string;
  readonly sign: (text: string) => string;
};

/**
 * @param seed 32 bytes; the same seed is the same key, so all instances that share a TOKEN_KEY sign with the same key
 */
export function openSealingKey(seed: Buffer): SealingKey {
  const privateKey = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: 'der', type: 'pkcs8' });
  const publicDer = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    publicKey: publicDer.subarray(PUBLIC_PREFIX.length).toString('base64'),
    sign: (text) => sign(null, Buffer.from(text), privateKey).toString('base64'),
  };
}

function publicKeyOf(raw: string): KeyObject {
  return createPublicKey({
    key: Buffer.concat([PUBLIC_PREFIX, Buffer.from(raw, 'base64')]),
    format: 'der',
    type: 'spki',
  });
}

/** False also for text that is no key or no signature. */
export function isSignedBy(publicKey: string, text: string, signature: string): boolean {
  try {
    return verify(null, Buffer.from(text), publicKeyOf(publicKey), Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

export function fingerprintsOf(leaves: Iterable<Buffer>): string {
  // In one piece: a view or a string of each would take several times as much.
  let bytes = Buffer.alloc(FINGERPRINT_BYTES * 1_024);
  let length = 0;
  for (const leaf of leaves) {
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * bytes.length);
    length += leaf.copy(bytes, length, 0, FINGERPRINT_BYTES);
  }
  return bytes.toString('base64', 0, length);
}

export function fingerprintList(fingerprints: string): string[] {
  const bytes = Buffer.from(fingerprints, 'base64');
  return Array.from({ length: Math.floor(bytes.length / FINGERPRINT_BYTES) }, (_, at) =>
    bytes.subarray(at * FINGERPRINT_BYTES, (at + 1) * FINGERPRINT_BYTES).toString('hex'),
  );
}

export function fingerprintOf(leaf: Buffer): string {
  return leaf.subarray(0, FINGERPRINT_BYTES).toString('hex');
}

/** SHA-256 of the canonical JSON of a whole seal, which the next seal names. */
export function sealHash(seal: Seal): string {
  return sha256(canonicalJson(seal));
}

/** What a seal needs from the previous one. */
export type SealBefore = { readonly ordinal: number; readonly totalCount: number; readonly hash: string };

/** What a seal covers; `leaves` is called several times. */
export type ToSeal = {
  readonly eventCount: number;
  readonly leaves: () => Iterable<Buffer>;
  readonly toPosition: string;
  readonly sealedAt: string;
};

/** Seals the leaves as the continuation of the previous seal. */
export function makeSeal(key: SealingKey, previous: SealBefore | null, sealed: ToSeal): Seal {
  const { eventCount, leaves, toPosition, sealedAt } = sealed;
  const unsigned: Unsigned = {
    ordinal: (previous?.ordinal ?? 0) + 1,
    eventCount,
    totalCount: (previous?.totalCount ?? 0) + eventCount,
    toPosition,
    root: merkleRoot(leaves()).toString('hex'),
    fingerprints: fingerprintsOf(leaves()),
    previousHash: previous?.hash ?? null,
    sealedAt,
    publicKey: key.publicKey,
  };
  return { ...unsigned, signature: key.sign(canonicalJson(unsigned)) };
}

export function isSealSigned({ signature, ...unsigned }: Seal): boolean {
  return isSignedBy(unsigned.publicKey, canonicalJson(unsigned), signature);
}
