import type { DaySegment, SegmentRow } from './day-segment.ts';
import { type Counts, countsOf, rowsBefore } from './segment-relations.ts';

/**
 * Which rows of several statements about one day are the same ones. See docs/adr/0026-what-tells-equal-rows-apart.md.
 *
 * A day's rows are identified by amount and direction. The nth of a kind in one statement is the nth in another that
 * begins at the same balance. A statement that begins at a balance which the rows of another lead to continues from
 * there, and its rows come after those.
 */

export type RowPlaces = {
  /** For each segment, in the order of its rows, the number of the row among those of its kind on that day, from 0. */
  readonly indexes: ReadonlyMap<string, readonly number[]>;
  /** How many rows of each kind the day has. */
  readonly totals: ReadonlyMap<string, number>;
};

export function placeRows(segments: readonly DaySegment[]): RowPlaces {
  const before = rowsBefore(segments.filter(({ start }) => start !== null));
  const indexes = new Map<string, readonly number[]>();
  const known = new Map<string, KnownPlace[]>();
  // The short ones first: a longer one then chooses among many places by what the others say about them.
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

/** Removes places that no row took, so that the numbers have no gaps. */
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
 * The rows of a kind follow those before the segment; among them, a row takes the place about which another statement
 * says the same, whatever their order.
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

/** A row of the day with everything that statements say about it. */
type KnownPlace = { readonly said: { readonly row: SegmentRow; readonly format: string }[] };

function place(known: Map<string, KnownPlace[]>, row: SegmentRow, index: number, format: string): void {
  const places = known.get(row.kind) ?? [];
  known.set(row.kind, places);
  while (places.length <= index) places.push({ said: [] });
  places[index]?.said.push({ row, format });
}

/**
 * Without balances, only the reference, or otherwise the text, shows whether two statements list the same row. Another
 * format has its own wording and references: there, a row is any remaining row of the other one, the most similar
 * first.
 */
function indexByContent(
  known: Map<string, KnownPlace[]>,
  row: SegmentRow,
  format: string,
  taken: Set<KnownPlace>,
): number {
  const places = known.get(row.kind) ?? [];
  known.set(row.kind, places);
  const free = places.filter((one) => !taken.has(one));
  const first = (test: (said: KnownPlace['said'][number]) => boolean): KnownPlace | undefined =>
    free.find(({ said }) => said.some(test));
  const elsewhere = (test: (other: SegmentRow) => boolean): KnownPlace | undefined =>
    first((said) => said.format !== format && test(said.row));
  const found =
    first(({ row: other }) => row.reference !== null && other.reference === row.reference) ??
    first(({ row: other }) => other.text === row.text) ??
    elsewhere((other) => other.words === row.words) ??
    elsewhere((other) => isWordedIn(other, row)) ??
    elsewhere(() => true);
  const at = found ?? { said: [] };
  if (found === undefined) places.push(at);
  taken.add(at);
  at.said.push({ row, format });
  return places.indexOf(at);
}
