import { claimSlots, type SlotClaims, slotStamp, type TakenSlot } from '../deciders/row-slots.ts';
import type { RowGroup, StampedTransaction, UnsettledRow } from '../deciders/transaction-stamp.ts';
import type { EventData } from '../events/registry.ts';
import { streamName } from '../log/streams.ts';
import { transactionId } from '../shared/ids.ts';
import type { ClaimedGroups } from './claimed-groups.ts';
import type { CommandContext } from './command.ts';
import type { LookUpKnown } from './known-transaction.ts';

/** A row whose stamp depends on what is already recorded: `providerStamp` is blank until then. */
export type PageRow = UnsettledRow;

/** Rows that an earlier version recorded on a day of the account, under stamps computed in another way. */
export type LookUpFormer = (day: string) => Promise<readonly FormerRow[]>;

export type FormerRow = TakenSlot & { readonly amount: string; readonly incoming: boolean };

export type StampSource = {
  readonly bankCode: string;
  readonly lookUpKnown: LookUpKnown;
  readonly lookUpFormer: LookUpFormer;
  readonly claims: ClaimedGroups;
};

type Group = { readonly key: string; readonly rows: (PageRow & { readonly group: RowGroup })[]; size: number };

/**
 * Gives each row of a group the stamp of its slot. What the read model does not show yet is looked up in the log where
 * it matters: where a row might otherwise get the slot of another row. A row that is alone in its group has a certain
 * slot.
 */
export async function settleStamps(
  context: CommandContext,
  rows: readonly PageRow[],
  source: StampSource,
): Promise<(StampedTransaction & Pick<PageRow, 'details'>)[]> {
  const groups = gather(rows);
  const taken = await takenSlots(context, [...groups.values()], source);
  const claimed = new Map<string, SlotClaims>();
  for (const group of groups.values()) {
    const { key, size } = group;
    const claims = source.claims.of(key);
    claimed.set(key, claims);
    let slots = taken.get(key) ?? [];
    if (slots.length < size && !areAllThere(group, slots)) {
      if (size > 1) slots = await withUnseen(context, source.bankCode, key, slots);
      slots = [...slots, ...(await formerSlots(group, source.lookUpFormer))];
    }
    // A row whose payments are recorded is known by the first one, which has its slot.
    const asked = group.rows.flatMap((row) =>
      [row, ...(row.details ?? []).slice(0, 1)].map((said) => ({ ...said, index: row.group.index })),
    );
    claimSlots({ groupKey: key, size, rows: asked, taken: slots, claims });
  }
  for (const [key, claims] of claimed) source.claims.keep(key, claims);
  return rows.map(({ group, ...row }) => {
    if (group === undefined) return row;
    const stamp = claimed.get(group.key)?.get(group.index);
    if (stamp === undefined) throw new RangeError('a row of a group has no slot');
    return { ...row, providerStamp: stamp };
  });
}

function gather(rows: readonly PageRow[]): Map<string, Group> {
  const groups = new Map<string, Group>();
  for (const row of rows) {
    if (row.group === undefined) continue;
    const { key, size } = row.group;
    const found = groups.get(key) ?? { key, rows: [], size };
    found.size = Math.max(found.size, size);
    found.rows.push({ ...row, group: row.group });
    groups.set(key, found);
  }
  return groups;
}

/** Slots have no gaps, so one lookup after each run of known ones is enough. */
async function takenSlots(
  context: CommandContext,
  groups: readonly Group[],
  { bankCode, lookUpKnown }: StampSource,
): Promise<Map<string, TakenSlot[]>> {
  const taken = new Map<string, TakenSlot[]>();
  let asked = groups.map(({ key, size }) => ({ key, from: 0, to: size }));
  while (asked.length > 0) {
    const stamps = asked.flatMap(({ key, from, to }) =>
      Array.from({ length: to - from }, (_, index) => {
        const stamp = slotStamp(key, from + index);
        return { key, stamp, id: transactionId(context.tenantId, bankCode, stamp) };
      }),
    );
    const known = await lookUpKnown(stamps.map(({ id }) => id));
    for (const one of stamps) {
      const found = known.get(one.id);
      if (found === undefined) continue;
      const { contentHash, description = null, nameSurname = null, iban = null } = found;
      const slot = { stamp: one.stamp, contentHash, description, nameSurname, iban };
      taken.set(one.key, [...(taken.get(one.key) ?? []), slot]);
    }
    asked = asked
      .filter(({ key, to }) => (taken.get(key)?.length ?? 0) >= to)
      .map(({ key, to }) => ({ key, from: to, to: 2 * to }));
  }
  return taken;
}

/** True when each row's content already has a slot of its own. */
function areAllThere({ rows }: Group, slots: readonly TakenSlot[]): boolean {
  const left = slots.map(({ contentHash }) => contentHash);
  const byIndex = new Map(rows.map((row) => [row.group.index, row.contentHash]));
  return [...byIndex.values()].every((hash) => {
    const at = left.indexOf(hash);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  });
}

async function withUnseen(
  context: CommandContext,
  bankCode: string,
  key: string,
  slots: readonly TakenSlot[],
): Promise<TakenSlot[]> {
  const seen = new Set(slots.map(({ stamp }) => stamp));
  const all = [...slots];
  for (let ordinal = 0; ; ordinal += 1) {
    const stamp = slotStamp(key, ordinal);
    if (seen.has(stamp)) continue;
    const stream = streamName('bankTransaction', context.tenantId, transactionId(context.tenantId, bankCode, stamp));
    const [first] = await context.log.readStream(stream, { limit: 1 });
    if (first === undefined) return all;
    const { contentHash, description, nameSurname, iban } = first.data as EventData<'TransactionRecorded'>;
    all.push({ stamp, contentHash, description, nameSurname, iban });
  }
}

async function formerSlots({ rows }: Group, lookUpFormer: LookUpFormer): Promise<TakenSlot[]> {
  const [first] = rows;
  if (first === undefined) return [];
  const formerDays = rows.flatMap(({ group }) => group.formerDay ?? []);
  const days = new Set([first.transactionDate.slice(0, 10), ...formerDays]);
  const found: TakenSlot[] = [];
  for (const day of days) {
    for (const { amount, incoming, ...slot } of await lookUpFormer(day)) {
      if (amount === first.amount && incoming === first.incoming) found.push(slot);
    }
  }
  return found;
}
