import type { Server } from 'node:http';

/** In milliseconds. */
export type ArrivalLimits = { readonly headersMs: number; readonly requestMs: number };

const LOOK_EVERY_MS = 100;
/** Pauses up to this length are usual. */
const USUAL_MS = 25;

/**
 * Counts only the time in which this thread could read what arrives against a request that takes too long to arrive.
 * Node judges connections by the clock, and before it reads what has arrived meanwhile: after a pause of the event loop
 * it would refuse requests that were sent in time. Ends with the server.
 */
export function limitArrival(server: Server, { headersMs, requestMs }: ArrivalLimits): void {
  let lookedAtMs = performance.now();
  let pauses: { readonly endedAtMs: number; readonly ms: number }[] = [];

  /** How long the event loop has been late since the last look. */
  function lateMs(): number {
    const late = performance.now() - lookedAtMs - LOOK_EVERY_MS;
    return late > USUAL_MS ? late : 0;
  }

  function pausedMs(): number {
    return pauses.reduce((sum, { ms }) => sum + ms, lateMs());
  }

  const looking = setInterval(() => {
    const late = lateMs();
    lookedAtMs = performance.now();
    pauses = pauses.filter(({ endedAtMs }) => lookedAtMs - endedAtMs < requestMs);
    if (late > 0) pauses.push({ endedAtMs: lookedAtMs, ms: late });
  }, LOOK_EVERY_MS).unref();
  server.once('close', () => clearInterval(looking));

  // Read by Node at each of its checks, which may come before the timer above.
  for (const [name, ms] of [
    ['headersTimeout', headersMs],
    ['requestTimeout', requestMs],
  ] as const) {
    Object.defineProperty(server, name, { get: () => Math.ceil(ms + pausedMs()), configurable: true });
  }
}
