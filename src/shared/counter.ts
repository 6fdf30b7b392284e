/** How much is under way, by key. */
export type Counter<Key> = {
  /** What ends it, however often it is called; null where as much of the key is under way as may be. */
  readonly begin: (key: Key) => (() => void) | null;
  /** True while something of the key is under way. */
  readonly has: (key: Key) => boolean;
};

export function createCounter<Key>(most = Infinity): Counter<Key> {
  const counts = new Map<Key, number>();
  return {
    begin(key) {
      const before = counts.get(key) ?? 0;
      if (before >= most) return null;
      counts.set(key, before + 1);
      let ended = false;
      return () => {
        if (ended) return;
        ended = true;
        const left = (counts.get(key) ?? 1) - 1;
        if (left === 0) counts.delete(key);
        else counts.set(key, left);
      };
    },
    has: (key) => counts.has(key),
  };
}
