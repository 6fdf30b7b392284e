import {
  endOf,
  type FigureNames,
  type PackedDay,
  type PackedFigures,
} from '../projections/analytics/packed-figures.ts';
import { FRACTION_DIGITS, toUnits } from '../shared/money.ts';
import type { Piece } from './segments.ts';

/** Counts as numbers and money in units of its smallest fraction. */
export type Amounts = Readonly<Record<string, number | bigint>>;

/** A sum of money is a bigint only where a number would not hold it exactly. */
type Units = number | bigint;

/** Adds up the figures of one model for one period. */
export type Tally = {
  readonly add: (packed: PackedFigures, times?: 1 | -1) => void;
  readonly amounts: () => Amounts;
};

const NO_FRACTION = '0'.repeat(FRACTION_DIGITS);
const EXACT_DIGITS = 15;

function unitsOf(amount: string): Units {
  if (amount.length > EXACT_DIGITS - FRACTION_DIGITS) return toUnits(amount);
  const point = amount.indexOf('.');
  if (point < 0) return Number(amount + NO_FRACTION);
  return Number(amount.slice(0, point) + amount.slice(point + 1) + NO_FRACTION.slice(amount.length - point - 1));
}

function plusUnits(one: Units, other: Units): Units {
  if (typeof one === 'number' && typeof other === 'number') {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) return sum;
  }
  return BigInt(one) + BigInt(other);
}

function openTally({ money, counts }: FigureNames): Tally {
  const sums: Units[] = Array(money.length + counts.length).fill(0);
  return {
    add(packed, times = 1) {
      for (let place = 0, start = 0; start < packed.length; place += 1) {
        const comma = packed.indexOf(',', start);
        const stop = comma < 0 ? packed.length : comma;
        if (stop > start) {
          const text = packed.slice(start, stop);
          const more = place < money.length ? unitsOf(text) : Number(text);
          sums[place] = plusUnits(sums[place] ?? 0, times === 1 ? more : -more);
        }
        start = stop + 1;
      }
    },
    amounts() {
      const amounts: Record<string, number | bigint> = {};
      for (const [place, name] of [...money, ...counts].entries()) {
        const sum = sums[place] ?? 0;
        if (Number(sum) !== 0) amounts[name] = place < money.length ? BigInt(sum) : Number(sum);
      }
      return amounts;
    },
  };
}

/** A tally for each group of the figures of one document; none for null. */
export type Tallies = {
  readonly of: (group: string | null) => Tally | null;
  /** Of the groups that do not add up to nothing. */
  readonly amounts: () => Iterable<readonly [group: string, amounts: Amounts]>;
};

export function openTallies(names: FigureNames): Tallies {
  const all = new Map<string, Tally>();
  /** Consecutive figures mostly belong to the same group. */
  let last: { readonly group: string; readonly tally: Tally } | undefined;
  return {
    *amounts() {
      for (const [group, tally] of all) {
        const amounts = tally.amounts();
        if (Object.keys(amounts).length > 0) yield [group, amounts];
      }
    },
    of(group) {
      if (group === null) return null;
      if (last?.group === group) return last.tally;
      const tally = all.get(group) ?? openTally(names);
      all.set(group, tally);
      last = { group, tally };
      return tally;
    },
  };
}

/** Passes on the figures of the slots in a piece of the day. */
export function eachInPiece(day: PackedDay, { first, end }: Piece, take: (packed: PackedFigures) => void): void {
  const figuresFrom = first.length + 2;
  if (end === null) {
    for (let stop = day.length; stop > 0; ) {
      const start = day.lastIndexOf(';', stop - 1);
      if (start < 0 || day.slice(start + 1, start + 1 + first.length) < first) return;
      take(day.slice(start + figuresFrom, stop));
      stop = start;
    }
    return;
  }
  for (let start = day.indexOf(';'); start >= 0 && start < day.length; ) {
    const slot = day.slice(start + 1, start + 1 + first.length);
    if (slot >= end) return;
    const stop = endOf(day, start);
    if (slot >= first) take(day.slice(start + figuresFrom, stop));
    start = stop;
  }
}
