import { createHmac } from 'node:crypto';
import { leaseNames } from '../readstore/lease-names.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { derivedKey } from '../shared/derived-key.ts';

/**
 * Which user signs in with which email, across all tenants. Not an event: a tenant's log must not reveal whether an
 * address is used elsewhere.
 */
const LOGIN_NAMES: CollectionSpec = { name: 'login_names', indexes: [] };

export type LoginOwner = { readonly tenantId: string; readonly userId: string };

type LoginName = Document & LoginOwner;

export type LoginNames = {
  /** A key for the email that does not reveal it: the same for every spelling. */
  readonly keyOf: (email: string) => string;
  readonly ownerOf: (email: string) => Promise<LoginOwner | null>;
  /**
   * False when it is another user's; true also when it was this user's already. `isThere` says whether a user exists: a
   * claim that a crash left without one is void. Two claims of one email at once need the lease
   * {@link LoginNames.leaseOf} around claim and user.
   */
  readonly claim: (
    email: string,
    owner: LoginOwner,
    isThere: (owner: LoginOwner) => Promise<boolean>,
  ) => Promise<boolean>;
  readonly leaseOf: (email: string) => string;
};

function folded(email: string): string {
  // Not NFKC: a full-width or ligature form of an address is another address at the issuer of a token.
  return email.normalize('NFC').trim().toLowerCase();
}

export async function openLoginNames(readStore: ReadStore, tokenKey: Buffer): Promise<LoginNames> {
  await readStore.ensureCollection(LOGIN_NAMES);
  const names: Collection<LoginName> = readStore.collection(LOGIN_NAMES);
  const pepper = derivedKey(tokenKey, 'login-name');
  const keyOf = (email: string): string => createHmac('sha256', pepper).update(folded(email)).digest('hex');

  return {
    keyOf,
    leaseOf: (email) => leaseNames.loginName(keyOf(email)),
    async ownerOf(email) {
      const found = await names.get(keyOf(email));
      return found === undefined ? null : { tenantId: found.tenantId, userId: found.userId };
    },
    async claim(email, owner, isThere) {
      const _id = keyOf(email);
      const found = await names.get(_id);
      if (found !== undefined && found.tenantId === owner.tenantId && found.userId === owner.userId) return true;
      if (found !== undefined && (await isThere(found))) return false;
      const claims = Number.parseInt(found?._position ?? '0', 10) + 1;
      const claim: LoginName = { _id, _position: String(claims).padStart(12, '0'), ...owner };
      return names.compareAndSet(claim, found?._position ?? null);
    },
  };
}
