import type { DaySegment, SegmentRow } from './day-segment.ts';

/** How many rows there are of each kind. */
export type Counts = Map<string, number>;

/**
 * How one statement relates to another. `offset`: how many rows of each kind come between the beginning of `from` and
 * that of `to`; `sureness`: how strong the evidence is, the higher the better; `rows`: how many rows both of them then
 * share.
 */
type Relation = {
  readonly from: string;
  readonly to: string;
  readonly offset: Counts;
  readonly sureness: number;
  readonly rows: number;
};

/**
 * From strong to weak: equal sequences of rows, even if both begin together and one is reversed; one that continues
 * where the other ends; equal rows within a reversed list; one that begins with the other and words it differently;
 * rows of the one among those of the other in any order.
 */
const SURE = {
  sameTexts: 7,
  sameKinds: 6,
  turnedWhole: 5,
  apart: 4,
  turned: 3,
  restated: 2,
  textsAmong: 1,
  kindsAmong: 0,
} as const;

/**
 * A whole list counts as reversed with more certainty in the first ranking; the second is tried if that leaves segments
 * unrelated.
 */
const RANKINGS: readonly ((relation: Relation) => number)[] = [
  ({ sureness }) => sureness,
  ({ sureness }) => (sureness === SURE.turnedWhole ? SURE.turned : sureness),
];

type Groups = ReadonlyMap<string, ReadonlyMap<string, Counts>>;

/** The most orders in which equally sure relations are tried, until all segments are related. */
const MOST_TRIES = 16;

/**
 * For each segment, how many rows of each kind come before its first row, counted from the beginning of the earliest
 * segment to which it can be related.
 */
export function rowsBefore(segments: readonly DaySegment[]): ReadonlyMap<string, Counts> {
  const found = relations(segments);
  let best: Groups = new Map();
  let fewest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < RANKINGS.length * MOST_TRIES && fewest > 1; attempt += 1) {
    const groups = relate(segments, inTurn(found, attempt));
    const count = new Set(groups.values()).size;
    if (count < fewest) [best, fewest] = [groups, count];
  }
  const before = new Map<string, Counts>();
  for (const { id } of segments) before.set(id, plus(best.get(id)?.get(id) ?? new Map(), least(best.get(id)), -1));
  return before;
}

/** The surest first; equally sure ones in another order at each attempt. */
function inTurn(relations: readonly Relation[], attempt: number): Relation[] {
  const rank = RANKINGS[Math.floor(attempt / MOST_TRIES)] ?? (() => 0);
  const turn = attempt % MOST_TRIES;
  return relations
    .map((relation, index) => ({ relation, order: turn === 0 ? index : ((index + 1) * turn * 7_919) % 10_007 }))
    .sort((a, b) => rank(b.relation) - rank(a.relation) || b.relation.rows - a.relation.rows || a.order - b.order)
    .map(({ relation }) => relation);
}

/**
 * Applies relations in order, each only if the two segments are not yet related, and none that puts rows before the
 * day's first one or after its last one: no two of them can contradict each other.
 */
function relate(segments: readonly DaySegment[], ordered: readonly Relation[]): Groups {
  const groups = new Map(segments.map(({ id }) => [id, new Map<string, Counts>([[id, new Map()]])]));
  const sizes = new Map(segments.map(({ id, rows }) => [id, countsOf(rows)]));
  for (const { from, to, offset } of ordered) {
    const [here, there] = [groups.get(from), groups.get(to)];
    if (here === undefined || there === undefined || here === there) continue;
    const shift = plus(plus(here.get(from) ?? new Map(), offset, 1), there.get(to) ?? new Map(), -1);
    const joined = new Map([...here, ...[...there].map(([id, counts]) => [id, plus(counts, shift, 1)] as const)]);
    if (!segments.every((segment) => isInPlace(segment, joined, sizes))) continue;
    for (const id of joined.keys()) groups.set(id, joined);
  }
  return groups;
}

function isInPlace(
  { id, beginsDay, endsDay }: DaySegment,
  group: ReadonlyMap<string, Counts>,
  sizes: ReadonlyMap<string, Counts>,
): boolean {
  const own = group.get(id);
  if (own === undefined || !(beginsDay || endsDay)) return true;
  const endOf = (segment: string, before: Counts): Counts => plus(before, sizes.get(segment) ?? new Map(), 1);
  const isNowhereBelow = (counts: Counts, than: Counts): boolean =>
    [...plus(counts, than, -1).values()].every((count) => count >= 0);
  return [...group].every(
    ([other, before]) =>
      (!beginsDay || isNowhereBelow(before, own)) && (!endsDay || isNowhereBelow(endOf(id, own), endOf(other, before))),
  );
}

function least(group: ReadonlyMap<string, Counts> = new Map()): Counts {
  const lowest: Counts = new Map();
  const kinds = new Set([...group.values()].flatMap((counts) => [...counts.keys()]));
  for (const kind of kinds) lowest.set(kind, Math.min(...[...group.values()].map((counts) => counts.get(kind) ?? 0)));
  return lowest;
}

function plus(counts: Counts, more: Counts, times: 1 | -1): Counts {
  const sum = new Map(counts);
  for (const [kind, count] of more) sum.set(kind, (sum.get(kind) ?? 0) + times * count);
  return sum;
}

