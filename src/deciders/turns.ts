import { Cron } from 'croner';
import type { ScheduleTiming } from '../events/schedule.ts';

const MINUTE_MS = 60_000;

/** The shortest pause there may be between two turns. */
const SHORTEST_PAUSE_MINUTES = 5;

/** Null for a line that is none, or of which no time ever comes. */
function cronOf(line: string, timezone: string): Cron | null {
  try {
    return new Cron(line, { timezone, paused: true, mode: '5-part' });
  } catch {
    return null;
  }
}

/** True for a cron line of five fields of which some time comes. */
export function isCronLine(line: string): boolean {
  return (cronOf(line, 'UTC')?.nextRun() ?? null) !== null;
}

/**
 * The first turn after the moment, epoch milliseconds; null when none ever comes. A local time that a change of the clocks leaves out comes
 * when the clocks jump, one that comes twice is taken the first time; lines that run every few minutes or hours go on through both.
 */
export function nextTurn({ cron, everyMinutes, timezone, anchorAt }: ScheduleTiming, afterMs: number): number | null {
  if (cron !== null) return cronOf(cron, timezone)?.nextRun(new Date(afterMs))?.getTime() ?? null;
  const stepMs = (everyMinutes ?? 0) * MINUTE_MS;
  const anchorMs = Date.parse(anchorAt);
  if (stepMs === 0) return null;
  return anchorMs + Math.max(1, Math.floor((afterMs - anchorMs) / stepMs) + 1) * stepMs;
}

/** How many missed turns are counted: the number is for people, and a year of them takes seconds to walk through. */
const MOST_MISSED = 1_000;

/**
 * What is due when the first turn that nobody took was `firstMs`: the newest turn up to `nowMs`, and how many came before it, 1,000 at the
 * most. Null while none is due.
 */
export function dueTurn(
  timing: ScheduleTiming,
  firstMs: number,
  nowMs: number,
): { readonly dueMs: number; readonly missed: number } | null {
  if (firstMs > nowMs) return null;
  const newestMs = newestTurn(timing, firstMs, nowMs);
  let missed = 0;
  for (let at: number | null = firstMs; at !== null && at < newestMs && missed < MOST_MISSED; missed += 1) {
    at = nextTurn(timing, at);
  }
  return { dueMs: newestMs, missed };
}

function newestTurn(timing: ScheduleTiming, firstMs: number, nowMs: number): number {
  if (timing.cron === null) {
    const stepMs = (timing.everyMinutes ?? 0) * MINUTE_MS;
    return firstMs + Math.floor((nowMs - firstMs) / stepMs) * stepMs;
  }
  // The library looks back from whole seconds, so a second too far, and what is not yet due is left out.
  const newest = cronOf(timing.cron, timing.timezone)
    ?.previousRuns(2, new Date(nowMs + 1_000))
    .find((turn) => turn.getTime() <= nowMs);
  return Math.max(firstMs, newest?.getTime() ?? firstMs);
}

/** How many turns are looked at for the shortest pause: two weeks of a line that runs every 5 minutes on two days of the week. */
const TURNS_LOOKED_AT = 600;

/** True when two turns are closer than 5 minutes. */
export function isTooFrequent(timing: ScheduleTiming, nowMs: number): boolean {
  if (timing.cron === null) return (timing.everyMinutes ?? 0) < SHORTEST_PAUSE_MINUTES;
  let before = nextTurn(timing, nowMs);
  for (let turn = 0; turn < TURNS_LOOKED_AT && before !== null; turn += 1) {
    const next = nextTurn(timing, before);
    if (next !== null && next - before < SHORTEST_PAUSE_MINUTES * MINUTE_MS) return true;
    before = next;
  }
  return false;
}
