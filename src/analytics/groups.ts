import type { Figures } from '../projections/analytics/sums.ts';
import { type Decimal, fromUnits, toUnits } from '../shared/money.ts';

export type Group = {
  readonly parts: readonly string[];
  count(name: string): number;
  /** Exact; "0" for what was never added. */
  money(name: string): Decimal;
};

type Sum = {
  readonly parts: readonly string[];
  readonly counts: Map<string, number>;
  readonly units: Map<string, bigint>;
};

/** Adds figures up by what they belong to. */
export type Groups = {
  readonly add: (parts: readonly string[], figures: Figures) => void;
  /** Those with anything left in them, in the order of their parts by code point. */
  readonly all: () => Group[];
};

export function openGroups(): Groups {
  const sums = new Map<string, Sum>();
  return {
    add(parts, figures) {
      const key = JSON.stringify(parts);
      let sum = sums.get(key);
      if (sum === undefined) {
        sum = { parts, counts: new Map(), units: new Map() };
        sums.set(key, sum);
      }
      for (const [name, figure] of Object.entries(figures)) {
        if (typeof figure === 'number') sum.counts.set(name, (sum.counts.get(name) ?? 0) + figure);
        else sum.units.set(name, (sum.units.get(name) ?? 0n) + toUnits(figure));
      }
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
