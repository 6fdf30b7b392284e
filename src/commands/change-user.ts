import {
  changeProfile as changeTheProfile,
  changeStanding as changeTheStanding,
  decideAddUser,
  decideBindOutsideLogin,
  decideReplacePassword,
  type OutsideIdentity,
  type Profile,
  type UserOutcome,
  type UserState,
  user,
} from '../deciders/user.ts';
import type { Role } from '../events/tenancy.ts';
import { streamName } from '../log/streams.ts';
import { isoTime } from '../shared/clock.ts';
import { type CommandContext, execute, type Outcome } from './command.ts';

type Done = Promise<Outcome<UserState>>;

/** A user is the tenant's and of no company, whichever the request names. */
function onUser(context: CommandContext, userId: string, decide: (state: UserState, now: string) => UserOutcome): Done {
  return execute(
    { ...context, companyId: null },
    {
      stream: streamName('user', context.tenantId, userId),
      decider: user,
      notFound: 'USER_NOT_FOUND',
      decide: (state) => decide(state, isoTime(context.clock.now())),
    },
  );
}

export function addUser(
  context: CommandContext,
  added: { userId: string; email: string; role: Role; displayName: string | null },
): Done {
  return onUser(context, added.userId, (state, createdAt) => decideAddUser(state, { ...added, createdAt }));
}

export type ProfileChange = { readonly [Field in keyof Profile]?: Profile[Field] };

export function changeProfile(context: CommandContext, userId: string, change: ProfileChange): Done {
  return onUser(context, userId, (state, now) => changeTheProfile(state, change, now));
}

export type StandingChange = {
  readonly role?: Role;
  readonly disabled?: boolean;
  readonly outsideLogin?: 'none' | 'allowed';
};

/** Accepted where the identity is, or now becomes, the one with which the user signs in. */
export function bindOutsideLogin(context: CommandContext, userId: string, identity: OutsideIdentity): Done {
  return onUser(context, userId, (state, boundAt) => decideBindOutsideLogin(state, identity, boundAt));
}

/** `isLastAdmin` is asked anew each time the decision is made. */
export function changeStanding(
  context: CommandContext,
  userId: string,
  change: StandingChange,
  isLastAdmin: () => boolean,
): Done {
  return onUser(context, userId, (state, now) => changeTheStanding(state, change, { isLastAdmin: isLastAdmin(), now }));
}

export function replacePassword(context: CommandContext, userId: string): Done {
  return onUser(context, userId, decideReplacePassword);
}
