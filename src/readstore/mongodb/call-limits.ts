/**
 * How long the server works on one read or write at most: less than a link waits for its answer, so that nothing
 * continues there once nobody waits for it.
 */
export const limited = { maxTimeMS: 25_000 };

/** For finds by id: a cursor would be lost with the primary. */
export function inOneBatch(ids: readonly string[]): { readonly maxTimeMS: number; readonly batchSize: number } {
  return { ...limited, batchSize: ids.length + 1 };
}
