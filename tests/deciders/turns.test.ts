import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { dueTurn, isCronLine, isTooFrequent, nextTurn } from '../../src/deciders/turns.ts';
import type { ScheduleTiming } from '../../src/events/schedule.ts';

const ANCHOR = '2026-01-01T00:00:00.000Z';
const cron = (line: string, timezone = 'Europe/Berlin'): ScheduleTiming => {
  return { cron: line, everyMinutes: null, timezone, anchorAt: ANCHOR };
};
const every = (everyMinutes: number): ScheduleTiming => {
  return { cron: null, everyMinutes, timezone: 'UTC', anchorAt: ANCHOR };
};

/** The next turns after a moment, in short. */
function turns(timing: ScheduleTiming, after: string, count: number): string[] {
  const found: string[] = [];
  let at: number | null = Date.parse(after);
  while (at !== null && found.length < count) {
    at = nextTurn(timing, at);
    if (at !== null) found.push(new Date(at).toISOString().slice(0, 16));
  }
  return found;
}

describe('turns', () => {
  it('come at the local time of the schedule', () => {
    expect(turns(cron('0 6 * * 1-5', 'Europe/Istanbul'), '2026-01-02T00:00Z', 3)).toEqual([
      '2026-01-02T03:00',
      '2026-01-05T03:00',
      '2026-01-06T03:00',
    ]);
    expect(turns(cron('0 12 29 2 *', 'UTC'), '2026-01-01T00:00Z', 2)).toEqual(['2028-02-29T12:00', '2032-02-29T12:00']);
    expect(turns(every(90), ANCHOR, 3)).toEqual(['2026-01-01T01:30', '2026-01-01T03:00', '2026-01-01T04:30']);
  });

  it('come once when the clocks leave their hour out, as they jump', () => {
    expect(turns(cron('30 2 * * *'), '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:30']);
  });

  it('come once for lists, ranges and several minutes, both when hours are left out and when they come twice', () => {
    for (const line of ['0,30 2 * * *', '*/15 2 * * *', '10-20 2 * * *', '45 2 29 3 *']) {
      expect(turns(cron(line), '2026-03-28T12:00Z', 1)).toEqual(['2026-03-29T01:00']);
    }
    expect(turns(cron('0,30 2 * * *'), '2026-03-28T12:00Z', 2)).toEqual(['2026-03-29T01:00', '2026-03-30T00:00']);
    expect(turns(cron('15 1-3 * * *'), '2026-03-28T23:30Z', 3)).toEqual([
      '2026-03-29T00:15',
      '2026-03-29T01:00',
      '2026-03-29T01:15',
    ]);
    expect(turns(cron('0,30 2 * * *'), '2026-10-24T12:00Z', 3)).toEqual([
      '2026-10-25T00:00',
      '2026-10-25T00:30',
      '2026-10-26T01:00',
    ]);
  });

  it('are no closer by a change of the clocks than the line asks for', () => {
    expect(isTooFrequent(cron('2 2,3 * * *'), Date.parse('2026-03-01T00:00Z'))).toBe(false);
  });

  it('fall due once when their hour occurs twice, and every half hour continues through both', () => {
    expect(turns(cron('30 2 * * *'), '2026-10-24T12:00Z', 2)).toEqual(['2026-10-25T00:30', '2026-10-26T01:30']);
    expect(turns(cron('*/30 * * * *'), '2026-10-25T00:00Z', 4)).toEqual([
      '2026-10-25T00:30',
      '2026-10-25T01:00',
      '2026-10-25T01:30',
      '2026-10-25T02:00',
    ]);
  });
});

const anyTiming = fc.oneof(
  fc
    .constantFrom('*/5 * * * *', '0 */2 * * *', '30 2 * * *', '15 9,17 * * 1-5', '0 0 1 * *', '0 3 * * 0')
    .chain((line) =>
      fc
        .constantFrom('UTC', 'Europe/Berlin', 'America/New_York', 'Africa/Cairo', 'Australia/Lord_Howe')
        .map((timezone) => cron(line, timezone)),
    ),
  fc.integer({ min: 5, max: 3_000 }).map(every),
);
const anyMs = fc.integer({ min: Date.parse(ANCHOR), max: Date.parse('2027-12-31T00:00:00Z') });

describe('what is due', () => {
  it('is the newest turn up to now, with the missed ones counted, as an enumeration of all turns finds it', () => {
    fc.assert(
      fc.property(anyTiming, anyMs, fc.integer({ min: 0, max: 3 * 86_400_000 }), (timing, fromMs, laterMs) => {
        const firstMs = nextTurn(timing, fromMs) ?? 0;
        const nowMs = fromMs + laterMs;
        const walked: number[] = [];
        for (let at: number | null = firstMs; at !== null && at <= nowMs; at = nextTurn(timing, at)) walked.push(at);
        const due = dueTurn(timing, firstMs, nowMs);
        if (walked.length === 0) expect(due).toBeNull();
        else expect(due).toEqual({ dueMs: walked.at(-1), missed: walked.length - 1 });
      }),
    );
  });

  it('is one turn after years without any', () => {
    const firstMs = nextTurn(cron('*/5 * * * *', 'UTC'), Date.parse('2020-01-01T00:00Z')) ?? 0;
    const due = dueTurn(cron('*/5 * * * *', 'UTC'), firstMs, Date.parse('2026-01-01T00:03Z'));
    expect(due).toEqual({ dueMs: Date.parse('2026-01-01T00:00Z'), missed: 1_000 });
  });

  it('is nothing while the clock is before the next turn, however far back it was set', () => {
    const firstMs = Date.parse('2026-05-02T00:00Z');
    expect(dueTurn(cron('0 0 * * *', 'UTC'), firstMs, Date.parse('2026-05-01T23:00Z'))).toBeNull();
    expect(dueTurn(cron('0 0 * * *', 'UTC'), firstMs, Date.parse('2026-04-01T00:00Z'))).toBeNull();
  });
});

describe('a timing', () => {
  const now = Date.parse('2026-06-01T00:00Z');
  it.each([
    ['* * * * *', true],
    ['*/4 * * * *', true],
    ['0,58 0,23 * * 0,1', true],
    ['0,4 0 1 1 *', true],
    ['*/5 * * * *', false],
    ['0 6 * * *', false],
  ])('%s is too frequent: %s', (line, tooFrequent) => {
    expect(isTooFrequent(cron(line, 'UTC'), now)).toBe(tooFrequent);
  });

  it('of minutes may be 5 and more', () => {
    expect([4, 5].map((minutes) => isTooFrequent(every(minutes), now))).toEqual([true, false]);
  });

  it.each([
    ['0 0 29 2 *', true],
    ['0 0 30 2 *', false],
    ['not a line of cron', false],
    ['0 6 * * * *', false],
  ])('%s is a cron line whose time comes: %s', (line, comes) => {
    expect(isCronLine(line)).toBe(comes);
  });
});
