import { lettersOf } from '../shared/text-folding.ts';

/**
 * Which recorded transaction each row of a bank is that gives its rows no ids:
 * docs/adr/0026-what-tells-equal-rows-apart.md.
 *
 * Rows of one group (account, day, amount, direction) take numbered slots. A slot belongs to one row of the group; a
 * row's text decides only which slot it takes, never how many there are.
 */

/** What a row states beyond what its group has in common. */
export type RowText = {
  readonly contentHash: string;
  readonly description: string | null;
  readonly nameSurname: string | null;
  readonly iban: string | null;
};

/** A transaction of the group that is recorded, under the stamp of its slot or one of a former version. */
export type TakenSlot = RowText & { readonly stamp: string };

/** `index`: which of the group's rows it is; several statements may list the same one with different texts. */
export type GroupedRow = RowText & { readonly index: number };

/** Which slot each row of a group was given during a sync, by its index. */
export type SlotClaims = Map<number, string>;

/** All stamps of slots lie in this half-open range, and no others. */
export const SLOT_STAMPS = { from: 'row:', to: 'row;' } as const;

export function slotStamp(groupKey: string, ordinal: number): string {
  return `${SLOT_STAMPS.from}${groupKey}/${ordinal}`;
}

/** The ordinal for which `slotStamp` gives this stamp; null for one that no slot of the group has. */
export function slotOrdinal(groupKey: string, stamp: string): number | null {
  const ordinal = Number(stamp.slice(SLOT_STAMPS.from.length + groupKey.length + 1));
  return slotStamp(groupKey, ordinal) === stamp ? ordinal : null;
}

/**
 * Gives each index among the rows a slot: one that is recorded with the same content, else with similar content, else
 * one that must be the same row because the bank has no more rows than that; the others are new.
 * @param size how many rows the bank has in the group
 * @param claims what earlier pages of the sync were given; added to
 */
export function claimSlots(options: {
  readonly groupKey: string;
  readonly size: number;
  readonly rows: readonly GroupedRow[];
  readonly taken: readonly TakenSlot[];
  readonly claims: SlotClaims;
}): void {
  const { groupKey, size, rows, taken, claims } = options;
  const claimed = new Set(claims.values());
  const open = new Map<number, GroupedRow[]>();
  for (const row of rows) {
    if (!claims.has(row.index)) open.set(row.index, [...(open.get(row.index) ?? []), row]);
  }
  const claim = (index: number, stamp: string): void => {
    claims.set(index, stamp);
    claimed.add(stamp);
    open.delete(index);
  };
  const unclaimed = (): TakenSlot[] => taken.filter(({ stamp }) => !claimed.has(stamp));
  for (const alike of [isSame, isMuchTheSame]) {
    for (const [index, said] of [...open]) {
      const found = unclaimed().find((slot) => said.some((row) => alike(row, slot)));
      if (found !== undefined) claim(index, found.stamp);
    }
  }
  // Of the unclaimed slots as many may belong to rows that are not among these; the rest belong to these, with a
  // changed text.
  const others = Math.max(0, size - claims.size - open.size);
  const worded = unclaimed().length - others;
  for (const alike of [isSomewhatTheSame, () => true]) {
    for (const [index, said] of [...open]) {
      if (unclaimed().length <= others || worded <= 0) break;
      const found = unclaimed().find((slot) => said.some((row) => alike(row, slot)));
      if (found !== undefined) claim(index, found.stamp);
    }
  }
  const used = new Set([...taken.map(({ stamp }) => stamp), ...claimed]);
  let ordinal = 0;
  for (const index of [...open.keys()].sort((a, b) => a - b)) {
    while (used.has(slotStamp(groupKey, ordinal))) ordinal += 1;
    used.add(slotStamp(groupKey, ordinal));
    claim(index, slotStamp(groupKey, ordinal));
  }
}

function isSame(row: RowText, slot: RowText): boolean {
  return row.contentHash === slot.contentHash;
}

/** The same text spelled differently, and no other counterparty. */
function isMuchTheSame(row: RowText, slot: RowText): boolean {
  const text = lettersOf(row.description);
  if (text === '' || text !== lettersOf(slot.description)) return false;
  return row.iban === null || slot.iban === null || row.iban === slot.iban;
}

function isSomewhatTheSame(row: RowText, slot: RowText): boolean {
  if (row.iban !== null && row.iban === slot.iban) return true;
  const [name, text] = [lettersOf(row.nameSurname), lettersOf(row.description)];
  if (name !== '' && name === lettersOf(slot.nameSurname)) return true;
  const other = lettersOf(slot.description);
  return text !== '' && other !== '' && (text.includes(other) || other.includes(text));
}
