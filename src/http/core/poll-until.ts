import type { HttpServices } from './http-services.ts';

const LOOK_AGAIN_MS = 250;

/**
 * Queries after each change of a read model until the query returns something; null when the seconds are up, the client
 * has disconnected or the service is stopping.
 */
export async function pollUntil<Found>(
  services: HttpServices,
  seconds: number,
  signal: AbortSignal,
  find: () => Promise<Found | null>,
): Promise<Found | null> {
  const deadlineMs = performance.now() + seconds * 1000;
  for (;;) {
    const found = await find();
    if (found !== null) return found;
    const leftMs = deadlineMs - performance.now();
    if (leftMs <= 0 || signal.aborted || services.stopping.aborted) return null;
    await services.nextChange(Math.min(LOOK_AGAIN_MS, leftMs));
  }
}