function relations(segments: readonly DaySegment[]): Relation[] {
  const found: Relation[] = [];
  for (const [at, first] of segments.entries()) {
    for (const second of segments.slice(at + 1)) {
      const possible = [...followings(first, second), ...followings(second, first)];
      const apart = possible.filter(({ sureness }) => sureness === SURE.apart);
      // If no row has the same text as one of the other statement, the rows are different ones, if the balances allow
      // that.
      const strangers = first.format === second.format && !sharesText(first, second) && apart.length > 0;
      found.push(...(strangers ? apart : possible));
    }
  }
  return found;
}

/**
 * The ways in which the second may continue from within the first: it begins at a balance to which rows of the first
 * lead. A balance can also recur by chance, so the rows that both would share must be the same.
 */
function followings(first: DaySegment, second: DaySegment): Relation[] {
  const found: Relation[] = [];
  for (const one of [first.rows, first.rows.toReversed()]) {
    for (const other of [second.rows, second.rows.toReversed()]) {
      for (const at of placesAt(first.start, one, second.start)) {
        const both = Math.min(one.length - at, other.length);
        const offset = countsOf(one.slice(0, at));
        const relation = related(first, second, one.slice(at, at + both), other.slice(0, both), offset);
        if (relation === null) continue;
        const turned = one !== first.rows || other !== second.rows;
        // A single row may be equal by chance.
        if (!turned || relation.sureness === SURE.apart) found.push(relation);
        else if (relation.sureness === SURE.sameTexts && both > 1) found.push(relation);
        else if (relation.sureness === SURE.sameTexts)
          found.push({ ...relation, sureness: at === 0 ? SURE.turnedWhole : SURE.turned });
      }
    }
  }
  return [...found, ...inAnyOrder(first, second)];
}

/**
 * For rows in any order: the second begins where the first does or within it, or the first ends where the second does
 * or within it.
 */
function inAnyOrder(first: DaySegment, second: DaySegment): Relation[] {
  const begins = placesAt(first.start, first.rows, second.start).map((at) => {
    return among(first, second, first.rows.slice(at), second.rows, countsOf(first.rows.slice(0, at)));
  });
  const end = (first.start ?? 0n) + first.rows.reduce((sum, { change }) => sum + change, 0n);
  const ends = placesAt(second.start, second.rows, end).map((at) => {
    const ahead = second.rows.slice(0, at);
    return among(first, second, first.rows, ahead, plus(countsOf(first.rows), countsOf(ahead), -1));
  });
  return [...begins, ...ends].filter((one) => one !== null);
}

function related(
  first: DaySegment,
  second: DaySegment,
  one: readonly SegmentRow[],
  other: readonly SegmentRow[],
  offset: Counts,
): Relation | null {
  const relation = { from: first.id, to: second.id, offset, rows: one.length };
  if (one.length === 0) return { ...relation, sureness: SURE.apart };
  if (!isPart(one, other, kindOf)) return null;
  if (isPart(one, other, textOf(first, second))) return { ...relation, sureness: SURE.sameTexts };
  // If they begin together, only the same statement, worded differently or in another format, has rows of the same
  // kinds and other texts.
  const together = offset.size === 0;
  if (first.format !== second.format) return { ...relation, sureness: together ? SURE.sameKinds : SURE.restated };
  return { ...relation, sureness: together ? SURE.restated : SURE.kindsAmong };
}

function among(
  first: DaySegment,
  second: DaySegment,
  one: readonly SegmentRow[],
  other: readonly SegmentRow[],
  offset: Counts,
): Relation | null {
  const fits = (token: (row: SegmentRow) => string): boolean => isPart(one, other, token) || isPart(other, one, token);
  const rows = Math.min(one.length, other.length);
  if (rows === 0 || !fits(kindOf)) return null;
  const sureness = fits(textOf(first, second)) ? SURE.textsAmong : SURE.kindsAmong;
  return { from: first.id, to: second.id, offset, rows, sureness };
}

function kindOf({ kind }: SegmentRow): string {
  return kind;
}

/** What identifies a row when two statements are compared. */
function textOf({ format }: DaySegment, { format: other }: DaySegment): (row: SegmentRow) => string {
  return ({ kind, text, words }) => `${kind} ${format === other ? text : words}`;
}

/** The numbers of rows after which a balance is reached. */
function placesAt(start: bigint | null, rows: readonly SegmentRow[], balance: bigint | null): number[] {
  const places = start === balance ? [0] : [];
  let reached = start ?? 0n;
  for (const [index, { change }] of rows.entries()) {
    reached += change;
    if (reached === balance) places.push(index + 1);
  }
  return places;
}

function sharesText(first: DaySegment, second: DaySegment): boolean {
  const texts = new Set(first.rows.map(({ text }) => text));
  return second.rows.some(({ text }) => texts.has(text));
}

/** Whether each row of a list is also in another one, at least as often. */
function isPart(
  rows: readonly SegmentRow[],
  among: readonly SegmentRow[],
  token: (row: SegmentRow) => string,
): boolean {
  const counts = new Map<string, number>();
  for (const row of among) counts.set(token(row), (counts.get(token(row)) ?? 0) + 1);
  return rows.every((row) => {
    const left = counts.get(token(row)) ?? 0;
    counts.set(token(row), left - 1);
    return left > 0;
  });
}

export function countsOf(rows: readonly SegmentRow[]): Counts {
  const counts: Counts = new Map();
  for (const { kind } of rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
