import { sha256 } from '../../shared/hash.ts';

/** Pseudorandom numbers, the same for the same seed. */
export type Random = {
  /** 0 ≤ n < below, a whole number. */
  readonly below: (below: number) => number;
  readonly pick: <T>(list: readonly T[]) => T;
  readonly digits: (count: number) => string;
};

/** The first 32 bits of SHA-256 over the parts. */
export function seedWord(...parts: readonly (string | number)[]): number {
  return Number.parseInt(sha256(parts.join('\u0000')).slice(0, 8), 16);
}

/** Mulberry32 (Tommy Ettinger, public domain): fast, and its 32 bits of state are enough for generated statements. */
export function random(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (bound: number): number => Math.floor(next() * bound);
  return {
    below,
    pick: (list) => {
      const picked = list[below(list.length)];
      if (picked === undefined) throw new RangeError('nothing to pick from');
      return picked;
    },
    digits: (count) => {
      let digits = '';
      for (let place = 0; place < count; place += 1) digits += below(10);
      return digits;
    },
  };
}

/** Mixes two numbers into 32 bits (the finalizer of MurmurHash3), for seeds of consecutive days. */
export function mixed(seed: number, number: number): number {
  let hash = (seed ^ Math.imul(number, 0x9e3779b1)) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
