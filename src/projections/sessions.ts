import type { EventType } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/**
 * What the stream of a session says. That its user was disabled or got another password, which ends it as well, is in
 * the document of the user; that it has expired is a matter of the clock (ADR 0049).
 */
export type SessionDocument = Document & {
  readonly tenantId: string;
  readonly id: string;
  readonly userId: string;
  readonly userAgent: string | null;
  readonly beganAt: string;
  /** Of the first event: what ends all sessions of a user ends those that began at an earlier log position. */
  readonly beganPosition: string;
  /** When its refresh token was last exchanged; at first, when it began. */
  readonly refreshedAt: string;
  readonly expiresAt: string;
  readonly endedAt: string | null;
  readonly endedReason: 'logout' | 'token-reused' | null;
  /** The actor of the logout; null otherwise. */
  readonly endedBy: string | null;
};

const TAKES = ['SessionBegan', 'SessionRefreshed', 'SessionEnded'] as const satisfies readonly EventType[];

/** What conditions look at, so that a list reads the documents of its page and no others. */
const CHECKED = ['_id', 'endedAt', 'expiresAt', 'beganPosition'];

export const sessions: Projection<SessionDocument, (typeof TAKES)[number]> = {
  name: 'sessions',
  version: 1,
  takes: TAKES,
  keys: (event) => [documentId(event.metadata.tenantId, parseStreamName(event.stream).id)],
  evolve(document, event, key) {
    if (event.type === 'SessionBegan') {
      const { sessionId: id, userId, userAgent = null, beganAt, expiresAt } = event.data;
      return {
        _id: key,
        tenantId: event.metadata.tenantId,
        id,
        userId,
        userAgent,
        beganAt,
        beganPosition: event.position,
        refreshedAt: beganAt,
        expiresAt,
        endedAt: null,
        endedReason: null,
        endedBy: null,
      };
    }
    if (document === undefined) return undefined;
    switch (event.type) {
      case 'SessionRefreshed': {
        const { refreshedAt, expiresAt } = event.data;
        return { ...document, refreshedAt, expiresAt };
      }
      case 'SessionEnded': {
        const { reason, endedAt } = event.data;
        const endedBy = reason === 'logout' ? event.metadata.actor.id : null;
        return { ...document, endedAt, endedReason: reason, endedBy };
      }
    }
  },
  indexes: [{ fields: ['tenantId', 'beganAt', ...CHECKED] }, { fields: ['tenantId', 'userId', 'beganAt', ...CHECKED] }],
};
