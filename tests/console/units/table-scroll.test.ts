import { describe, expect, it } from 'vitest';
import { scrolled, scrollStart, scrollTo } from '../../../console/src/parts/table-scroll.ts';

const VIEW = 800;
const ROW = 36;

describe('scrolling a table', () => {
  it('is what the box does, while the table is no taller than a box may be', () => {
    const done = scrolled(scrollStart(), { at: 500, before: 0, view: VIEW, whole: 10_000 * ROW });
    expect(done).toEqual({ scroll: { top: 500, shift: 0, height: 360_000 }, setTo: null });
  });

  it('moves by the pixels of a wheel in a table that is taller', () => {
    const whole = 1_000_000 * ROW;
    let { scroll, setTo } = scrollTo(500_000 * ROW, VIEW, whole);
    for (let turn = 1; turn <= 2_000; turn += 1) {
      const before = setTo ?? 0;
      const top = scroll.top;
      const done = scrolled(scroll, { at: before + 100, before, view: VIEW, whole });
      expect(done.scroll.top - top).toBe(100);
      scroll = done.scroll;
      setTo = done.setTo ?? before + 100;
      expect(setTo).toBeLessThanOrEqual(scroll.height - VIEW);
    }
  });

  it('reaches the first and the last row by the bar', () => {
    const whole = 1_000_000 * ROW;
    const far = scrollTo(500_000 * ROW, VIEW, whole);
    const { height } = far.scroll;
    const last = scrolled(far.scroll, { at: height - VIEW, before: far.setTo ?? 0, view: VIEW, whole });
    expect(last.scroll.top).toBe(whole - VIEW);
    const first = scrolled(last.scroll, { at: 0, before: height - VIEW, view: VIEW, whole });
    expect(first.scroll.top).toBe(0);
  });

  it('shows the row it was sent to, wherever that is', () => {
    for (const rows of [3, 1_000, 1_000_000]) {
      const { scroll, setTo } = scrollTo((rows - 1) * ROW, VIEW, rows * ROW);
      expect(scroll.top).toBe(Math.max(0, rows * ROW - VIEW));
      expect(setTo).toBe(scroll.top + scroll.shift);
    }
  });
});
