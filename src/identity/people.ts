import { randomBytes } from 'node:crypto';
import { addUser, changeStanding, type StandingChange } from '../commands/change-user.ts';
import { type CommandContext, ConcurrencyError } from '../commands/command.ts';
import { loadUser } from '../commands/load-person.ts';
import type { Role } from '../events/tenancy.ts';
import { users } from '../projections/users.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { openReader } from '../queries/reader.ts';
import { leaseNames } from '../readstore/lease-names.ts';
import type { Leases } from '../readstore/read-store.ts';
import type { LoginNames, LoginOwner } from './login-names.ts';
import type { Secrets } from './secrets.ts';
import { withExclusiveLease } from './with-exclusive-lease.ts';

type Done = ReturnType<typeof addUser>;

/** Changes of a tenant's users that concern more than one user's stream. */
export type People = {
  /** Refused with USER_EXISTS when the email belongs to a user of the tenant. @throws ConcurrencyError */
  readonly add: (
    context: CommandContext,
    added: { email: string; role: Role; displayName: string | null; password: string },
  ) => Done;
  /**
   * Refused with LAST_ADMIN rather than leave a tenant without an admin. Such changes of one tenant run one at a time
   * under a lease, so that two admins who disable each other at once do not both succeed. Whether another admin is
   * active is read from the log; the read model only names candidates, and where it is behind, a change may be refused
   * needlessly but never allowed wrongly. @throws ConcurrencyError
   */
  readonly changeStanding: (context: CommandContext, userId: string, change: StandingChange) => Done;
};

export function newPassword(): string {
  return randomBytes(18).toString('base64url');
}

export function createPeople(options: {
  readModels: ReadModels;
  leases: Leases;
  secrets: Secrets;
  loginNames: LoginNames;
}): People {
  const { readModels, leases, secrets, loginNames } = options;

  async function hasOtherAdmin({ log, tenantId }: CommandContext, userId: string): Promise<boolean> {
    const filter = [{ field: 'role', op: 'eq', value: 'admin' } as const];
    const sort = [{ field: 'createdAt', direction: 'asc' } as const];
    for await (const { id } of openReader(readModels, tenantId, null).all(users, { filter, sort })) {
      if (id === userId) continue;
      const { inForce, role } = await loadUser(log, tenantId, id);
      if (inForce && role === 'admin') return true;
    }
    return false;
  }

  return {
    add: (context, { email, role, displayName, password }) =>
      withExclusiveLease(leases, context, loginNames.leaseOf(email, context.tenantId), async () => {
        const owner: LoginOwner = { tenantId: context.tenantId, userId: context.newId() };
        const isThere = async (other: LoginOwner): Promise<boolean> =>
          (await loadUser(context.log, other.tenantId, other.userId)).user !== null;
        if (!(await loginNames.claim(email, owner, isThere))) return { accepted: false, refused: 'USER_EXISTS' };
        await secrets.keepPassword(owner.userId, { password, salt: loginNames.saltOf(email) });
        return addUser(context, { userId: owner.userId, email, role, displayName });
      }),
    changeStanding: (context, userId, change) =>
      withExclusiveLease(leases, context, leaseNames.admins(context.tenantId), async (inTime) => {
        const isLastAdmin = !(await hasOtherAdmin(context, userId));
        return changeStanding(context, userId, change, () => {
          if (!inTime()) throw new ConcurrencyError(`the admins of ${context.tenantId}`);
          return isLastAdmin;
        });
      }),
  };
}
