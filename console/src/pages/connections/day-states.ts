import type { Completeness } from '../../../../sdk/src/index.ts';
import { addDays } from '../../format/days.ts';

export type DayState = 'complete' | 'gap' | 'unknown' | 'none';
export type DayMark = { readonly day: string; readonly state: DayState };

/** Of one account: `none` before and after the days it covers, `unknown` where no balance says anything. */
export function dayState({ status, from, to, gaps }: Completeness, day: string): DayState {
  if (gaps.some((gap) => gap.day === day)) return 'gap';
  if (status === 'unknown') return 'unknown';
  return from === null || to === null || day < from || day > to ? 'none' : 'complete';
}

/** The worst of all accounts, for each of the last days, oldest first. */
export function dayMarks(accounts: readonly Completeness[], today: string, count: number): DayMark[] {
  const order: readonly DayState[] = ['none', 'complete', 'unknown', 'gap'];
  return Array.from({ length: count }, (_, index) => {
    const day = addDays(today, index - count + 1);
    const states = accounts.map((one) => order.indexOf(dayState(one, day)));
    return { day, state: order[Math.max(0, ...states)] ?? 'none' };
  });
}
