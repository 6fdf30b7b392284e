import type { EventType } from '../events/registry.ts';
import type { Scope } from '../events/tenancy.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/**
 * Lists show it whole. Authentication uses it only to map a public half to tenant and key; whether the key is valid is
 * read from the log (ADR 0013).
 */
export type ApiKeyDocument = Document & {
  readonly tenantId: string;
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly companies: readonly string[] | null;
  readonly expiresAt: string | null;
  readonly generation: number;
  /** Until when the previous generation's secret remains valid; null for a key that was never rotated. */
  readonly previousUntil: string | null;
  readonly revokedAt: string | null;
  readonly revokedReason: string | null;
  readonly createdAt: string;
  readonly createdBy: string;
  readonly updatedAt: string;
};

const TAKES = ['ApiKeyCreated', 'ApiKeyRotated', 'ApiKeyRevoked'] as const satisfies readonly EventType[];

export const apiKeys: Projection<ApiKeyDocument, (typeof TAKES)[number]> = {
  name: 'api-keys',
  version: 2,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'ApiKeyCreated') {
      const { apiKeyId: id, ...apiKey } = event.data;
      return {
        _id: key,
        tenantId: event.metadata.tenantId,
        id,
        ...apiKey,
        generation: 1,
        previousUntil: null,
        revokedAt: null,
        revokedReason: null,
        createdBy: event.metadata.actor.id,
        updatedAt: apiKey.createdAt,
      };
    }
    if (document === undefined) return undefined;
    switch (event.type) {
      case 'ApiKeyRotated': {
        const { generation, graceUntil, rotatedAt } = event.data;
        return { ...document, generation, previousUntil: graceUntil, updatedAt: rotatedAt };
      }
      case 'ApiKeyRevoked': {
        const { revokedAt, reason } = event.data;
        return { ...document, revokedAt, revokedReason: reason, updatedAt: revokedAt };
      }
    }
  },
  indexes: [{ fields: ['key'] }, { fields: ['tenantId', 'createdAt'] }],
};
