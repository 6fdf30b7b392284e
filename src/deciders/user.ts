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
};

const initialState: UserState = {
  user: null,
  role: 'analyst',
  disabled: false,
  profile: { displayName: null, locale: null, timezone: null, defaultCompanyId: null },
};

function evolve(state: UserState, fact: UserFact): UserState {
  switch (fact.type) {
    case 'UserCreated': {
      const { userId: id, email, role } = fact.data;
      return { ...state, user: { id, email }, role };
    }
    case 'UserProfileChanged': {
      const { changedAt: _, ...profile } = fact.data;
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
 * Changes the role, or disables and enables the user. `isLastAdmin`: no other admin of the tenant is active; such a
 * user keeps role and access, since nobody could restore them.
 */
export function changeStanding(
  state: UserState,
  change: { readonly role?: Role; readonly disabled?: boolean },
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
  if (!disabled && state.disabled) facts.push({ type: 'UserEnabled', data: { enabledAt: now } });
  return facts;
}

export function decideReplacePassword(state: UserState, replacedAt: string): UserOutcome {
  if (state.user === null) return NOT_FOUND;
  return [{ type: 'UserPasswordReplaced', data: { replacedAt } }];
}
