import { expect, it } from 'vitest';
import { oncePerObject } from '../../src/shared/once-per-object.ts';

it('computes the result of an object once, and that of an equal object by itself', () => {
  const computed: number[] = [];
  const half = oncePerObject(({ of }: { of: number }) => {
    computed.push(of);
    return of % 2 === 0 ? of / 2 : undefined;
  });
  const [even, odd] = [{ of: 4 }, { of: 5 }];
  expect([half(even), half(odd), half(even), half(odd), half({ of: 4 })]).toEqual([2, undefined, 2, undefined, 2]);
  expect(computed).toEqual([4, 5, 4]);
});

it('keeps nothing of a computation that fails', () => {
  let isFailing = true;
  const answer = oncePerObject(() => {
    if (isFailing) throw new Error('not yet');
    return 42;
  });
  const one = {};
  expect(() => answer(one)).toThrow('not yet');
  isFailing = false;
  expect(answer(one)).toBe(42);
});

it('remembers the last 128 objects, of which one may have been asked for long before, and forgets older ones', () => {
  let computed = 0;
  const answer = oncePerObject((of: { nth: number }) => {
    computed += 1;
    return of.nth;
  });
  const objects = Array.from({ length: 300 }, (_, nth) => ({ nth }));
  const [first] = objects;
  for (const one of objects) {
    expect(answer(one)).toBe(one.nth);
    if (first !== undefined) expect(answer(first)).toBe(0);
  }
  expect(computed).toBe(300);
  for (const one of objects.slice(-128)) answer(one);
  expect(computed).toBe(300);
  for (const one of objects.slice(1, 20)) answer(one);
  expect(computed).toBe(319);
});
