/** At least so many are remembered, and at most twice as many: more than the events that are folded at a time. */
const REMEMBERED = 128;

/**
 * A function that remembers its results for the objects that it was last asked for. Only for pure functions of objects
 * that never change, such as events, which several read models fold one after the other: an object that was forgotten
 * is computed again. Not a `WeakMap`, since garbage collection looks at all of its entries each time.
 */
export function oncePerObject<Of extends object, Result>(compute: (of: Of) => Result): (of: Of) => Result {
  let results = new Map<Of, Result>();
  let former = new Map<Of, Result>();

  function remember(of: Of, result: Result): Result {
    if (results.size === REMEMBERED) {
      former = results;
      results = new Map();
    }
    results.set(of, result);
    return result;
  }

  return (of) => {
    const known = results.get(of);
    if (known !== undefined || results.has(of)) return known as Result;
    if (former.has(of)) return remember(of, former.get(of) as Result);
    return remember(of, compute(of));
  };
}
