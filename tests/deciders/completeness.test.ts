import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountDay, checkCompleteness } from '../../src/deciders/completeness.ts';
import { accountDays } from '../../src/projections/account-days.ts';
import { add, signed, subtract } from '../../src/shared/money.ts';
import { recordedData } from '../support/facts.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

type Row = { day: number; cents: number; incoming: boolean };

const rows = fc.array(
  fc.record({
    day: fc.integer({ min: 1, max: 5 }),
    cents: fc.integer({ min: 1, max: 1_000_000 }),
    incoming: fc.boolean(),
  }),
  { minLength: 1, maxLength: 40 },
);

/** Amounts of a few cents, so that rows often cancel out and balances come again. */
const rowsThatCancel = fc.array(
  fc.record({
    day: fc.integer({ min: 1, max: 5 }),
    cents: fc.integer({ min: 1, max: 4 }),
    incoming: fc.boolean(),
  }),
  { minLength: 3, maxLength: 12 },
);

/** Statement rows with their running balances, in booking order from 1,000. */
function booked(plain: readonly Row[]) {
  let balance = '1000';
  return plain
    .toSorted((a, b) => a.day - b.day)
    .map((row, index) => {
      const amount = String(row.cents / 100);
      balance = add(balance, signed(amount, row.incoming));
      const transactionDate = `2026-01-0${row.day}T00:00:00.000Z`;
      return recordedData({ transactionId: `t${index}`, transactionDate, amount, incoming: row.incoming, balance });
    });
}

function daysOf(data: readonly ReturnType<typeof recordedData>[]): AccountDay[] {
  const events = data.map((row) =>
    recordedEvent('bankTransaction', row.transactionId, { type: 'TransactionRecorded', data: row }),
  );
  return [...foldOne(accountDays, events).values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/**
 * Whether each day's rows, taken by the balances before and after them, either come back to where they began or lead
 * from where the day before ended to one other balance.
 */
function fitsTogether(data: readonly ReturnType<typeof recordedData>[]): boolean {
  let carried: string | undefined;
  for (const day of new Set(data.map((row) => row.transactionDate))) {
    const ofDay = data.filter((row) => row.transactionDate === day);
    const afters = ofDay.map((row) => row.balance);
    const befores: string[] = [];
    for (const row of ofDay) {
      const before = subtract(row.balance, signed(row.amount, row.incoming));
      const at = afters.indexOf(before);
      if (at === -1) befores.push(before);
      else afters.splice(at, 1);
    }
    if (befores.length === 0) continue;
    if (befores.length > 1 || (carried !== undefined && befores[0] !== carried)) return false;
    carried = afters[0];
  }
  return true;
}

/** Same rows, another order within and over the days. */
function shuffled<T>(items: readonly T[], seed: readonly number[]): T[] {
  return items
    .map((item, index) => ({ item, key: seed[index % seed.length] ?? 0 }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item);
}

describe('completeness', () => {
  it('finds nothing in complete statements, in any order of rows', () => {
    fc.assert(
      fc.property(
        fc.oneof(rows, rowsThatCancel),
        fc.array(fc.integer(), { minLength: 1, maxLength: 40 }),
        (plain, seed) => {
          expect(checkCompleteness(daysOf(shuffled(booked(plain), seed))).gaps).toEqual([]);
        },
      ),
    );
  });

  /**
   * Where a row in the middle is missing: neither of the first day, nor the very last, which leave nothing behind that
   * could tell.
   */
  function withoutOne(plain: readonly Row[], choice: number) {
    const whole = booked(plain);
    const at = choice % whole.length;
    const missing = whole[at];
    const next = whole[at + 1];
    const kept = whole.filter((row) => row !== missing);
    fc.pre(missing !== undefined && next !== undefined && missing.transactionDate !== whole[0]?.transactionDate);
    if (missing === undefined || next === undefined) throw new Error('a precondition lets it through');
    return { whole, missing, next, kept };
  }

  it('finds a missing row once, by its amount, where no balance comes twice', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (plain, choice) => {
        const { whole, missing, next, kept } = withoutOne(plain, choice);
        const balances = ['1000', ...whole.map(({ balance }) => balance)];
        fc.pre(new Set(balances).size === balances.length);
        const { status, gaps } = checkCompleteness(daysOf(kept));
        expect(status).toBe('gaps');
        expect(gaps).toHaveLength(1);
        // Between two days it shows on the later one: nothing tells to which of them it belonged.
        expect(gaps[0]?.day).toBe(next.transactionDate.slice(0, 10));
        // Where the last day falls into two, nothing after it tells which of them it ended with.
        const isWithinLastDay = missing.transactionDate === whole.at(-1)?.transactionDate;
        if (!isWithinLastDay) expect(gaps[0]?.difference).toBe(signed(missing.amount, missing.incoming));
      }),
      { numRuns: 1_000 },
    );
  });

  it('finds no gap before a missing row, and none at all only where the rest fits together by itself', () => {
    let unseen = 0;
    fc.assert(
      fc.property(fc.oneof(rows, rowsThatCancel), fc.nat(), (plain, choice) => {
        const { missing, kept } = withoutOne(plain, choice);
        const { gaps } = checkCompleteness(daysOf(kept));
        const [first] = gaps;
        if (first !== undefined) expect(first.day >= missing.transactionDate.slice(0, 10)).toBe(true);
        else {
          expect(fitsTogether(kept)).toBe(true);
          unseen += 1;
        }
      }),
      { numRuns: 1_000 },
    );
    // Rows that cancel out do hide a missing one now and then.
    expect(unseen).toBeGreaterThan(0);
  });

  it('finds a doubled row on its day, with what is too much', () => {
    const whole = booked([
      { day: 1, cents: 100, incoming: true },
      { day: 2, cents: 5_000, incoming: true },
      { day: 2, cents: 200, incoming: false },
      { day: 3, cents: 700, incoming: true },
    ]);
    const doubled = [...whole, { ...(whole[1] ?? recordedData()), transactionId: 'again' }];
    expect(checkCompleteness(daysOf(doubled))).toMatchObject({
      status: 'gaps',
      gaps: [{ day: '2026-01-02', difference: '-50' }],
    });
  });

  it('says so when the bank states no balances', () => {
    expect(checkCompleteness(daysOf([recordedData({ balanceStated: false })]))).toMatchObject({
      status: 'unknown',
      gaps: [],
    });
    expect(checkCompleteness([])).toEqual({ status: 'unknown', fromDay: null, toDay: null, gaps: [] });
  });

  it('accepts the closing balance of a statement where it does not follow', () => {
    const day = { day: '2026-01-06', count: 1, net: '50', steps: { '1000': -1, '1050': 1 }, unstated: 0 };
    const stated = [{ fromDay: '2026-01-06', opening: '1000', closing: '1100', net: '50' }];
    expect(checkCompleteness([{ ...day, stated }])).toMatchObject({
      status: 'gaps',
      gaps: [{ day: '2026-01-06', expectedBalance: '1050', statedBalance: '1100', difference: '50' }],
    });
  });
});

