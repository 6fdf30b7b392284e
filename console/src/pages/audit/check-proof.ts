import canonicalize from 'canonicalize';
import type { EventProof } from '../../../../sdk/src/index.ts';

/** A step of the check; `null`: it was not reached, or there was nothing to check against. */
export type ProofSteps = {
  readonly event: boolean;
  readonly path: boolean;
  readonly signature: boolean;
  readonly key: boolean | null;
};

type Bytes = Uint8Array<ArrayBuffer>;

/** Before a leaf and before an inner node (RFC 6962, 2.1), so that neither can pass for the other. */
const LEAF = new Uint8Array([0]);
const NODE = new Uint8Array([1]);

/**
 * Checks that an event is among those that a seal covers: its leaf hash, the way to the root (RFC 6962, 2.1.1), and the
 * signature of the seal, by Web Crypto alone. `keptKey` is the service's public key as somebody kept it, raw in Base64;
 * empty for none.
 * @throws Error where the browser knows no Ed25519
 */
export async function checkProof(proof: EventProof, keptKey: string): Promise<ProofSteps> {
  const { event, leafHash, leafIndex, treeSize, auditPath, seal } = proof;
  const { signature, ...unsigned } = seal;
  const leaf = await sha256(LEAF, textBytes(canonicalize(event) ?? ''));
  const path = auditPath.map(hexBytes);
  const root = await rootFrom(leaf, leafIndex, treeSize, path);
  return {
    event: toHex(leaf) === leafHash,
    path: root !== null && toHex(root) === seal.root,
    signature: await isSigned(seal.publicKey, canonicalize(unsigned) ?? '', signature),
    key: keptKey.trim() === '' ? null : keptKey.trim() === seal.publicKey,
  };
}

/** Null for a path of the wrong length. */
async function rootFrom(leaf: Bytes, index: number, size: number, path: readonly Bytes[]): Promise<Bytes | null> {
  if (index < 0 || index >= size) return null;
  const sibling = path.at(-1);
  if (size === 1) return sibling === undefined ? leaf : null;
  if (sibling === undefined) return null;
  const half = 2 ** Math.floor(Math.log2(size - 1));
  const inner = path.slice(0, -1);
  const isLeft = index < half;
  const part = isLeft
    ? await rootFrom(leaf, index, half, inner)
    : await rootFrom(leaf, index - half, size - half, inner);
  if (part === null) return null;
  return isLeft ? await sha256(NODE, part, sibling) : await sha256(NODE, sibling, part);
}

async function isSigned(publicKey: string, text: string, signature: string): Promise<boolean> {
  const key = await crypto.subtle.importKey('raw', base64Bytes(publicKey), 'Ed25519', false, ['verify']);
  return crypto.subtle.verify('Ed25519', key, base64Bytes(signature), textBytes(text));
}

async function sha256(...parts: readonly Bytes[]): Promise<Bytes> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return new Uint8Array(await crypto.subtle.digest('SHA-256', all));
}

function textBytes(text: string): Bytes {
  return new Uint8Array(new TextEncoder().encode(text));
}

function base64Bytes(text: string): Bytes {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

function hexBytes(text: string): Bytes {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toHex(bytes: Bytes): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
