import { add, type Decimal, subtract } from '../shared/money.ts';

/** One booking day of an account; see the read model `account-days` for what `steps` counts. */
export type AccountDay = {
  readonly day: string;
  readonly count: number;
  readonly net: Decimal;
  readonly steps: Readonly<Record<string, number>>;
  /** Rows without a stated balance. */
  readonly unstated: number;
  readonly stated: readonly { fromDay: string; opening: Decimal; closing: Decimal; net: Decimal }[];
};

/** A day with missing or doubled rows: the balance that the rows up to it lead to, and the one that the bank states. */
export type Gap = {
  readonly day: string;
  readonly expectedBalance: Decimal;
  readonly statedBalance: Decimal;
  /** Stated minus expected. */
  readonly difference: Decimal;
};

/** `unknown`: the bank stated no balances to check against. */
export type Completeness = {
  readonly status: 'complete' | 'gaps' | 'unknown';
  readonly fromDay: string | null;
  readonly toDay: string | null;
  readonly gaps: readonly Gap[];
};

/**
 * Balances that rows of the day start from (or end at) and at which no other row of the day ends (or starts). Their
 * order does not depend on the order of the rows: the same rows lead to the same answer.
 */
function loose(day: AccountDay, sign: 1 | -1): Decimal[] {
  return Object.entries(day.steps)
    .filter(([, count]) => Math.sign(count) === sign)
    .map(([balance]) => balance)
    .sort();
}

type Span = AccountDay['stated'][number];

/**
 * Of two statements with different closing balances for the same rows from the same opening balance, the last one
 * stated.
 */
function standing(day: AccountDay): Span[] {
  const latest = new Map(day.stated.map((span) => [`${span.fromDay} ${span.opening} ${span.net}`, span]));
  return [...latest.values()];
}

/** The sum of the day's own rows. */
function stepsOf(day: AccountDay, spans: readonly Span[]): Span[] {
  return spans.filter((span) => span.fromDay === day.day && span.opening !== span.closing);
}

function closingsOf(day: AccountDay): Decimal[] {
  return [...new Set(standing(day).map(({ closing }) => closing))];
}

/**
 * The balances at which statements of the day end and no other statement of the day starts; several where statements
 * disagree.
 */
function endsOf(day: AccountDay): Decimal[] {
  const starts = new Set(stepsOf(day, standing(day)).map(({ opening }) => opening));
  const closings = closingsOf(day);
  const ends = closings.filter((closing) => !starts.has(closing));
  return ends.length > 0 ? ends : closings;
}

/** The possible opening balances of the day by its statements: those at which no other of them ends. */
function startsOf(day: AccountDay): Decimal[] {
  const spans = standing(day).filter((span) => span.fromDay === day.day);
  const reached = new Set(stepsOf(day, spans).map(({ closing }) => closing));
  const openings = spans.map(({ opening }) => opening);
  const starts = openings.filter((opening) => !reached.has(opening));
  return starts.length > 0 ? starts : openings;
}

/** Of several possible ones, the one that agrees with the day's rows and the day after. */
function openingOf(day: AccountDay, next: AccountDay | undefined): Decimal | null {
  const starts = startsOf(day);
  const goesOn = next === undefined ? [] : startsOf(next);
  const closings = closingsOf(day);
  return (
    starts.find((start) => goesOn.includes(add(start, day.net))) ??
    starts.find((start) => closings.includes(add(start, day.net))) ??
    starts[0] ??
    loose(day, -1)[0] ??
    null
  );
}

/**
 * The day's closing balance by its statements: the one that the rows lead to, where a statement has it; else the last
 * one stated. Null without any.
 */
function closingByStatement(day: AccountDay, expected: Decimal | null): Decimal | null {
  if (expected !== null && closingsOf(day).includes(expected)) return expected;
  return endsOf(day).at(-1) ?? null;
}

function closingOf(day: AccountDay, expected: Decimal, next: AccountDay | undefined): Decimal {
  const stated = closingByStatement(day, expected);
  if (stated !== null) return stated;
  const ends = loose(day, 1);
  const goesOn = next === undefined ? [] : loose(next, -1);
  return ends.find((end) => goesOn.includes(end)) ?? ends.find((end) => end === expected) ?? ends[0] ?? expected;
}

/** A day with the balance before its first and after its last row; null where the bank states none. */
export type WalkedDay = {
  readonly day: string;
  readonly opening: Decimal | null;
  readonly closing: Decimal | null;
  readonly checked: boolean;
  readonly gap: Gap | null;
};

/**
 * Walks the days in order: yesterday's closing plus today's movements must be what the bank states at the end of today.
 * The order of rows within a day is not used. After a gap the walk continues from the stated balance, so each gap is
 * reported once, on its day.
 * @param days of one account, in order
 */
export function walkDays(days: readonly AccountDay[]): WalkedDay[] {
  const walked: WalkedDay[] = [];
  let carried: Decimal | null = null;
  for (const [index, day] of days.entries()) {
    const opening: Decimal | null = carried ?? openingOf(day, days[index + 1]);
    if (opening === null || !isCheckable(day)) {
      carried = closingByStatement(day, null);
      walked.push({ day: day.day, opening, closing: carried, checked: false, gap: null });
      continue;
    }
    const expected = add(opening, day.net);
    const closing = closingOf(day, expected, days[index + 1]);
    const torn = day.stated.length === 0 && loose(day, 1).length > 1;
    const difference = subtract(closing, expected);
    const gap =
      closing !== expected || torn
        ? { day: day.day, expectedBalance: expected, statedBalance: closing, difference }
        : null;
    walked.push({ day: day.day, opening, closing, checked: true, gap });
    carried = closing;
  }
  return walked;
}

function isCheckable(day: AccountDay): boolean {
  return day.unstated === 0 || day.stated.length > 0;
}

/**
 * True for a day whose closing balance does not depend on earlier days: a walk from there gives the same as a whole
 * one.
 */
export function settlesItself(day: AccountDay): boolean {
  if (day.stated.length > 0) return closingsOf(day).length === 1;
  return !isCheckable(day) || loose(day, 1).length === 1;
}

/** @param days of one account, in order */
export function checkCompleteness(days: readonly AccountDay[]): Completeness {
  const walked = walkDays(days);
  const gaps = walked.flatMap(({ gap }) => gap ?? []);
  const checked = walked.some((day) => day.checked);
  const fromDay = days[0]?.day ?? null;
  const toDay = days.at(-1)?.day ?? null;
  return { status: gaps.length > 0 ? 'gaps' : checked ? 'complete' : 'unknown', fromDay, toDay, gaps };
}
