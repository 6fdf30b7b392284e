/**
 * Which rows of several statements about one day are the same ones. See docs/adr/0026-what-tells-equal-rows-apart.md.
 *
 * A day's rows are known by amount and direction. The nth of a kind in one statement is the nth in another that begins
 * at the same balance. A statement that begins at a balance which the rows of another lead to goes on from there, and
 * its rows come after those.
 */

/** One statement's rows of a day, in the order of the statement. */
export type DaySegment = {
  readonly id: string;
  /** What wrote it: two of one format can be compared by their texts. */
  readonly format: string;
  /** The balance before the first row, in units; null when the statement states none. */
  readonly start: bigint | null;
  /** The statement tells of days before as well, so that no row of the day comes before its first one. */
  readonly beginsDay: boolean;
  /** It tells of days behind as well, so that no row of the day comes after its last one. */
  readonly endsDay: boolean;
  readonly rows: readonly SegmentRow[];
};

export type SegmentRow = {
  /** Amount and direction: rows that differ in it are never the same. */
  readonly kind: string;
  /** What the row moves, in units. */
  readonly change: bigint;
  readonly reference: string | null;
  /** All the bank says of it. */
  readonly text: string;
  /** The letters of its description, by which it is known in another format too. */
  readonly words: string;
};

export type RowPlaces = {
  /** For each segment, in the order of its rows, the number of the row among those of its kind on that day, from 0. */
  readonly indexes: ReadonlyMap<string, readonly number[]>;
  /** How many rows of each kind the day has. */
  readonly totals: ReadonlyMap<string, number>;
};

type Counts = Map<string, number>;

export function placeRows(segments: readonly DaySegment[]): RowPlaces {
  const before = rowsBefore(segments.filter(({ start }) => start !== null));
  const indexes = new Map<string, readonly number[]>();
  const known = new Map<string, KnownPlace[]>();
  // The short ones first: which place a row takes among many is left to what the others say of those places.
  const stated = segments.filter(({ start }) => start !== null).sort((a, b) => a.rows.length - b.rows.length);
  for (const segment of stated)
    indexes.set(segment.id, placeInRange(known, segment, before.get(segment.id) ?? new Map()));
  for (const segment of segments) {
    if (segment.start !== null) continue;
    const taken = new Set<KnownPlace>();
    indexes.set(
      segment.id,
      segment.rows.map((row) => indexByContent(known, row, segment.format, taken)),
    );
  }
  return withoutGaps(segments, indexes, known);
}

/** A place that no row took is none: the numbers close up. */
function withoutGaps(
  segments: readonly DaySegment[],
  indexes: ReadonlyMap<string, readonly number[]>,
  known: ReadonlyMap<string, readonly KnownPlace[]>,
): RowPlaces {
  const ranks = new Map<string, number[]>();
  const totals = new Map<string, number>();
  for (const [kind, places] of known) {
    let rank = 0;
    const taken = places.map(({ said }) => (said.length === 0 ? rank : rank++));
    ranks.set(kind, taken);
    totals.set(kind, rank);
  }
  const closed = segments.map(({ id, rows }): [string, number[]] => [
    id,
    rows.map(({ kind }, position) => ranks.get(kind)?.[indexes.get(id)?.[position] ?? 0] ?? 0),
  ]);
  return { indexes: new Map(closed), totals };
}

/**
 * The rows of a kind follow those before the segment; among them a row takes the place at which the same is said, in
 * whatever order they stand.
 */
function placeInRange(known: Map<string, KnownPlace[]>, segment: DaySegment, before: Counts): number[] {
  const free = new Map<string, number[]>();
  for (const [kind, count] of countsOf(segment.rows)) {
    const first = before.get(kind) ?? 0;
    free.set(
      kind,
      Array.from({ length: count }, (_, index) => first + index),
    );
  }
  const take = (row: SegmentRow, fits: (said: KnownPlace['said']) => boolean): number | undefined => {
    const places = free.get(row.kind) ?? [];
    const at = places.findIndex((index) => fits(known.get(row.kind)?.[index]?.said ?? []));
    return at < 0 ? undefined : places.splice(at, 1)[0];
  };
  const tests = [
    (row: SegmentRow) => (said: KnownPlace['said']) => said.some((one) => one.row.text === row.text),
    (row: SegmentRow) => (said: KnownPlace['said']) =>
      row.reference !== null && said.some((one) => one.row.reference === row.reference),
    (row: SegmentRow) => (said: KnownPlace['said']) => said.some((one) => one.row.words === row.words),
    (row: SegmentRow) => (said: KnownPlace['said']) => said.some((one) => isWordedIn(one.row, row)),
    () => (said: KnownPlace['said']) => said.length === 0,
    () => () => true,
  ];
  const taken = new Map<number, number>();
  for (const test of tests) {
    for (const [position, row] of segment.rows.entries()) {
      if (taken.has(position)) continue;
      const index = take(row, test(row));
      if (index !== undefined) taken.set(position, index);
    }
  }
  return segment.rows.map((row, position) => {
    const index = taken.get(position) ?? 0;
    place(known, row, index, segment.format);
    return index;
  });
}

