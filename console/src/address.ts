/** How one parameter is written in the address: `read` answers undefined for what is none. */
export type Kind<Value> = {
  // Methods, so that a schema may mix kinds of different values.
  read(text: string): Value | undefined;
  write(value: Value): string;
};

export type Schema = Readonly<Record<string, Kind<unknown>>>;
export type Values<S extends Schema> = {
  readonly [Name in keyof S]?: S[Name] extends Kind<infer Value> ? Value : never;
};

export const text: Kind<string> = {
  read: (given) => (given === '' ? undefined : given),
  write: (value) => value,
};

export const flag: Kind<boolean> = {
  read: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
  write: String,
};

/** `YYYY-MM-DD` of a day that exists. */
export const day: Kind<string> = {
  read: (given) => {
    if (!/^\d{4}-\d\d-\d\d$/.test(given)) return undefined;
    const date = new Date(`${given}T00:00:00Z`);
    return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(given) ? given : undefined;
  },
  write: (value) => value,
};

export function oneOf<const Value extends string>(values: readonly Value[]): Kind<Value> {
  return { read: (given) => values.find((value) => value === given), write: (value) => value };
}

/** Separated by commas; never empty. */
export const list: Kind<readonly string[]> = {
  read: (given) => {
    const found = given.split(',').filter((part) => part !== '');
    return found.length === 0 ? undefined : found;
  },
  write: (values) => values.join(','),
};

/** What the address says, by the schema. What it does not know, or cannot read, is left out. */
export function valuesOf<S extends Schema>(schema: S, search: string): Values<S> {
  const query = new URLSearchParams(search);
  const values: Record<string, unknown> = {};
  for (const [name, kind] of Object.entries(schema)) {
    const given = query.get(name);
    const value = given === null ? undefined : kind.read(given);
    if (value !== undefined) values[name] = value;
  }
  return values as Values<S>;
}

/** The query for the values; keeps what the schema does not know, such as `asOf`. Undefined removes. */
export function searchOf<S extends Schema>(
  schema: S,
  search: string,
  changes: { readonly [Name in keyof S]?: Values<S>[Name] | undefined },
): string {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries(changes)) {
    const kind = schema[name] as Kind<unknown> | undefined;
    if (kind === undefined || value === undefined) query.delete(name);
    else query.set(name, kind.write(value));
  }
  const written = query.toString();
  return written === '' ? '' : `?${written}`;
}
