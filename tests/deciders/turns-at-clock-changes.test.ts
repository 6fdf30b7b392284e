import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { dueTurn, nextTurn } from '../../src/deciders/turns.ts';
import { type CronFields, changesOf, plainTurns, timingOf, type WalkedZone, walkZone } from '../support/plain-cron.ts';

/** Clocks that change by an hour, by half of one, at midnight, in the south, around a month of fasting, and never. */
const ZONES = [
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'Africa/Casablanca',
  'Asia/Kolkata',
];
const FROM = '2026-01-01T00:00Z';
const TO = '2029-01-01T00:00Z';
const DAY_MS = 86_400_000;
/**
 * Turns of a line that are all compared; of one with more, those around the changes of the clocks and at random
 * moments.
 */
const FEW = 200;

type Field = { readonly text: string; readonly values: readonly number[] };

function range(first: number, last: number, step = 1): number[] {
  return Array.from({ length: Math.floor((last - first) / step) + 1 }, (_, nth) => first + nth * step);
}

/** A star, steps, a range with steps, or a list of numbers and ranges. */
function fieldOf(first: number, last: number, starred: boolean): fc.Arbitrary<Field> {
  const number = fc.integer({ min: first, max: last });
  const span = fc.tuple(number, number).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  const single = number.map((one) => ({ text: `${one}`, values: [one] }));
  const ranged = span.map(([a, b]) => ({ text: `${a}-${b}`, values: range(a, b) }));
  const stepped = fc
    .tuple(span, fc.integer({ min: 2, max: Math.min(15, last - first) }))
    .map(([[a, b], step]) => ({ text: `${a}-${b}/${step}`, values: range(a, b, step) }));
  const steps = fc.integer({ min: 2, max: Math.min(30, last - first) }).map((step) => {
    return { text: `*/${step}`, values: range(first, last, step) };
  });
  const list = fc.array(fc.oneof(single, ranged), { minLength: 2, maxLength: 4 }).map((parts) => ({
    text: parts.map(({ text }) => text).join(','),
    values: [...new Set(parts.flatMap(({ values }) => values))].sort((a, b) => a - b),
  }));
  const star = fc.constant({ text: '*', values: range(first, last) });
  return starred ? fc.oneof(star, single, ranged, stepped, steps, list) : fc.oneof(single, ranged, stepped, list);
}

const minutes = fc.oneof(
  fieldOf(0, 59, false),
  fc.constantFrom(5, 10, 15, 20, 30).map((step) => ({ text: `*/${step}`, values: range(0, 59, step) })),
);
/** Clocks change at night, so most lines run then. */
const hours = fc.oneof(fieldOf(0, 3, false), fieldOf(0, 23, true), fc.constant({ text: '*', values: range(0, 23) }));
const rarely = (field: fc.Arbitrary<Field>) => fc.option(field, { freq: 4 });
const cronLine = fc.record({
  minutes,
  hours,
  daysOfMonth: rarely(fieldOf(1, 31, false)),
  months: rarely(fieldOf(1, 12, false)),
  weekdays: rarely(fieldOf(0, 6, false)),
});

let zones: { readonly zone: WalkedZone; readonly changes: ReadonlySet<number> }[];
beforeAll(() => {
  zones = ZONES.map((timezone) => {
    const zone = walkZone(timezone, FROM, TO);
    return { zone, changes: new Set(changesOf(zone)) };
  });
});

describe('turns of a cron line where clocks change', () => {
  it('are those found by checking every minute of three years', () => {
    const moments = fc.array(fc.integer({ min: Date.parse(FROM), max: Date.parse(TO) - 1 }), {
      minLength: 3,
      maxLength: 3,
    });
    let atJumps = 0;
    fc.assert(
      fc.property(cronLine, fc.nat({ max: ZONES.length - 1 }), moments, (line, nth, at) => {
        const { zone, changes } = zones[nth] as (typeof zones)[number];
        const fields: CronFields = {
          minutes: line.minutes.values,
          hours: line.hours.values,
          daysOfMonth: line.daysOfMonth?.values ?? null,
          months: line.months?.values ?? null,
          weekdays: line.weekdays?.values ?? null,
        };
        const days = [line.daysOfMonth, line.months, line.weekdays].map((field) => field?.text ?? '*');
        const timing = timingOf([line.minutes.text, line.hours.text, ...days].join(' '), zone.timezone);
        const turns = plainTurns(zone, fields);
        atJumps += turns.filter((turn) => changes.has(turn)).length;
        const compare = (fromMs: number, count: number): void => {
          const first = turns.findIndex((turn) => turn > fromMs);
          const expected = first === -1 ? [] : turns.slice(first, first + count);
          const found: number[] = [];
          for (let last = fromMs; found.length < expected.length; ) {
            last = nextTurn(timing, last) ?? Number.POSITIVE_INFINITY;
            found.push(last);
          }
          expect(found.map(iso)).toEqual(expected.map(iso));
        };
        if (turns.length <= FEW) compare(Date.parse(FROM) - 1, FEW);
        else for (const change of changes) compare(change - DAY_MS / 8, 25);
        for (const moment of at) compare(moment, 2);
        const [moment = 0, span = 0] = at;
        const later = Math.min(moment + (span % (30 * DAY_MS)), Date.parse(TO) - 1);
        const firstMs = nextTurn(timing, moment) ?? Number.POSITIVE_INFINITY;
        const due = turns.filter((turn) => turn > moment && turn <= later);
        expect(dueTurn(timing, firstMs, later)).toEqual(
          due.length === 0 ? null : { dueMs: due.at(-1), missed: Math.min(due.length - 1, 1_000) },
        );
      }),
      { numRuns: 1_000 },
    );
    // Else no line ran at night.
    expect(atJumps).toBeGreaterThan(100);
  });
});

function iso(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString() : 'never';
}
