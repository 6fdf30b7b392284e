import { type Role, SCOPES, type Scope } from '../events/tenancy.ts';

/**
 * What a role may. Keys, users and companies are the admin's besides. `audit:write` starts replays, which change
 * nothing but their own report, so an auditor has it.
 */
export const roleScopes: Readonly<Record<Role, readonly Scope[]>> = {
  admin: SCOPES,
  operator: SCOPES,
  analyst: ['transactions:read', 'rules:read', 'analytics:read'],
  auditor: [...SCOPES.filter((scope) => scope.endsWith(':read')), 'audit:write'],
};