describe('balances that are stated again', () => {
  type Span = { opening: string; closing: string };
  const span = (opening: string, closing: string, fromDay: string) => {
    return { fromDay, opening, closing, net: add(closing, opening.startsWith('-') ? opening.slice(1) : `-${opening}`) };
  };
  const day = (at: string, net: string, spans: readonly Span[]): AccountDay => {
    const stated = spans.map(({ opening, closing }) => span(opening, closing, at));
    return { day: at, count: 1, net, steps: {}, unstated: 0, stated };
  };
  const [first, second] = ['2026-01-05', '2026-01-06'];

  it('close a gap when a corrected statement contains the missing row', () => {
    const before = [
      day(first, '10', [{ opening: '100', closing: '110' }]),
      day(second, '5', [{ opening: '130', closing: '135' }]),
    ];
    expect(checkCompleteness(before).gaps).toMatchObject([{ day: second, difference: '20' }]);
    const after = [
      day(first, '30', [
        { opening: '100', closing: '110' },
        { opening: '100', closing: '130' },
      ]),
      day(second, '5', [{ opening: '130', closing: '135' }]),
    ];
    expect(checkCompleteness(after)).toMatchObject({ status: 'complete', gaps: [] });
  });

  it('hold as they were stated last where the rows confirm neither', () => {
    const both = [
      { opening: '100', closing: '150' },
      { opening: '100', closing: '160' },
    ];
    expect(checkCompleteness([day(first, '10', both)]).gaps).toMatchObject([{ statedBalance: '160' }]);
    expect(checkCompleteness([day(first, '10', both.toReversed())]).gaps).toMatchObject([{ statedBalance: '150' }]);
  });

  it('hold as they were stated last for the same rows', () => {
    const stated = ['115', '112'].map((closing) => ({ fromDay: first, opening: '100', closing, net: '10' }));
    const gaps = checkCompleteness([{ ...day(first, '10', []), stated }]).gaps;
    expect(gaps).toMatchObject([{ expectedBalance: '110', statedBalance: '112' }]);
  });

  it('are the same whichever of an interim and a final statement is delivered first', () => {
    const spans = [
      { opening: '100', closing: '110' },
      { opening: '110', closing: '140' },
      { opening: '100', closing: '140' },
    ];
    for (const order of [spans, spans.toReversed(), [spans[2], spans[0], spans[1]] as Span[]]) {
      expect(checkCompleteness([day(first, '40', order)])).toMatchObject({ status: 'complete', gaps: [] });
    }
  });

  it('hold as the rows lead to them when they come back to where the day began', () => {
    const spans = [
      { opening: '100', closing: '90' },
      { opening: '100', closing: '100' },
    ];
    for (const order of [spans, spans.toReversed()]) {
      expect(checkCompleteness([day(first, '0', order)])).toMatchObject({ status: 'complete', gaps: [] });
    }
  });

  it('show a gap where an interim statement is missing', () => {
    const spans = [
      { opening: '100', closing: '110' },
      { opening: '120', closing: '130' },
    ];
    expect(checkCompleteness([day(first, '20', spans)]).gaps).toMatchObject([{ day: first, difference: '10' }]);
  });
});
