import { createHmac, randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { nextPosition } from '../readstore/counted-position.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { derivedKey } from '../shared/derived-key.ts';
import { createFairQueue } from '../shared/fair-queue.ts';
import { sha256 } from '../shared/hash.ts';

/** The store of secrets' hashes: they are never in an event, so that an auditor can be given the whole log. */
const SECRET_HASHES: CollectionSpec = { name: 'secret_hashes', indexes: [], isState: true };

type SecretHash = Document & { readonly hash: string };

const CHECKSUM_LENGTH = 6;

/**
 * A scanner for leaked credentials recognises a real one by its prefix and checksum, without a key: `_` and the first 6
 * hex digits of the SHA-256 of everything before. Incoming secrets are not checked against it: configured ones have any
 * form, and an earlier refusal would reveal something.
 */
function withChecksum(body: string): string {
  return `${body}_${sha256(body).slice(0, CHECKSUM_LENGTH)}`;
}

/** `prefix` + 256 random bits + checksum. */
export function newSecret(prefix: string): string {
  return withChecksum(`${prefix}${randomBytes(32).toString('base64url')}`);
}

/** `prefix` + 96 random bits + checksum. */
export function newPublicKey(prefix: string): string {
  return withChecksum(`${prefix}${randomBytes(12).toString('hex')}`);
}

export type Secrets = {
  /**
   * Keeps the hash of an API secret: HMAC-SHA-256 with a pepper; the secret itself has 256 random bits, so nothing
   * slower is needed.
   */
  readonly keepApiSecret: (id: string, secret: string) => Promise<void>;
  /** Whether a hash exists to compare a secret with. */
  readonly knows: (id: string) => Promise<boolean>;
  /** Whether there is none at all: before the first start, or where they were lost. */
  readonly areEmpty: () => Promise<boolean>;
  /** The one of the ids under which the secret is kept, found in constant time; null for none. */
  readonly apiSecretOf: (ids: readonly string[], secret: string) => Promise<string | null>;
  /**
   * Keeps the scrypt hash of a password. Askers, such as network addresses, take turns.
   */
  readonly keepPassword: (userId: string, password: SaltedPassword, asker?: string) => Promise<void>;
  /**
   * Those of the users whose password it is, compared in constant time. One hash serves all users whose password was
   * kept with this salt, and an unknown email. A password that an earlier version kept with a salt of its own costs one
   * hash more, and is kept with this salt once it was right.
   */
  readonly whosePassword: (
    userIds: readonly string[],
    password: SaltedPassword,
    asker?: string,
  ) => Promise<readonly string[]>;
};

/** A password with the salt of its user's email, 16 bytes. */
export type SaltedPassword = { readonly password: string; readonly salt: Buffer };

/** What a scrypt hash costs, in the parameters of RFC 7914. */
export type PasswordWork = { readonly N: number; readonly r: number; readonly p: number };

/** A setting that OWASP recommends. */
const PASSWORD_WORK: PasswordWork = { N: 2 ** 15, r: 8, p: 3 };
const SCRYPT_MEMORY_BYTES = 64 * 1024 * 1024;
/**
 * Each takes 32 MiB and, for a tenth of a second or more, one of the four threads that signatures and DNS lookups
 * share.
 */
const SCRYPTS_AT_ONCE = 2;
const HASH_BYTES = 32;

/** NFKC first, since keyboards differ in how they compose a letter (NIST SP 800-63B, 3.1.1.2). */
function scryptHash(password: string, salt: Buffer, work: PasswordWork): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const options = { ...work, maxmem: SCRYPT_MEMORY_BYTES };
    scrypt(password.normalize('NFKC'), salt, HASH_BYTES, options, (error, derived) =>
      error === null ? resolve(derived) : reject(error),
    );
  });
}

function writtenHash({ N, r, p }: PasswordWork, salt: Buffer, hash: Buffer): string {
  return `scrypt$${N}$${r}$${p}$${salt.toString('base64')}$${hash.toString('base64')}`;
}

/** A hash includes the parameters it was made with, so that they can be strengthened later. */
function readHash(written: string): { work: PasswordWork; salt: Buffer; hash: Buffer } {
  const [, N, r, p, salt = '', hash = ''] = written.split('$');
  const work = { N: Number(N), r: Number(r), p: Number(p) };
  return { work, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
}

/** What a hash was made with: everything before it. */
function makingOf(written: string): string {
  return written.slice(0, written.lastIndexOf('$'));
}

export async function openSecrets(
  readStore: ReadStore,
  tokenKey: Buffer,
  work: PasswordWork = PASSWORD_WORK,
): Promise<Secrets> {
  await readStore.ensureCollection(SECRET_HASHES);
  const hashes: Collection<SecretHash> = readStore.collection(SECRET_HASHES);
  const pepper = derivedKey(tokenKey, 'api-secret');
  const queue = createFairQueue({ places: SCRYPTS_AT_ONCE, alone: 'all' });

  /** No password has this hash. */
  const nobodys = (salt: Buffer): string => writtenHash(work, salt, Buffer.alloc(HASH_BYTES));
  const hmac = (secret: string): Buffer => createHmac('sha256', pepper).update(secret).digest();

  async function keep(id: string, hash: string): Promise<void> {
    await hashes.putMany([{ _id: id, _position: nextPosition((await hashes.get(id))?._position), hash }]);
  }

  return {
    keepApiSecret: (id, secret) => keep(id, hmac(secret).toString('hex')),
    knows: async (id) => (await hashes.get(id)) !== undefined,
    areEmpty: async () => (await hashes.count([], 1)) === 0,
    async apiSecretOf(ids, secret) {
      const kept = await hashes.getMany(ids);
      const given = hmac(secret);
      const right = ids.filter((id) => {
        const hash = kept.get(id)?.hash;
        const same = timingSafeEqual(given, hash === undefined ? Buffer.alloc(HASH_BYTES) : Buffer.from(hash, 'hex'));
        return same && hash !== undefined;
      });
      return right[0] ?? null;
    },
    async keepPassword(userId, { password, salt }, asker = '') {
      await keep(userId, writtenHash(work, salt, await queue.run(asker, () => scryptHash(password, salt, work))));
    },
    async whosePassword(userIds, { password, salt }, asker = '') {
      // Nobody causes a lookup too, since skipping it would show in the time taken.
      const kept = await hashes.getMany(userIds.length === 0 ? ['unknown'] : userIds);
      const own = userIds.flatMap((userId) => kept.get(userId) ?? []);
      const written = own.length === 0 ? [nobodys(salt)] : own.map(({ hash }) => hash);
      const given = new Map<string, string>();
      const givenHash = async (making: string): Promise<string> => {
        const like = readHash(`${making}$`);
        const hash = await queue.run(asker, () => scryptHash(password, like.salt, like.work));
        return writtenHash(like.work, like.salt, hash);
      };
      for (const making of new Set(written.map(makingOf))) given.set(making, await givenHash(making));
      const right = own.filter(({ hash }) => isSame(hash, given.get(makingOf(hash)) ?? ''));
      const making = makingOf(nobodys(salt));
      for (const before of right.filter(({ hash }) => makingOf(hash) !== making)) {
        const hash = given.get(making) ?? (await givenHash(making));
        given.set(making, hash);
        // Where the password was replaced meanwhile, the newer one stays.
        await hashes.compareAndSet({ ...before, _position: nextPosition(before._position), hash }, before._position);
      }
      return right.map(({ _id }) => _id);
    },
  };
}

function isSame(hash: string, other: string): boolean {
  return timingSafeEqual(readHash(hash).hash, readHash(other).hash);
}
