import { expect, it } from 'vitest';
import { watchForLoops } from './busy-loops.ts';

const STEPS = 800;

it('names a call that one instance makes without end within a second, once', () => {
  const found: string[] = [];
  const note = watchForLoops((kind) => found.push(kind));
  for (let step = 0; step < STEPS - 1; step += 1) {
    note('one', 1, `append seal-${step}`);
    note('one', 1, `other ${step % 7}-x`);
    note('two', 1, `append seal-${step}`);
  }
  expect(found).toEqual([]);
  note('one', 1, 'append seal-x');
  note('one', 1, 'append seal-y');
  expect(found).toEqual(['one: append seal']);
});

it('counts each second anew', () => {
  const found: string[] = [];
  const note = watchForLoops((kind) => found.push(kind));
  for (let step = 0; step < 3 * STEPS; step += 1) note('one', Math.floor(step / (STEPS - 1)), 'append seal');
  expect(found).toEqual([]);
});
