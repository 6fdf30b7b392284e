const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The span a written moment covers, epoch milliseconds, half open: a whole UTC day for `YYYY-MM-DD`, one millisecond
 * for an instant.
 */
export type Moment = { readonly fromMs: number; readonly toMs: number };

/** Null for a text that is neither a calendar day nor an ISO 8601 instant with its offset. */
export function momentOf(text: string): Moment | null {
  if (DAY.test(text)) {
    const fromMs = dayMs(text);
    return fromMs === null ? null : { fromMs, toMs: fromMs + DAY_MS };
  }
  const day = INSTANT.exec(text)?.[1];
  if (day === undefined || dayMs(day) === null) return null;
  const fromMs = Date.parse(text);
  return Number.isNaN(fromMs) ? null : { fromMs, toMs: fromMs + 1 };
}

/** Date.parse carries 30 February over into March; such a day is refused here. */
function dayMs(day: string): number | null {
  const ms = Date.parse(`${day}T00:00:00.000Z`);
  return Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(day) ? null : ms;
}
