import { bindOutsideLogin } from '../commands/change-user.ts';
import { type LoadedUser, loadUser } from '../commands/load-person.ts';
import type { EventLog } from '../log/log.ts';
import type { Clock } from '../shared/clock.ts';
import type { NewId } from '../shared/ids.ts';
import type { LoginNames } from './login-names.ts';
import type { OutsideToken } from './outside-issuer.ts';
import { ownContext } from './own-context.ts';
import { severalTenants } from './several-tenants.ts';

export type OutsidePerson = { readonly tenantId: string; readonly user: LoadedUser };

/** Spares the command, which reads the user once more, in all requests but the first. */
function isBound({ outsideLogin }: LoadedUser, { issuer, subject }: { issuer: string; subject: string }): boolean {
  if (outsideLogin.status !== 'bound') return false;
  return outsideLogin.identity.issuer === issuer && outsideLogin.identity.subject === subject;
}

/**
 * The user that a token of an outside issuer is about; null where there is none. The issuer states the identity;
 * tenant, role and access are decided here. A token from before the user's last change of password, or before they were
 * disabled, is over like a session. Without a tenant named, the token counts in the one where its subject is bound, and
 * only where it is bound in none, in the one that allows it: so no tenant can change what a token of another one's user
 * means. A user who allows it and is not bound yet is bound to the subject.
 * @throws SeveralTenants
 */
export async function outsidePerson(
  options: { log: EventLog; commandLog: EventLog; clock: Clock; newId: NewId; loginNames: LoginNames; issuer: string },
  identity: OutsideToken,
  named: string | null,
): Promise<OutsidePerson | null> {
  const { log, commandLog, clock, newId, loginNames, issuer } = options;
  const known = { issuer, subject: identity.subject };
  const owners = (await loginNames.ownersOf(identity.email)).filter(
    ({ tenantId }) => named === null || tenantId === named,
  );
  const people = await Promise.all(
    owners.map(async ({ tenantId, userId }) => ({ tenantId, user: await loadUser(log, tenantId, userId) })),
  );
  const inForce = people.filter(({ user }) => user.inForce && identity.issuedAtMs >= user.sessionsEndedAtMs);
  const bound = inForce.filter(({ user }) => isBound(user, known));
  const allowed = inForce.filter(({ user }) => user.outsideLogin.status === 'allowed');
  const [person, ...more] = bound.length > 0 ? bound : allowed;
  if (person === undefined) return null;
  if (more.length > 0)
    throw await severalTenants(
      log,
      [person, ...more].map(({ tenantId }) => tenantId),
    );
  if (bound.length > 0) return person;
  const userId = person.user.user?.id ?? '';
  const context = ownContext({ log: commandLog, clock, newId }, person.tenantId, { type: 'user', id: userId });
  return (await bindOutsideLogin(context, userId, known)).accepted ? person : null;
}
