import { expect, it } from 'vitest';
import { dropOldest } from '../../src/shared/drop-oldest.ts';

it.each([
  [3, ['a', 'b', 'c']],
  [2, ['b', 'c']],
  [0, []],
])('leaves the last %i entries', (most, left) => {
  const map = new Map(['a', 'b', 'c'].map((key) => [key, key]));
  dropOldest(map, most);
  expect([...map.keys()]).toEqual(left);
});
