import type { EventData, TenancyFact } from '../events/registry.ts';
import type { Role } from '../events/tenancy.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type UserFact = Extract<TenancyFact, { readonly type: `User${string}` }>;
export type Profile = Omit<EventData<'UserProfileChanged'>, 'changedAt'>;

export type UserState = {
  /** Null before the user was added. */
  readonly user: { readonly id: string; readonly email: string } | null;
  readonly role: Role;
  readonly disabled: boolean;
  readonly profile: Profile;
  readonly outsideLogin: OutsideLogin;
};

export type OutsideIdentity = { readonly issuer: string; readonly subject: string };
/** Whether the user may sign in with an outside issuer, and since the first time as whom. */
export type OutsideLogin =
  | { readonly status: 'none' | 'allowed' }
  | { readonly status: 'bound'; readonly identity: OutsideIdentity };

const initialState: UserState = {
  user: null,
  role: 'analyst',
  disabled: false,
  profile: { displayName: null, locale: null, timezone: null, defaultCompanyId: null },
  outsideLogin: { status: 'none' },
};

function evolve(state: UserState, fact: UserFact): UserState {
  switch (fact.type) {
    case 'UserCreated': {
      const { userId: id, email, role } = fact.data;
      return { ...state, user: { id, email }, role };
    }
    case 'UserProfileChanged': {
      const { changedAt, ...profile } = fact.data;
      return { ...state, profile };
    }
    case 'UserRoleChanged':
      return { ...state, role: fact.data.role };
    case 'UserDisabled':
      return { ...state, disabled: true };
    case 'UserEnabled':
      return { ...state, disabled: false };
    case 'UserPasswordReplaced':
      return state;
    case 'UserOutsideLoginAllowed':
      return { ...state, outsideLogin: { status: 'allowed' } };
    case 'UserOutsideLoginBound': {
      const { issuer, subject } = fact.data;
      return { ...state, outsideLogin: { status: 'bound', identity: { issuer, subject } } };
    }
    case 'UserOutsideLoginRemoved':
      return { ...state, outsideLogin: { status: 'none' } };
  }
}

export const user: Decider<UserState, UserFact> = { initialState, evolve };

export type UserOutcome = readonly UserFact[] | Refusal;

const NOT_FOUND: Refusal = { refused: 'USER_NOT_FOUND' };

export function isInForce(state: UserState): boolean {
  return state.user !== null && !state.disabled;
}

export function decideAddUser(
  state: UserState,
  added: EventData<'UserCreated'> & { readonly displayName: string | null },
): UserOutcome {
  if (state.user !== null) return { refused: 'USER_EXISTS' };
  const { displayName, ...data } = added;
  const created: UserFact = { type: 'UserCreated', data };
  if (displayName === null) return [created];
  const profile = { ...initialState.profile, displayName, changedAt: data.createdAt };
  return [created, { type: 'UserProfileChanged', data: profile }];
}

/** Applies what the change names; null clears a field. */
export function changeProfile(
  state: UserState,
  change: { readonly [Field in keyof Profile]?: Profile[Field] },
  changedAt: string,
): UserOutcome {
  if (state.user === null) return NOT_FOUND;
  const named = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  const profile: Profile = { ...state.profile, ...named };
  const fields = Object.keys(profile) as (keyof Profile)[];
  if (fields.every((field) => profile[field] === state.profile[field])) return [];
  return [{ type: 'UserProfileChanged', data: { ...profile, changedAt } }];
}

/**
 * Binds an allowed user to the identity with which they sign in first; no fact where it is bound already. Refused for
 * any other identity, and where no admin has allowed it.
 */
export function decideBindOutsideLogin(state: UserState, identity: OutsideIdentity, boundAt: string): UserOutcome {
  if (!isInForce(state)) return NOT_FOUND;
  if (isBoundTo(state, identity)) return [];
  if (state.outsideLogin.status !== 'allowed') return NOT_FOUND;
  return [{ type: 'UserOutsideLoginBound', data: { ...identity, boundAt } }];
}

function isBoundTo({ outsideLogin }: UserState, { issuer, subject }: OutsideIdentity): boolean {
  if (outsideLogin.status !== 'bound') return false;
  return outsideLogin.identity.issuer === issuer && outsideLogin.identity.subject === subject;
}

/**
 * Changes the role, disables and enables the user, and allows or removes the login with an outside issuer; allowing it
 * again lets another identity be bound. `isLastAdmin`: no other admin of the tenant is active; such a
 * user keeps role and access, since nobody could restore them.
 */
export function changeStanding(
  state: UserState,
  change: { readonly role?: Role; readonly disabled?: boolean; readonly outsideLogin?: 'none' | 'allowed' },
  circumstances: { readonly isLastAdmin: boolean; readonly now: string },
): UserOutcome {
  if (state.user === null) return NOT_FOUND;
  const { isLastAdmin, now } = circumstances;
  const { role = state.role, disabled = state.disabled } = change;
  const isAdmin = state.role === 'admin' && !state.disabled;
  if (isAdmin && isLastAdmin && (role !== 'admin' || disabled)) return { refused: 'LAST_ADMIN' };
  const facts: UserFact[] = [];
  if (role !== state.role) facts.push({ type: 'UserRoleChanged', data: { role, changedAt: now } });
  if (disabled && !state.disabled) facts.push({ type: 'UserDisabled', data: { disabledAt: now } });
  if (change.outsideLogin === 'allowed' && state.outsideLogin.status !== 'allowed') {
    facts.push({ type: 'UserOutsideLoginAllowed', data: { allowedAt: now } });
  }
  if (change.outsideLogin === 'none' && state.outsideLogin.status !== 'none') {
    facts.push({ type: 'UserOutsideLoginRemoved', data: { removedAt: now } });
  }
  if (!disabled && state.disabled) facts.push({ type: 'UserEnabled', data: { enabledAt: now } });
  return facts;
}

export function decideReplacePassword(state: UserState, replacedAt: string): UserOutcome {
  if (state.user === null) return NOT_FOUND;
  return [{ type: 'UserPasswordReplaced', data: { replacedAt } }];
}
