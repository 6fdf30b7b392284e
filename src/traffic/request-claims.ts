import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { nextPosition } from '../readstore/counted-position.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { type Clock, isoTime } from '../shared/clock.ts';
import { derivedKey } from '../shared/derived-key.ts';
import { sha256 } from '../shared/hash.ts';
import { documentId } from '../shared/ids.ts';
import { seal, unseal } from '../shared/sealing.ts';

/**
 * Not derived from events: these documents hold the requests in progress and recent answers, and are deleted after a
 * day.
 */
export const IDEMPOTENCY_KEYS: CollectionSpec = {
  name: 'idempotency_keys',
  indexes: [{ fields: ['expiresAt'] }],
  isState: true,
};

/** Times are ISO 8601. `_id` is the tenant and the SHA-256 of the key, and `_position` counts the writes. */
export type ClaimDocument = Document & {
  /** Keyed: a body may hold a password, which must not be guessable from this document. */
  readonly fingerprint: string;
  /** The seed of all ids that the request makes. */
  readonly seed: string;
  readonly claimedAt: string;
  /** "" once the document is about to be deleted and may not be claimed any more. */
  readonly expiresAt: string;
  /** Who executes the request, and until when. */
  readonly owner: string;
  readonly until: string;
  /** Sealed, because an answer may hold a secret that is shown once; null while there is none. */
  readonly answer: string | null;
};

export type KeptAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

/** The right to execute the request, held until one of its functions is called. */
export type Claim = {
  readonly seed: string;
  readonly firstMs: number;
  /** True when the request was received before and never answered. */
  readonly again: boolean;
  readonly keep: (answer: KeptAnswer) => Promise<void>;
  /** Leaves the request without an answer, for its repetition to continue. */
  readonly release: () => Promise<void>;
  /** As if the request had never been received. */
  readonly forget: () => Promise<void>;
};

export type Claimed =
  | { readonly outcome: 'claimed'; readonly claim: Claim }
  | { readonly outcome: 'answered'; readonly answer: KeptAnswer }
  | { readonly outcome: 'running' }
  | { readonly outcome: 'other-request' };

export type RequestClaims = {
  /**
   * @param tenantId "" for who runs the service; null before a sign-in, when each request has its own keys: another
   * password under the same key is tried and counted like any other, and the key reveals to nobody whether it was right
   * @param request the members that identify the same request
   */
  readonly claim: (tenantId: string | null, key: string, request: string) => Promise<Claimed>;
  /** Deletes a batch of what has expired; true when there may be more. */
  readonly sweep: () => Promise<boolean>;
};

const KEPT_MS = 24 * 3_600_000;
const LEASE_MS = 60_000;
const RENEW_MS = 20_000;
const SLICE = 200;
const ATTEMPTS = 5;

