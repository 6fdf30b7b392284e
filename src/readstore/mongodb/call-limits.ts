/**
 * The longest time the server spends on one read or write: shorter than a connection waits for its answer, so that no
 * operation continues there after its caller has given up.
 */
export const limited = { maxTimeMS: 25_000 };

/** For finds by id. A second batch would need a cursor, which is lost when the primary fails. */
export function inOneBatch(ids: readonly string[]): { readonly maxTimeMS: number; readonly batchSize: number } {
  return { ...limited, batchSize: ids.length + 1 };
}
