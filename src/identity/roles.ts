import { type Role, SCOPES, type Scope } from '../events/tenancy.ts';

/**
 * The scopes of each role. Only admins manage keys, users and companies. `audit:write` starts replays, which change
 * nothing but their own report, so auditors have it.
 */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  admin: SCOPES,
  operator: SCOPES,
  analyst: ['transactions:read', 'rules:read', 'analytics:read'],
  auditor: [...SCOPES.filter((scope) => scope.endsWith(':read')), 'audit:write'],
};
