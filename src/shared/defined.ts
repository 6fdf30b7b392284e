/** The object without the members that are `undefined`: what an optional field that was not given has to be. */
export function defined<T extends object>(object: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as never;
}
