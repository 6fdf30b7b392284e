import { Cron } from 'croner';
import type { ScheduleTiming } from '../events/schedule.ts';
import { changeBetween, instantOfWall, wallAt } from '../shared/wall-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const HOURS = 24;

/** The shortest pause there may be between two turns. */
const SHORTEST_PAUSE_MINUTES = 5;

/** Computed in local time, which has no gaps: croner is wrong at clock changes. */
type Line = { readonly cron: Cron; readonly everyHour: boolean };

const lines = new Map<string, Line>();
const MOST_LINES = 1_000;

/** Croner also takes nicknames such as `@yearly`, and dates. */
const FIVE_FIELDS = /^\s*[^\s@]\S*(\s+\S+){4}\s*$/;

/** Null for an invalid line, or one that never falls due. */
function lineOf(text: string): Line | null {
  if (!FIVE_FIELDS.test(text)) return null;
  const known = lines.get(text);
  if (known !== undefined) return known;
  try {
    const cron = new Cron(text, { utcOffset: 0, paused: true, mode: '5-part' });
    const line = { cron, everyHour: runsEveryHour(text) };
    if (lines.size >= MOST_LINES) lines.clear();
    lines.set(text, line);
    return line;
  } catch {
    return null;
  }
}

/** True for a cron line of five fields that falls due at some time. */
export function isCronLine(line: string): boolean {
  return (lineOf(line)?.cron.nextRun() ?? null) !== null;
}

/** Whether a line runs in every hour of the day, and so is unaffected by clock changes. */
function runsEveryHour(line: string): boolean {
  const [, hours = ''] = line.trim().split(/\s+/);
  const named = new Set<number>();
  for (const part of hours.split(',')) {
    const [range = '', step = '1'] = part.split('/');
    const [first = '', last = range === part ? first : '23'] = /^[*?]$/.test(range) ? ['0', '23'] : range.split('-');
    for (let hour = Number(first); hour <= Number(last); hour += Number(step)) named.add(hour);
  }
  return named.size === HOURS;
}

/**
 * The first turn after the moment, epoch milliseconds; null when there is none. A local time that a clock change skips
 * falls due when the clocks jump, several of them as one turn; one that occurs twice is used the first time. Lines that
 * run in every hour follow the local clock through both.
 */
export function nextTurn({ cron, everyMinutes, timezone, anchorAt }: ScheduleTiming, afterMs: number): number | null {
  if (cron !== null) {
    const line = lineOf(cron);
    if (line === null) return null;
    return line.everyHour ? nextShown(line, timezone, afterMs) : nextOnce(line, timezone, afterMs);
  }
  const stepMs = (everyMinutes ?? 0) * MINUTE_MS;
  const anchorMs = Date.parse(anchorAt);
  if (stepMs === 0) return null;
  return anchorMs + Math.max(1, Math.floor((afterMs - anchorMs) / stepMs) + 1) * stepMs;
}

function nextWall({ cron }: Line, wallMs: number): number | null {
  return cron.nextRun(new Date(wallMs))?.getTime() ?? null;
}

/**
 * Each local time of the line is one turn. Their instants never decrease, so the first after the moment is the next.
 */
function nextOnce(line: Line, timezone: string, afterMs: number): number | null {
  let wallMs = nextWall(line, wallAt(timezone, afterMs));
  for (; wallMs !== null; wallMs = nextWall(line, wallMs)) {
    const { atMs } = instantOfWall(timezone, wallMs);
    if (atMs > afterMs) return atMs;
  }
  return null;
}

/** Each instant at which the local clock shows a time of the line is a turn. */
function nextShown(line: Line, timezone: string, afterMs: number): number | null {
  const afterWallMs = wallAt(timezone, afterMs);
  const offsetMs = afterWallMs - afterMs;
  const changeMs = changeBetween(timezone, afterMs, afterMs + DAY_MS);
  let wallMs = nextWall(line, afterWallMs);
  if (changeMs !== null && (wallMs === null || wallMs - offsetMs >= changeMs)) {
    // From the change on the local clock may repeat the times of the hour before.
    const changedWallMs = wallAt(timezone, changeMs);
    wallMs = nextWall(line, changedWallMs - 1);
    if (wallMs !== null && wallMs - changedWallMs <= DAY_MS) return changeMs + wallMs - changedWallMs;
  } else if (wallMs !== null && wallMs - afterWallMs <= DAY_MS) return wallMs - offsetMs;
  for (; wallMs !== null; wallMs = nextWall(line, wallMs)) {
    const { atMs, isShown } = instantOfWall(timezone, wallMs);
    if (isShown && atMs > afterMs) return atMs;
  }
  return null;
}

/** The most missed turns that are counted: the number is for people, and counting a year of them takes seconds. */
const MOST_MISSED = 1_000;

/**
 * What is due when the first turn not yet taken was `firstMs`: the newest turn up to `nowMs`, and how many came before
 * it, 1,000 at most. Null while none is due.
 */
export function dueTurn(
  timing: ScheduleTiming,
  firstMs: number,
  nowMs: number,
): { readonly dueMs: number; readonly missed: number } | null {
  if (firstMs > nowMs) return null;
  if (timing.cron === null) return dueStep(timing, firstMs, nowMs);
  let dueMs = firstMs;
  for (let missed = 0; missed < MOST_MISSED; missed += 1) {
    const next = nextTurn(timing, dueMs);
    if (next === null || next > nowMs) return { dueMs, missed };
    dueMs = next;
  }
  return { dueMs: newestTurn(timing, timing.cron, dueMs, nowMs), missed: MOST_MISSED };
}

function dueStep({ everyMinutes }: ScheduleTiming, firstMs: number, nowMs: number) {
  const stepMs = (everyMinutes ?? 0) * MINUTE_MS;
  const steps = Math.floor((nowMs - firstMs) / stepMs);
  return { dueMs: firstMs + steps * stepMs, missed: Math.min(steps, MOST_MISSED) };
}

/** Starts from a local time so early that no clock change can move it after the moment. */
function newestTurn(timing: ScheduleTiming, cron: string, reachedMs: number, nowMs: number): number {
  const wallMs = wallAt(timing.timezone, nowMs) - DAY_MS;
  const [before] = lineOf(cron)?.cron.previousRuns(1, new Date(wallMs)) ?? [];
  let newestMs = Math.max(reachedMs, (before?.getTime() ?? 0) - 2 * DAY_MS);
  for (;;) {
    const next = nextTurn(timing, newestMs);
    if (next === null || next > nowMs) return newestMs;
    newestMs = next;
  }
}

/**
 * How many turns are examined for the shortest pause: two weeks of a line that runs every 5 minutes on two days of the
 * week.
 */
const TURNS_LOOKED_AT = 600;

/**
 * True when two turns are closer than 5 minutes in local time; that a clock change brings some closer is no fault of
 * the line.
 */
export function isTooFrequent(given: ScheduleTiming, nowMs: number): boolean {
  if (given.cron === null) return (given.everyMinutes ?? 0) < SHORTEST_PAUSE_MINUTES;
  const timing = { ...given, timezone: 'UTC' };
  let before = nextTurn(timing, nowMs);
  for (let turn = 0; turn < TURNS_LOOKED_AT && before !== null; turn += 1) {
    const next = nextTurn(timing, before);
    if (next !== null && next - before < SHORTEST_PAUSE_MINUTES * MINUTE_MS) return true;
    before = next;
  }
  return false;
}
