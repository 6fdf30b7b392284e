import { afterEach, beforeEach, expect, it } from 'vitest';
import { withLease } from '../../src/reactors/lease.ts';
import { AT } from '../support/facts.ts';
import { type SmallWorld, setClock, smallWorld } from '../support/small-reactor-services.ts';

let small: SmallWorld;
beforeEach(async () => {
  small = await smallWorld(setClock(AT));
});
afterEach(() => small.stop());

const going = new AbortController().signal;

it.each([true, false])('returns what the work reports: %s', async (done) => {
  expect(await withLease(small.services, 'work', going, async () => done)).toBe(done);
});

it('does nothing, and says so, while another worker holds it', async () => {
  const other = { ...small.services, owner: 'worker-two' };
  await withLease(other, 'work', going, async () => {
    let worked = false;
    const done = await withLease(small.services, 'work', going, async () => {
      worked = true;
      return true;
    });
    expect({ done, worked }).toEqual({ done: false, worked: false });
    return true;
  });
});

it('is free again after work that failed', async () => {
  const failing = withLease(small.services, 'work', going, async () => {
    throw new Error('planted');
  });
  await expect(failing).rejects.toThrow('planted');
  const other = { ...small.services, owner: 'worker-two' };
  expect(await withLease(other, 'work', going, async () => true)).toBe(true);
});
