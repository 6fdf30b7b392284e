import type { EventType, KnownEvent } from '../../events/registry.ts';
import { type Change, sums } from './sums.ts';

const TAKES = [
  'SyncRequested',
  'SyncPageIngested',
  'SyncAttemptFailed',
  'SyncFailed',
] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  switch (event.type) {
    case 'SyncRequested': {
      const { accountId, requestedAt } = event.data;
      return [{ dimensions: { accountId }, at: requestedAt, figures: { syncs: 1 } }];
    }
    case 'SyncPageIngested': {
      const { accountId, ingestedAt, fetched, inserted, duplicates } = event.data;
      return [{ dimensions: { accountId }, at: ingestedAt, figures: { fetched, inserted, duplicates } }];
    }
    case 'SyncAttemptFailed':
    case 'SyncFailed': {
      const { accountId, failedAt } = event.data;
      return [{ dimensions: { accountId }, at: failedAt, figures: { errors: 1 } }];
    }
  }
}

/** What the syncs of each connection did, by the time of each event: a sync over midnight counts on both days. */
export const syncSums = sums({
  fields: ['accountId'],
  figures: { money: [], counts: ['syncs', 'fetched', 'inserted', 'duplicates', 'errors'] },
  name: 'sync-sums',
  version: 2,
  category: 'syncRun',
  takes: TAKES,
  changes,
  foundBy: ['accountId'],
});
