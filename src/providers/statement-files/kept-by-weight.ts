/** A cache bounded by the weight of its entries; the least recently used are dropped first. */
export type KeptByWeight<Value> = {
  readonly get: (key: string) => Value | undefined;
  readonly set: (key: string, value: Value, weight: number) => void;
  readonly delete: (key: string) => void;
};

/** @param most the largest total weight; the latest entry is kept in any case */
export function keepByWeight<Value>(most: number): KeptByWeight<Value> {
  const kept = new Map<string, { readonly value: Value; readonly weight: number }>();
  let total = 0;

  function remove(key: string): void {
    const known = kept.get(key);
    if (known === undefined) return;
    kept.delete(key);
    total -= known.weight;
  }

  return {
    get(key) {
      const known = kept.get(key);
      if (known === undefined) return undefined;
      kept.delete(key);
      kept.set(key, known);
      return known.value;
    },
    set(key, value, weight) {
      remove(key);
      kept.set(key, { value, weight });
      total += weight;
      for (const oldest of kept.keys()) {
        if (total <= most || oldest === key) break;
        remove(oldest);
      }
    },
    delete: remove,
  };
}
