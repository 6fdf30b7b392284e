import { describe, expect, it } from 'vitest';
import { createCounter } from '../../src/shared/counter.ts';

describe('a counter', () => {
  it('begins no more of a key than may be, and again once something has ended', () => {
    const counter = createCounter<string>(2);
    const [first, second] = [counter.begin('a'), counter.begin('a')];
    expect([first, second, counter.begin('a')]).toEqual([expect.any(Function), expect.any(Function), null]);
    expect(counter.begin('b')).not.toBeNull();
    first?.();
    first?.();
    expect([counter.begin('a'), counter.begin('a')]).toEqual([expect.any(Function), null]);
  });

  it('knows what is under way until all of it has ended', () => {
    const counter = createCounter<object>();
    const [one, other] = [{}, {}];
    const ends = [counter.begin(one), counter.begin(one)];
    ends[0]?.();
    expect([counter.has(one), counter.has(other)]).toEqual([true, false]);
    ends[1]?.();
    expect(counter.has(one)).toBe(false);
  });
});