/** @param alone true when no other process can hold a claim, so that one left by an earlier process is free */
export async function openRequestClaims(options: {
  readonly readStore: ReadStore;
  readonly encryptionKey: Buffer;
  readonly clock: Clock;
  readonly alone: boolean;
}): Promise<RequestClaims> {
  const { readStore, clock, alone } = options;
  const key = createSecretKey(derivedKey(options.encryptionKey, 'kept-answers'));
  const fingerprintKey = createSecretKey(derivedKey(options.encryptionKey, 'request-fingerprints'));
  const owner = randomBytes(12).toString('hex');
  await readStore.ensureCollection(IDEMPOTENCY_KEYS);
  const documents: Collection<ClaimDocument> = readStore.collection(IDEMPOTENCY_KEYS);

  const sealedAnswer = (document: ClaimDocument, answer: KeptAnswer): string =>
    seal(key, labelOf(document), Buffer.from(JSON.stringify(answer)));

  function answerOf(document: ClaimDocument): KeptAnswer | null {
    const plain = document.answer === null ? null : unseal(key, labelOf(document), document.answer);
    return plain === null ? null : (JSON.parse(plain.toString('utf8')) as KeptAnswer);
  }

  /** The document as written, or null when another instance was faster. */
  async function write(document: ClaimDocument, expected: string | null): Promise<ClaimDocument | null> {
    const written = { ...document, _position: nextPosition(expected) };
    return (await documents.compareAndSet(written, expected)) ? written : null;
  }

  function held(document: ClaimDocument, again: boolean): Claim {
    let latest: Promise<ClaimDocument | null> = Promise.resolve(document);
    const change = (changes: () => Partial<ClaimDocument>): Promise<ClaimDocument | null> => {
      latest = latest.then((current) =>
        current === null ? null : write({ ...current, ...changes() }, current._position),
      );
      return latest;
    };
    const renewing = setInterval(() => {
      change(() => ({ until: isoTime(clock.now() + LEASE_MS) })).catch(() => clearInterval(renewing));
    }, RENEW_MS);
    renewing.unref();
    const end = async (changes: () => Partial<ClaimDocument>): Promise<void> => {
      clearInterval(renewing);
      await change(changes);
    };
    return {
      seed: document.seed,
      firstMs: Date.parse(document.claimedAt),
      again,
      keep: (answer) => end(() => ({ answer: sealedAnswer(document, answer) })),
      release: () => end(() => ({ until: document.claimedAt })),
      forget: () => end(() => ({ until: document.claimedAt, expiresAt: document.claimedAt })),
    };
  }

  /** Null when the document changed meanwhile and must be read again. */
  async function claimOnce(
    id: string,
    fingerprint: string,
    now: number,
    found?: ClaimDocument,
  ): Promise<Claimed | null> {
    const lease = { owner, until: isoTime(now + LEASE_MS) };
    if (found === undefined || (found.expiresAt !== '' && found.expiresAt <= isoTime(now))) {
      const seed = randomBytes(32).toString('hex');
      const fresh = { fingerprint, seed, claimedAt: isoTime(now), expiresAt: isoTime(now + KEPT_MS), answer: null };
      const claimed = await write({ _id: id, _position: '', ...fresh, ...lease }, found?._position ?? null);
      return claimed === null ? null : { outcome: 'claimed', claim: held(claimed, false) };
    }
    if (found.expiresAt === '') return { outcome: 'running' };
    if (found.fingerprint !== fingerprint) return { outcome: 'other-request' };
    const answer = answerOf(found);
    if (answer !== null) return { outcome: 'answered', answer };
    const abandoned = found.until <= isoTime(now) || (alone && found.owner !== owner);
    if (!abandoned) return { outcome: 'running' };
    const taken = await write({ ...found, ...lease, answer: null }, found._position);
    return taken === null ? null : { outcome: 'claimed', claim: held(taken, true) };
  }

  return {
    async claim(tenantId, idempotencyKey, request) {
      const fingerprint = createHmac('sha256', fingerprintKey).update(request).digest('hex');
      const id = documentId(tenantId ?? `anyone-${fingerprint}`, sha256(idempotencyKey));
      let found: ClaimDocument | undefined;
      for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
        // The first attempt assumes a new key, as most are, which saves a read.
        const claimed = await claimOnce(id, fingerprint, clock.now(), found);
        if (claimed !== null) return claimed;
        found = await documents.get(id);
      }
      return { outcome: 'running' };
    },

    async sweep() {
      const expired = await documents.find({
        filter: [{ field: 'expiresAt', op: 'lte', value: isoTime(clock.now()) }],
        sort: [{ field: 'expiresAt', direction: 'asc' }],
        limit: SLICE,
      });
      const dying: string[] = [];
      for (const document of expired) {
        // Marked first, so that the key cannot be claimed between the read and the deletion.
        if ((await write({ ...document, expiresAt: '' }, document._position)) !== null) dying.push(document._id);
      }
      await documents.deleteMany(dying);
      return expired.length === SLICE;
    },
  };
}

function labelOf({ _id, fingerprint }: ClaimDocument): Buffer {
  return Buffer.from(`kept-answer\n${_id}\n${fingerprint}`);
}
