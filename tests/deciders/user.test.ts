import { describe, expect, it } from 'vitest';
import {
  addUser,
  changeProfile,
  changeStanding,
  isInForce,
  replacePassword,
  type UserFact,
  user,
} from '../../src/deciders/user.ts';
import { AT } from '../support/facts.ts';
import { given } from './given.ts';

const NONE = { displayName: null, locale: null, timezone: null, defaultCompanyId: null };
const added = (role: 'admin' | 'analyst' = 'admin'): UserFact => ({
  type: 'UserCreated',
  data: { userId: 'u', email: 'a@example.com', role, createdAt: AT },
});
const disabled: UserFact = { type: 'UserDisabled', data: { disabledAt: AT } };
const enabled: UserFact = { type: 'UserEnabled', data: { enabledAt: AT } };
const having = (...facts: UserFact[]) => given(user, facts);
const stateAfter = (...facts: UserFact[]) => facts.reduce(user.evolve, user.initialState);
const alone = { isLastAdmin: true, now: AT };
const oneOfTwo = { isLastAdmin: false, now: AT };

describe('a user', () => {
  it('is added once, with a name if one is given', () => {
    const data = { userId: 'u', email: 'a@example.com', role: 'admin' as const, createdAt: AT };
    expect(having()((state) => addUser(state, { ...data, displayName: null }))).toEqual([added()]);
    expect(having()((state) => addUser(state, { ...data, displayName: 'Ada' }))).toEqual([
      added(),
      { type: 'UserProfileChanged', data: { ...NONE, displayName: 'Ada', changedAt: AT } },
    ]);
    expect(having(added())((state) => addUser(state, { ...data, displayName: null }))).toEqual({
      refused: 'USER_EXISTS',
    });
  });

  it('changes what is named, clears what is null, and makes no event of what is so already', () => {
    const named: UserFact = {
      type: 'UserProfileChanged',
      data: { ...NONE, displayName: 'Ada', locale: 'tr-TR', changedAt: AT },
    };
    const afterwards = having(added(), named);
    expect(afterwards((state) => changeProfile(state, { timezone: 'Europe/Istanbul', locale: null }, AT))).toEqual([
      {
        type: 'UserProfileChanged',
        data: { ...NONE, displayName: 'Ada', timezone: 'Europe/Istanbul', changedAt: AT },
      },
    ]);
    expect(afterwards((state) => changeProfile(state, {}, AT))).toEqual([]);
    expect(afterwards((state) => changeProfile(state, { displayName: 'Ada' }, AT))).toEqual([]);
  });

  it('gets another role and is put off in one decision', () => {
    const change = { role: 'auditor', disabled: true } as const;
    expect(having(added())((state) => changeStanding(state, change, oneOfTwo))).toEqual([
      { type: 'UserRoleChanged', data: { role: 'auditor', changedAt: AT } },
      disabled,
    ]);
    expect(having(added(), disabled)((state) => changeStanding(state, { disabled: false }, alone))).toEqual([enabled]);
  });

  it('keeps role and access as the last admin', () => {
    for (const change of [{ role: 'operator' as const }, { disabled: true }]) {
      expect(changeStanding(stateAfter(added()), change, alone)).toEqual({ refused: 'LAST_ADMIN' });
      expect(changeStanding(stateAfter(added()), change, oneOfTwo)).toHaveLength(1);
      expect(changeStanding(stateAfter(added('analyst')), change, alone)).toHaveLength(1);
    }
    expect(changeStanding(stateAfter(added()), { role: 'admin', disabled: false }, alone)).toEqual([]);
    expect(changeStanding(stateAfter(added(), disabled), { role: 'operator' }, alone)).toHaveLength(1);
  });

  it('is in force from being added until put off', () => {
    expect([stateAfter(), stateAfter(added()), stateAfter(added(), disabled)].map(isInForce)).toEqual([
      false,
      true,
      false,
    ]);
    expect(isInForce(stateAfter(added(), disabled, enabled))).toBe(true);
  });

  it('who was never added is not found', () => {
    const refused = { refused: 'USER_NOT_FOUND' };
    expect(changeProfile(stateAfter(), {}, AT)).toEqual(refused);
    expect(changeStanding(stateAfter(), { disabled: true }, alone)).toEqual(refused);
    expect(replacePassword(stateAfter(), AT)).toEqual(refused);
  });
});
