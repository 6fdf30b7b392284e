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

/** A day on which rows are missing or doubled: what the rows before and on it lead to, and what the bank states. */
export type Gap = {
  readonly day: string;
  readonly expectedBalance: Decimal;
  readonly statedBalance: Decimal;
  /** Stated less expected. */
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
 * Balances that rows of the day start from (or end at) and no other row of the day ends at (or starts from). In an order that does not tell in
 * which one the rows came: the same rows lead to the same answer.
 */
function loose(day: AccountDay, sign: 1 | -1): Decimal[] {
  return Object.entries(day.steps)
    .filter(([, count]) => Math.sign(count) === sign)
    .map(([balance]) => balance)
    .sort();
}

/** The closing balance that statements give for the day: the one no other statement of the day goes on from. */
function closingByStatement(day: AccountDay): Decimal | null {
  const openings = new Set(day.stated.map((span) => span.opening));
  const last = day.stated.findLast((span) => !openings.has(span.closing)) ?? day.stated.at(-1);
  return last?.closing ?? null;
}

function openingOf(day: AccountDay): Decimal | null {
  const statement = day.stated.find((span) => span.fromDay === day.day);
  return statement?.opening ?? loose(day, -1)[0] ?? null;
}

function closingOf(day: AccountDay, expected: Decimal, next: AccountDay | undefined): Decimal {
  const stated = closingByStatement(day);
  if (stated !== null) return stated;
  const ends = loose(day, 1);
  const goesOn = next === undefined ? [] : loose(next, -1);
  return ends.find((end) => goesOn.includes(end)) ?? ends.find((end) => end === expected) ?? ends[0] ?? expected;
}

/** A day with the balance before its first and after its last row; null where the bank does not let on. */
export type WalkedDay = {
  readonly day: string;
  readonly opening: Decimal | null;
  readonly closing: Decimal | null;
  readonly checked: boolean;
  readonly gap: Gap | null;
};

/**
 * Walks the days in order: yesterday's closing plus today's movements must be what the bank states at the end of today. The order of rows
 * within a day is not used. After a gap the walk goes on from the stated balance, so one gap is reported once, on its day.
 * @param days of one account, in order
 */
export function walkDays(days: readonly AccountDay[]): WalkedDay[] {
  const walked: WalkedDay[] = [];
  let carried: Decimal | null = null;
  for (const [index, day] of days.entries()) {
    const opening: Decimal | null = carried ?? openingOf(day);
    if (opening === null || !isCheckable(day)) {
      carried = closingByStatement(day);
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

/** True of a day whose closing is the same whatever came before it: a walk that begins there goes on as the whole one does. */
export function settlesItself(day: AccountDay): boolean {
  return !isCheckable(day) || day.stated.length > 0 || loose(day, 1).length === 1;
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
