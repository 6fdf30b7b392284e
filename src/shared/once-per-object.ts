/**
 * A function that computes its result once for an object and keeps it as long as the object is in memory. Only for pure
 * functions of objects that never change, such as events, which several read models fold.
 */
export function oncePerObject<Of extends object, Result>(compute: (of: Of) => Result): (of: Of) => Result {
  const results = new WeakMap<Of, { readonly result: Result }>();
  return (of) => {
    const known = results.get(of);
    if (known !== undefined) return known.result;
    const result = compute(of);
    results.set(of, { result });
    return result;
  };
}