function isWordedIn({ words: one }: SegmentRow, { words: other }: SegmentRow): boolean {
  return one !== '' && other !== '' && (one.includes(other) || other.includes(one));
}

/** A row of the day with all that was said of it. */
type KnownPlace = { readonly said: { readonly row: SegmentRow; readonly format: string }[] };

function place(known: Map<string, KnownPlace[]>, row: SegmentRow, index: number, format: string): void {
  const places = known.get(row.kind) ?? [];
  known.set(row.kind, places);
  while (places.length <= index) places.push({ said: [] });
  places[index]?.said.push({ row, format });
}

/** Without balances nothing but the reference, or else the text, tells whether two statements speak of one row. */
function indexByContent(
  known: Map<string, KnownPlace[]>,
  row: SegmentRow,
  format: string,
  taken: Set<KnownPlace>,
): number {
  const places = known.get(row.kind) ?? [];
  known.set(row.kind, places);
  const free = places.filter((one) => !taken.has(one));
  const same = (one: KnownPlace, test: (said: KnownPlace['said'][number]) => boolean): boolean => one.said.some(test);
  const found =
    free.find((one) => same(one, ({ row: other }) => row.reference !== null && other.reference === row.reference)) ??
    free.find((one) => same(one, ({ row: other }) => other.text === row.text)) ??
    free.find((one) =>
      same(one, (said) => said.format !== format && (said.row.reference === null || row.reference === null)),
    );
  const at = found ?? { said: [] };
  if (found === undefined) places.push(at);
  taken.add(at);
  at.said.push({ row, format });
  return places.indexOf(at);
}

/**
 * How a statement stands to another: `offset` is how many rows of each kind come between the beginning of the one and
 * that of the other. `sureness`: what speaks for it, the higher the better; `rows`: how many rows both of them then
 * hold.
 */
type Relation = {
  readonly from: string;
  readonly to: string;
  readonly offset: Counts;
  readonly sureness: number;
  readonly rows: number;
};

/**
 * Rows that follow each other alike in both, also when both begin together and one lists the last one first; then one
 * that goes on where the other ends; then rows alike within a list that is turned; then one that begins with the other
 * and words it anew; then rows of the one among those of the other in any order.
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

/** A list that is turned is taken for one as long as that leaves none of the others without a place. */
const RANKINGS: readonly ((relation: Relation) => number)[] = [
  ({ sureness }) => sureness,
  ({ sureness }) => (sureness === SURE.turnedWhole ? SURE.turned : sureness),
];

type Groups = ReadonlyMap<string, ReadonlyMap<string, Counts>>;

/** Orders in which relations that are as sure are tried, until all segments are related. */
const MOST_TRIES = 16;

/**
 * For each segment, how many rows of each kind come before its first row, counted from where the earliest of those
 * begins that can be related.
 */
function rowsBefore(segments: readonly DaySegment[]): ReadonlyMap<string, Counts> {
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

/** The surest first; those that are as sure in another order at each attempt. */
function inTurn(relations: readonly Relation[], attempt: number): Relation[] {
  const rank = RANKINGS[Math.floor(attempt / MOST_TRIES)] ?? (() => 0);
  const turn = attempt % MOST_TRIES;
  return relations
    .map((relation, index) => ({ relation, order: turn === 0 ? index : ((index + 1) * turn * 7_919) % 10_007 }))
    .sort((a, b) => rank(b.relation) - rank(a.relation) || b.relation.rows - a.relation.rows || a.order - b.order)
    .map(({ relation }) => relation);
}

/**
 * Takes relations in turn, each only where nothing is known of the two yet, and none that puts rows before the day's
 * first one or behind its last one: no two of them can contradict each other.
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
      // Rows of which none is worded as another are other rows, where the balances allow that.
      const strangers = first.format === second.format && !sharesText(first, second) && apart.length > 0;
      found.push(...(strangers ? apart : possible));
    }
  }
  return found;
}

/**
 * The ways in which the second may go on from within the first: it begins at a balance to which rows of the first lead.
 * A balance comes about by chance as well, so the rows that both would have must be the same.
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
        // One row alone may be alike by chance.
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
 * For rows in no order at all: the second begins where the first does or within it, or the first ends where the second
 * does or within it.
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
  // Where they begin together only the same statement, worded anew or by another format, has rows of the same kinds and
  // other texts.
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

/** By what rows of two statements can be compared. */
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

/** Whether each row of a list is also in another, as often. */
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

function countsOf(rows: readonly SegmentRow[]): Counts {
  const counts: Counts = new Map();
  for (const { kind } of rows) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
