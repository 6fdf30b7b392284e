import type { EventLog, LogBatch } from '../../log/log.ts';

export const MAX_BATCH = 125;

/**
 * A subscription that requests the next batch while the present one is processed, as long as it is behind. Leaving the
 * loop ends the subscription. At most two batches are held.
 */
export async function* readAhead(
  log: EventLog,
  options: { after: string; signal: AbortSignal; tenantId?: string },
): AsyncGenerator<LogBatch> {
  const own = new AbortController();
  const signal = AbortSignal.any([options.signal, own.signal]);
  const batches = log.subscribe({ ...options, maxBatch: MAX_BATCH, signal })[Symbol.asyncIterator]();
  let ahead: Promise<IteratorResult<LogBatch>> | undefined;
  try {
    while (!signal.aborted) {
      const result = await (ahead ?? batches.next());
      ahead = undefined;
      if (result.done === true) return;
      if (!result.value.caughtUp) {
        ahead = batches.next();
        // Its failure is handled when it is awaited, if ever.
        ahead.catch(() => {});
      }
      yield result.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    own.abort();
    await batches.return?.().catch(() => {});
  }
}
