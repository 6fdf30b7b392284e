import type { Figures } from '../projections/analytics/packed-figures.ts';
import { type Decimal, fromUnits, toUnits } from '../shared/money.ts';
import { refuseTooManyRows } from './most-rows.ts';
import type { Amounts } from './tally.ts';

export type Group = {
  readonly parts: readonly string[];
  count(name: string): number;
  /** Exact; "0" when nothing was added. */
  money(name: string): Decimal;
};

type Sum = {
  readonly parts: readonly string[];
  readonly counts: Map<string, number>;
  readonly units: Map<string, bigint>;
};

/** Sums figures by group. */
export type Groups = {
  /** @throws TooManyRows */
  readonly add: (parts: readonly string[], figures: Figures | Amounts) => void;
  /** The same figures added up by fewer parts. */
  readonly by: (parts: (parts: readonly string[]) => readonly string[]) => Groups;
  /** Groups that are not empty, ordered by their parts by code point. */
  readonly all: () => Group[];
};

type Merging = Groups & {
  readonly merge: (parts: readonly string[], counts: Sum['counts'], units: Sum['units']) => void;
};

export function openGroups(): Groups {
  return openSums();
}

function openSums(): Merging {
  const sums = new Map<string, Sum>();
  /** Consecutive figures mostly belong to the same group. */
  let last: Sum | undefined;

  function sumOf(parts: readonly string[]): Sum {
    if (last?.parts.every((part, place) => part === parts[place])) return last;
    const key = JSON.stringify(parts);
    last = sums.get(key);
    if (last === undefined) {
      refuseTooManyRows(sums.size + 1);
      last = { parts, counts: new Map(), units: new Map() };
      sums.set(key, last);
    }
    return last;
  }

  function addUnits({ units }: Sum, name: string, more: bigint): void {
    units.set(name, (units.get(name) ?? 0n) + more);
  }

  function addCount({ counts }: Sum, name: string, more: number): void {
    counts.set(name, (counts.get(name) ?? 0) + more);
  }

  return {
    add(parts, figures) {
      const sum = sumOf(parts);
      for (const name in figures) {
        const figure = figures[name] ?? 0;
        if (typeof figure === 'number') addCount(sum, name, figure);
        else if (typeof figure === 'bigint') addUnits(sum, name, figure);
        else addUnits(sum, name, toUnits(figure));
      }
    },
    by(partsOf) {
      const groups = openSums();
      for (const { parts, counts, units } of sums.values()) groups.merge(partsOf(parts), counts, units);
      return groups;
    },
    merge(parts, counts, units) {
      const sum = sumOf(parts);
      for (const [name, count] of counts) addCount(sum, name, count);
      for (const [name, more] of units) addUnits(sum, name, more);
    },
    all: () =>
      [...sums.values()]
        .filter(({ counts, units }) => [...counts.values(), ...units.values()].some((sum) => sum !== 0 && sum !== 0n))
        .sort((one, other) => compareParts(one.parts, other.parts))
        .map(({ parts, counts, units }) => ({
          parts,
          count: (name) => counts.get(name) ?? 0,
          money: (name) => fromUnits(units.get(name) ?? 0n),
        })),
  };
}

export function compareText(one: string, other: string): number {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

function compareParts(one: readonly string[], other: readonly string[]): number {
  for (const [place, part] of one.entries()) {
    const difference = compareText(part, other[place] ?? '');
    if (difference !== 0) return difference;
  }
  return 0;
}
