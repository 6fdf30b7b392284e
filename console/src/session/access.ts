import type { Me, Scope } from '../../../sdk/src/index.ts';

export type Right = Scope | 'administration';
type Role = Me['role'];

const RESOURCES = ['connections', 'transactions', 'rules', 'schedules', 'analytics', 'audit', 'webhooks'] as const;
const READ: readonly Right[] = RESOURCES.map((resource) => `${resource}:read` as const);
const WRITE: readonly Right[] = RESOURCES.map((resource) => `${resource}:write` as const);

/** What each role may do, to hide what would be refused. The service decides for itself. */
const RIGHTS: Readonly<Record<Role, ReadonlySet<Right>>> = {
  admin: new Set<Right>([...READ, ...WRITE, 'administration']),
  operator: new Set<Right>([...READ, ...WRITE]),
  analyst: new Set<Right>(['transactions:read', 'rules:read', 'analytics:read']),
  auditor: new Set<Right>([...READ, 'audit:write']),
};

export function hasRight(role: Role, right: Right): boolean {
  return RIGHTS[role].has(right);
}
