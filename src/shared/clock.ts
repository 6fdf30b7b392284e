/** The only source of the time. Milliseconds since the epoch. */
export type Clock = { readonly now: () => number };

export const systemClock: Clock = { now: () => Date.now() };

/** ISO 8601 UTC with milliseconds. */
export function isoTime(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
