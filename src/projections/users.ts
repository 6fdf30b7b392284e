import type { EventType } from '../events/registry.ts';
import type { Role } from '../events/tenancy.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

export type UserDocument = Document & {
  readonly tenantId: string;
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly status: 'active' | 'disabled';
  readonly displayName: string | null;
  readonly locale: string | null;
  readonly timezone: string | null;
  readonly defaultCompanyId: string | null;
  readonly outsideLogin: 'none' | 'allowed' | 'bound';
  /** What last ended every session that began before this log position; null without such an event. */
  readonly sessionsEnded: {
    readonly position: string;
    readonly at: string;
    readonly reason: 'password-replaced' | 'user-disabled';
    readonly by: string;
  } | null;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const TAKES = [
  'UserCreated',
  'UserProfileChanged',
  'UserRoleChanged',
  'UserDisabled',
  'UserEnabled',
  'UserPasswordReplaced',
  'UserOutsideLoginAllowed',
  'UserOutsideLoginBound',
  'UserOutsideLoginRemoved',
] as const satisfies readonly EventType[];

export const users: Projection<UserDocument, (typeof TAKES)[number]> = {
  name: 'users',
  version: 3,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'UserCreated') {
      const { userId: id, email, role, createdAt } = event.data;
      return {
        _id: key,
        tenantId: event.metadata.tenantId,
        id,
        email,
        role,
        status: 'active',
        displayName: null,
        locale: null,
        timezone: null,
        defaultCompanyId: null,
        outsideLogin: 'none',
        sessionsEnded: null,
        createdAt,
        updatedAt: createdAt,
      };
    }
    if (document === undefined) return undefined;
    switch (event.type) {
      case 'UserProfileChanged': {
        const { changedAt: updatedAt, ...profile } = event.data;
        return { ...document, ...profile, updatedAt };
      }
      case 'UserRoleChanged':
        return { ...document, role: event.data.role, updatedAt: event.data.changedAt };
      case 'UserDisabled': {
        const { disabledAt: at } = event.data;
        const sessionsEnded = {
          position: event.position,
          at,
          reason: 'user-disabled',
          by: event.metadata.actor.id,
        } as const;
        return { ...document, status: 'disabled', sessionsEnded, updatedAt: at };
      }
      case 'UserEnabled':
        return { ...document, status: 'active', updatedAt: event.data.enabledAt };
      case 'UserPasswordReplaced': {
        const { replacedAt: at } = event.data;
        const sessionsEnded = {
          position: event.position,
          at,
          reason: 'password-replaced',
          by: event.metadata.actor.id,
        } as const;
        return { ...document, sessionsEnded, updatedAt: at };
      }
      case 'UserOutsideLoginAllowed':
        return { ...document, outsideLogin: 'allowed', updatedAt: event.data.allowedAt };
      case 'UserOutsideLoginBound':
        return { ...document, outsideLogin: 'bound', updatedAt: event.data.boundAt };
      case 'UserOutsideLoginRemoved':
        return { ...document, outsideLogin: 'none', updatedAt: event.data.removedAt };
    }
  },
  indexes: [{ fields: ['tenantId', 'createdAt'] }, { fields: ['tenantId', 'role', 'createdAt'] }],
};
