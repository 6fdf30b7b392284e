import { createHmac, hkdfSync, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { sha256 } from '../shared/hash.ts';

/** Where hashes of secrets live: never in an event, so a log can be handed to an auditor whole. */
const SECRET_HASHES: CollectionSpec = { name: 'secret_hashes', indexes: [] };

type SecretHash = Document & { readonly hash: string };

/** A key for one purpose out of the master key (RFC 5869), so that no two purposes share one. */
export function derivedKey(masterKey: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), purpose, 32));
}

const CHECKSUM_LENGTH = 6;

/** `prefix` + 256 random bits + a checksum, by which scanners of leaked secrets can tell a real one from noise. */
export function newSecret(prefix: string): string {
  const body = `${prefix}${randomBytes(32).toString('base64url')}`;
  return `${body}_${sha256(body).slice(0, CHECKSUM_LENGTH)}`;
}

export function newPublicKey(prefix: string): string {
  return `${prefix}${randomBytes(12).toString('hex')}`;
}

export type Secrets = {
  /** Keeps the hash of an API secret: HMAC-SHA-256 with a pepper; the secret itself has 256 random bits, so nothing slower is needed. */
  readonly keepApiSecret: (apiKeyId: string, secret: string) => Promise<void>;
  /** Whether there is anything to compare a secret with. */
  readonly knows: (id: string) => Promise<boolean>;
  /** In constant time whether the secret is the key's; false for a key without one. */
  readonly isApiSecret: (apiKeyId: string, secret: string) => Promise<boolean>;
  /** Keeps the scrypt hash of a password (RFC 7914; N = 2^15, r = 8, p = 3: an OWASP recommended setting). */
  readonly keepPassword: (userId: string, password: string) => Promise<void>;
};

const SCRYPT = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 * 1024 };

export async function openSecrets(readStore: ReadStore, tokenKey: Buffer): Promise<Secrets> {
  await readStore.ensureCollection(SECRET_HASHES);
  const hashes: Collection<SecretHash> = readStore.collection(SECRET_HASHES);
  const pepper = derivedKey(tokenKey, 'api-secret');

  const hmac = (secret: string): Buffer => createHmac('sha256', pepper).update(secret).digest();

  async function keep(id: string, hash: string): Promise<void> {
    const before = await hashes.get(id);
    const version = Number.parseInt(before?._position ?? '0', 10) + 1;
    await hashes.putMany([{ _id: id, _position: String(version).padStart(12, '0'), hash }]);
  }

  return {
    keepApiSecret: (apiKeyId, secret) => keep(apiKeyId, hmac(secret).toString('hex')),
    knows: async (id) => (await hashes.get(id)) !== undefined,
    async isApiSecret(apiKeyId, secret) {
      const kept = await hashes.get(apiKeyId);
      const right = kept === undefined ? Buffer.alloc(32) : Buffer.from(kept.hash, 'hex');
      return timingSafeEqual(hmac(secret), right) && kept !== undefined;
    },
    async keepPassword(userId, password) {
      const salt = randomBytes(16);
      const hash = await new Promise<Buffer>((resolve, reject) => {
        scrypt(password, salt, 32, SCRYPT, (error, derived) => (error === null ? resolve(derived) : reject(error)));
      });
      const { N, r, p } = SCRYPT;
      await keep(userId, `scrypt$${N}$${r}$${p}$${salt.toString('base64')}$${hash.toString('base64')}`);
    },
  };
}
