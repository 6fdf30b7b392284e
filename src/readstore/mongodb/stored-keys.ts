/**
 * MongoDB takes a dot in a key for a path and a leading `$` for an operator, and its driver takes an object with the
 * key `_bsontype` for a value of a type of its own. Stored keys are none of these: `~0` stands for `~`, `~1` for a dot,
 * `~2` for a leading `$`, `~3` for NUL, `~4` for the `_` of `_bsontype`, so that every JSON key comes back as it was.
 */
const UNFIT = /[~.\0]|^\$|^_bsontype$/;

export function storedKey(key: string): string {
  if (!UNFIT.test(key)) return key;
  return key
    .replaceAll('~', '~0')
    .replaceAll('.', '~1')
    .replaceAll('\0', '~3')
    .replace(/^\$/, '~2')
    .replace(/^_bsontype$/, '~4bsontype');
}

const ORIGINALS: Readonly<Record<string, string>> = { '~0': '~', '~1': '.', '~2': '$', '~3': '\0', '~4': '_' };

function originalKey(key: string): string {
  return key.includes('~') ? key.replace(/~[0-4]/g, (code) => ORIGINALS[code] ?? code) : key;
}

/** The value with fit keys; the same reference when they were. */
export function toStored<T>(value: T): T {
  return withKeys(value, storedKey) as T;
}

/** The inverse of {@link toStored}. */
export function fromStored<T>(value: T): T {
  return withKeys(value, originalKey) as T;
}

function withKeys(value: unknown, change: (key: string) => string): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => withKeys(item, change));
    return items.some((item, at) => item !== value[at]) ? items : value;
  }
  let changed = false;
  const entries: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    const entry: [string, unknown] = [change(key), withKeys(item, change)];
    changed ||= entry[0] !== key || entry[1] !== item;
    entries.push(entry);
  }
  return changed ? Object.fromEntries(entries) : value;
}
