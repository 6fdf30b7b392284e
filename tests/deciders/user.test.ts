import { describe, it } from 'vitest';
import {
  changeProfile,
  changeStanding,
  decideAddUser,
  decideBindOutsideLogin,
  decideReplacePassword,
  isInForce,
  type UserFact,
  user,
} from '../../src/deciders/user.ts';
import { AT } from '../support/facts.ts';
import { specification } from './specification.ts';

const NONE = { displayName: null, locale: null, timezone: null, defaultCompanyId: null };
const added = (role: 'admin' | 'analyst' = 'admin'): UserFact => ({
  type: 'UserCreated',
  data: { userId: 'u', email: 'a@example.com', role, createdAt: AT },
});
const roleChanged = (role: 'auditor' | 'operator'): UserFact => ({
  type: 'UserRoleChanged',
  data: { role, changedAt: AT },
});
const disabled: UserFact = { type: 'UserDisabled', data: { disabledAt: AT } };
const enabled: UserFact = { type: 'UserEnabled', data: { enabledAt: AT } };
const asLastAdmin = { isLastAdmin: true, now: AT };
const asOneOfTwo = { isLastAdmin: false, now: AT };
const given = specification(user);

describe('user', () => {
  const data = { userId: 'u', email: 'a@example.com', role: 'admin' as const, createdAt: AT };

  it('a user is added once', () => {
    given([])
      .when((state) => decideAddUser(state, { ...data, displayName: null }))
      .then([added()]);
    given([added()])
      .when((state) => decideAddUser(state, { ...data, displayName: null }))
      .thenRefused('USER_EXISTS');
  });

  it('a user who is added with a name has it in the profile', () => {
    given([])
      .when((state) => decideAddUser(state, { ...data, displayName: 'Ada' }))
      .then([added(), { type: 'UserProfileChanged', data: { ...NONE, displayName: 'Ada', changedAt: AT } }]);
  });

  const named: UserFact = {
    type: 'UserProfileChanged',
    data: { ...NONE, displayName: 'Ada', locale: 'tr-TR', changedAt: AT },
  };

  it('a change of the profile sets the fields it names and clears those that are null', () => {
    given([added(), named])
      .when((state) => changeProfile(state, { timezone: 'Europe/Istanbul', locale: null }, AT))
      .then([
        {
          type: 'UserProfileChanged',
          data: { ...NONE, displayName: 'Ada', timezone: 'Europe/Istanbul', changedAt: AT },
        },
      ]);
  });

  it('a change of the profile that changes no field is not recorded', () => {
    given([added(), named])
      .when((state) => changeProfile(state, {}, AT))
      .thenNothing();
    given([added(), named])
      .when((state) => changeProfile(state, { displayName: 'Ada' }, AT))
      .thenNothing();
  });

  it('a user can be given another role and disabled in one decision', () => {
    given([added()])
      .when((state) => changeStanding(state, { role: 'auditor', disabled: true }, asOneOfTwo))
      .then([roleChanged('auditor'), disabled]);
  });

  it('a user who is disabled can be enabled again', () => {
    given([added(), disabled])
      .when((state) => changeStanding(state, { disabled: false }, asLastAdmin))
      .then([enabled]);
  });

  it.each([
    ['be given another role', { role: 'operator' }, roleChanged('operator')],
    ['be disabled', { disabled: true }, disabled],
  ] as const)('the last admin cannot %s, anyone else can', (_, change, fact) => {
    given([added()])
      .when((state) => changeStanding(state, change, asLastAdmin))
      .thenRefused('LAST_ADMIN');
    given([added()])
      .when((state) => changeStanding(state, change, asOneOfTwo))
      .then([fact]);
    given([added('analyst')])
      .when((state) => changeStanding(state, change, asLastAdmin))
      .then([fact]);
  });

  it('the last admin may keep role and access', () => {
    given([added()])
      .when((state) => changeStanding(state, { role: 'admin', disabled: false }, asLastAdmin))
      .thenNothing();
  });

  it('an admin who is disabled can be given another role', () => {
    given([added(), disabled])
      .when((state) => changeStanding(state, { role: 'operator' }, asLastAdmin))
      .then([roleChanged('operator')]);
  });

  it('a user has access once added, except while disabled', () => {
    given([]).asking(isInForce).gives(false);
    given([added()]).asking(isInForce).gives(true);
    given([added(), disabled]).asking(isInForce).gives(false);
    given([added(), disabled, enabled]).asking(isInForce).gives(true);
  });

  it('a user who was never added cannot be changed', () => {
    given([])
      .when((state) => changeProfile(state, {}, AT))
      .thenRefused('USER_NOT_FOUND');
    given([])
      .when((state) => changeStanding(state, { disabled: true }, asLastAdmin))
      .thenRefused('USER_NOT_FOUND');
    given([])
      .when((state) => decideReplacePassword(state, AT))
      .thenRefused('USER_NOT_FOUND');
  });
});

describe('a login with an outside issuer', () => {
  const identity = { issuer: 'https://login.example.com', subject: 'ada' };
  const allowed: UserFact = { type: 'UserOutsideLoginAllowed', data: { allowedAt: AT } };
  const bound: UserFact = { type: 'UserOutsideLoginBound', data: { ...identity, boundAt: AT } };
  const removed: UserFact = { type: 'UserOutsideLoginRemoved', data: { removedAt: AT } };

  it('a user for whom it is allowed is bound to the first identity, and stays bound to it', () => {
    given([added(), allowed])
      .when((state) => decideBindOutsideLogin(state, identity, AT))
      .then([bound])
      .when((state) => decideBindOutsideLogin(state, identity, AT))
      .thenNothing();
  });

  it.each([
    ['for whom it was never allowed', [added()], identity],
    ['from whom it was taken away', [added(), allowed, bound, removed], identity],
    ['who is bound to another identity', [added(), allowed, bound], { ...identity, subject: 'eve' }],
    ['who is disabled', [added(), allowed, disabled], identity],
  ] as const)('a user %s cannot use it', (_, facts, other) => {
    given(facts)
      .when((state) => decideBindOutsideLogin(state, other, AT))
      .thenRefused('USER_NOT_FOUND');
  });

  it('a user for whom it is allowed again can be bound to another identity', () => {
    const other = { ...identity, subject: 'eve' };
    given([added(), allowed, bound, allowed])
      .when((state) => decideBindOutsideLogin(state, other, AT))
      .then([{ type: 'UserOutsideLoginBound', data: { ...other, boundAt: AT } }]);
  });
});
