import type { EventType, KnownEvent } from '../events/registry.ts';
import { parseStreamName } from '../log/streams.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/**
 * What a connection used on one UTC day. A sync's figures count on the day of their events, so a sync over midnight
 * counts on both. Requests and errors include those of setups.
 */
export type ConnectionDayDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly accountId: string;
  readonly day: string;
  readonly syncs: number;
  readonly requests: number;
  readonly fetched: number;
  readonly inserted: number;
  readonly duplicates: number;
  readonly errors: number;
};

type Figures = Pick<ConnectionDayDocument, 'syncs' | 'requests' | 'fetched' | 'inserted' | 'duplicates' | 'errors'>;

type Contribution = { readonly accountId: string; readonly at: string; readonly figures: Partial<Figures> };

const TAKES = [
  'SyncRequested',
  'SyncPlanned',
  'SyncPageIngested',
  'SyncAttemptFailed',
  'SyncFailed',
  'SyncCompleted',
  'ConnectionSetUp',
  'ConnectionSetupFailed',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function contribution(event: Taken): Contribution {
  switch (event.type) {
    case 'SyncRequested':
      return { accountId: event.data.accountId, at: event.data.requestedAt, figures: { syncs: 1 } };
    case 'SyncPlanned':
      return { accountId: event.data.accountId, at: event.data.plannedAt, figures: { requests: event.data.requests } };
    case 'SyncPageIngested': {
      const { accountId, ingestedAt: at, requests, fetched, inserted, duplicates } = event.data;
      return { accountId, at, figures: { requests, fetched, inserted, duplicates } };
    }
    case 'SyncAttemptFailed': {
      const { accountId, failedAt: at, requests } = event.data;
      return { accountId, at, figures: { requests, errors: 1 } };
    }
    case 'SyncFailed': {
      const { accountId, failedAt: at, lastRequests: requests = 0 } = event.data;
      return { accountId, at, figures: { requests, errors: 1 } };
    }
    case 'SyncCompleted': {
      const { accountId, completedAt: at, lastRequests: requests = 0 } = event.data;
      return { accountId, at, figures: { requests } };
    }
    case 'ConnectionSetUp': {
      const { completedAt: at, requests } = event.data;
      return { accountId: parseStreamName(event.stream).id, at, figures: { requests } };
    }
    case 'ConnectionSetupFailed': {
      const { failedAt: at, requests } = event.data;
      return { accountId: parseStreamName(event.stream).id, at, figures: { requests, errors: 1 } };
    }
  }
}

export const connectionDays: Projection<ConnectionDayDocument, (typeof TAKES)[number]> = {
  name: 'connection-days',
  version: 2,
  takes: TAKES,
  keys: (event) => {
    const part = contribution(event);
    return [documentId(event.metadata.tenantId, part.accountId, part.at.slice(0, 10))];
  },
  evolve(document, event, key) {
    const part = contribution(event);
    const before = document ?? {
      _id: key,
      tenantId: event.metadata.tenantId,
      companyId: event.metadata.companyId ?? '',
      accountId: part.accountId,
      day: part.at.slice(0, 10),
      syncs: 0,
      requests: 0,
      fetched: 0,
      inserted: 0,
      duplicates: 0,
      errors: 0,
    };
    const { figures } = part;
    return {
      ...before,
      syncs: before.syncs + (figures.syncs ?? 0),
      requests: before.requests + (figures.requests ?? 0),
      fetched: before.fetched + (figures.fetched ?? 0),
      inserted: before.inserted + (figures.inserted ?? 0),
      duplicates: before.duplicates + (figures.duplicates ?? 0),
      errors: before.errors + (figures.errors ?? 0),
    };
  },
  indexes: [{ fields: ['tenantId', 'accountId', 'day'] }],
};
