import { once } from 'node:events';
import { startThread } from '../../shared/start-thread.ts';
import { ProviderError } from '../bank-provider.ts';
import type { DaySegment } from './day-segment.ts';
import { placeRows, type RowPlaces } from './row-places.ts';

/** The most rows of a day that are compared without a thread, which takes some tens of milliseconds. */
const SHORT_ROWS = 2_000;
const THREAD_MEMORY = { maxYoungGenerationSizeMb: 8, maxOldGenerationSizeMb: 128 } as const;

/**
 * Compares the statements of a day; if they have many rows, in a thread started for that, since comparing takes time
 * for each pair of equal rows.
 * @throws ProviderError (transient) when the thread fails
 */
export async function placeRowsAside(segments: readonly DaySegment[], shortRows = SHORT_ROWS): Promise<RowPlaces> {
  if (segments.reduce((sum, { rows }) => sum + rows.length, 0) <= shortRows) return placeRows(segments);
  const thread = startThread(new URL('./placing-thread.ts', import.meta.url), {
    workerData: segments,
    resourceLimits: THREAD_MEMORY,
  });
  try {
    const [places] = await once(thread, 'message');
    return places;
  } catch {
    throw new ProviderError('transient', 'STATEMENT_READING_FAILED', 'the rows of a day could not be compared');
  } finally {
    await thread.terminate();
  }
}
