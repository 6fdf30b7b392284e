import type { EventType, KnownEvent } from '../../events/registry.ts';
import { type Change, sums } from './sums.ts';

const TAKES = ['TransactionAssignmentAttached', 'TransactionAssignmentRevoked'] as const satisfies readonly EventType[];
type Taken = KnownEvent<(typeof TAKES)[number]>;

function changes(event: Taken): readonly Change[] {
  if (event.type === 'TransactionAssignmentAttached') {
    const { ruleId, matchedAt } = event.data;
    return ruleId === null ? [] : [{ dimensions: { ruleId }, at: matchedAt, figures: { matched: 1 } }];
  }
  const { ruleId, revokedAt } = event.data;
  return ruleId === null ? [] : [{ dimensions: { ruleId }, at: revokedAt, figures: { revoked: 1 } }];
}

/** How many assignments of each rule were attached and revoked, by the time at which that happened. */
export const ruleMatches = sums({
  fields: ['ruleId'],
  figures: { money: [], counts: ['matched', 'revoked'] },
  name: 'rule-sums',
  version: 2,
  category: 'bankTransaction',
  takes: TAKES,
  changes,
});
