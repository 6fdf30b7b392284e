import { createHmac } from 'node:crypto';
import { ConcurrencyError } from '../commands/command.ts';
import { nextPosition } from '../readstore/counted-position.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import type { Collection, CollectionSpec, Document, ReadStore } from '../readstore/read-store.ts';
import { derivedKey } from '../shared/derived-key.ts';

/**
 * Which users sign in with which email, across all tenants. Not an event: a tenant's log must not reveal whether an
 * address is used elsewhere. The first owner of an email has a document of their own, which is all that earlier
 * versions read; owners in other tenants are in a second one (ADR 0032).
 */
const LOGIN_NAMES: CollectionSpec = { name: 'login_names', indexes: [], isState: true };

export type LoginOwner = { readonly tenantId: string; readonly userId: string };

type LoginName = Document & LoginOwner;
type OtherOwners = Document & { readonly others: readonly LoginOwner[] };
type Owners = { readonly first: LoginName | undefined; readonly rest: OtherOwners | undefined };

export type LoginNames = {
  /** A key for the email that does not reveal it: the same for every spelling. */
  readonly keyOf: (email: string) => string;
  /** 16 bytes, the same for every spelling: what the passwords of all users with the email are hashed with. */
  readonly saltOf: (email: string) => Buffer;
  /** At most one of each tenant, in the order of their claims. Reads as much whoever has the email. */
  readonly ownersOf: (email: string) => Promise<readonly LoginOwner[]>;
  /**
   * False when it is another user's of the same tenant; true also when it was this user's already. `isThere` says
   * whether a user exists: a claim that a crash left without one is void. Two claims of one email in one tenant at once
   * need the lease {@link LoginNames.leaseOf} around claim and user. @throws ConcurrencyError
   */
  readonly claim: (
    email: string,
    owner: LoginOwner,
    isThere: (owner: LoginOwner) => Promise<boolean>,
  ) => Promise<boolean>;
  readonly leaseOf: (email: string, tenantId: string) => string;
};

const SALT_BYTES = 16;
const TRIES = 32;

function folded(email: string): string {
  // Not NFKC: a full-width or ligature form of an address is another address at the issuer of a token.
  return email.normalize('NFC').trim().toLowerCase();
}

function ownersIn({ first, rest }: Owners): LoginOwner[] {
  const all = [...(first === undefined ? [] : [first]), ...(rest?.others ?? [])];
  return all.map(({ tenantId, userId }) => ({ tenantId, userId }));
}

export async function openLoginNames(readStore: ReadStore, tokenKey: Buffer): Promise<LoginNames> {
  await readStore.ensureCollection(LOGIN_NAMES);
  const names: Collection<LoginName | OtherOwners> = readStore.collection(LOGIN_NAMES);
  const pepper = derivedKey(tokenKey, 'login-name');
  const saltPepper = derivedKey(tokenKey, 'password-salt');
  const keyOf = (email: string): string => createHmac('sha256', pepper).update(folded(email)).digest('hex');

  async function read(key: string): Promise<Owners> {
    const found = await names.getMany([key, othersOf(key)]);
    return {
      first: found.get(key) as LoginName | undefined,
      rest: found.get(othersOf(key)) as OtherOwners | undefined,
    };
  }

  return {
    keyOf,
    saltOf: (email) => createHmac('sha256', saltPepper).update(folded(email)).digest().subarray(0, SALT_BYTES),
    leaseOf: (email, tenantId) => leaseNames.loginName(tenantId, keyOf(email)),
    ownersOf: async (email) => ownersIn(await read(keyOf(email))),
    async claim(email, owner, isThere) {
      const { tenantId, userId } = owner;
      const key = keyOf(email);
      for (let tries = 0; tries < TRIES; tries += 1) {
        const { first, rest } = await read(key);
        const before = ownersIn({ first, rest }).find((other) => other.tenantId === tenantId);
        if (before?.userId === userId) return true;
        if (before !== undefined && (await isThere(before))) return false;
        const others = [...(rest?.others ?? []).filter((other) => other.tenantId !== tenantId), { tenantId, userId }];
        const isFirst = first === undefined || first.tenantId === tenantId;
        const claimed = isFirst
          ? await names.compareAndSet(
              { _id: key, _position: nextPosition(first?._position), tenantId, userId },
              first?._position ?? null,
            )
          : await names.compareAndSet(
              { _id: othersOf(key), _position: nextPosition(rest?._position), others },
              rest?._position ?? null,
            );
        if (claimed) return true;
      }
      throw new ConcurrencyError('an email');
    },
  };
}

function othersOf(key: string): string {
  return `${key}+`;
}
