/** One field that differs. `path` leads to it, list members that have an id by that; undefined: it is not there. */
export type Difference = { readonly path: string; readonly before: unknown; readonly after: unknown };

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null) return null;
  if (!Array.isArray(value)) return value as Fields;
  const ids = value.map((one) => (one as { id?: unknown } | null)?.id);
  const named = ids.every((id) => typeof id === 'string') && new Set(ids).size === ids.length;
  // Members with ids are compared by id, wherever they are in the list; lists of plain values are compared whole.
  return named && value.length > 0 ? Object.fromEntries(value.map((one, at) => [String(ids[at]), one])) : null;
}

/** What differs between two JSON values, field by field, in the order of the fields. */
export function differencesBetween(before: unknown, after: unknown, path = ''): Difference[] {
  const [one, other] = [fieldsOf(before), fieldsOf(after)];
  if (one === null || other === null) {
    const empty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
    // A list that was or becomes empty is compared member by member with nothing.
    if (one !== null && empty(after)) return differencesBetween(before, {}, path);
    if (other !== null && empty(before)) return differencesBetween({}, after, path);
    return JSON.stringify(before) === JSON.stringify(after) ? [] : [{ path, before, after }];
  }
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return names.flatMap((name) => differencesBetween(one[name], other[name], path === '' ? name : `${path}.${name}`));
}

const LONGEST_SHOWN = 120;

function shown(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  const text = typeof value === 'string' ? `"${value}"` : JSON.stringify(value);
  return text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
}

/** The difference in words. */
export function inWords({ path, before, after }: Difference): string {
  const absent = (value: unknown): boolean => value === undefined || value === null;
  if (absent(before)) return `${path} became ${shown(after)}`;
  if (absent(after)) return `${path} was ${shown(before)} and is gone`;
  return `${path} went from ${shown(before)} to ${shown(after)}`;
}
