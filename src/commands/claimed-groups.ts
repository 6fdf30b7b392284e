import { type SlotClaims, slotOrdinal, slotStamp } from '../deciders/row-slots.ts';
import { dropOldest } from '../shared/drop-oldest.ts';

/**
 * Groups of a window whose slots are remembered. A row of one before them, listed once more, is known by what is
 * recorded, as it is in another sync.
 */
export const MOST_CLAIMED_GROUPS = 10_000;

/** Which slots the rows of each group were given so far in a window of a sync. */
export type ClaimedGroups = {
  /** How many groups are remembered. */
  readonly size: number;
  /** Of a group that is not remembered: none. The claims are the caller's own until they are kept. */
  readonly of: (groupKey: string) => SlotClaims;
  /** Remembers them as those of the last group; the first ones are forgotten where there are too many. */
  readonly keep: (groupKey: string, claims: SlotClaims) => void;
};

export function openClaimedGroups(most = MOST_CLAIMED_GROUPS): ClaimedGroups {
  /** A group of one row, as nearly all are, is the number of its slot: a third of the memory. */
  const groups = new Map<string, SlotClaims | number>();
  return {
    get size() {
      return groups.size;
    },
    of(groupKey) {
      const kept = groups.get(groupKey) ?? [];
      return new Map(typeof kept === 'number' ? [[0, slotStamp(groupKey, kept)]] : kept);
    },
    keep(groupKey, claims) {
      const stamp = claims.size === 1 ? claims.get(0) : undefined;
      const ordinal = stamp === undefined ? null : slotOrdinal(groupKey, stamp);
      groups.delete(groupKey);
      groups.set(groupKey, ordinal ?? claims);
      dropOldest(groups, most);
    },
  };
}
