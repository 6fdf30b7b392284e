import { expect, it } from 'vitest';
import { newLogMemory, openLogSharing } from '../../src/log/embedded/log-sharing.ts';

it('a watch of the end has ended once its end has resolved', async () => {
  const memory = newLogMemory();
  const [here, there] = [openLogSharing(memory), openLogSharing(memory)];
  let calls = 0;
  const end = here.onMoved(() => {
    calls += 1;
  });
  there.moveEnd(1);
  await expect.poll(() => calls).toBe(1);
  await end();
  there.moveEnd(2);
  // What wakes another watch would have woken this one before.
  let others = 0;
  const endOther = there.onMoved(() => {
    others += 1;
  });
  there.moveEnd(3);
  await expect.poll(() => others).toBe(1);
  await endOther();
  expect([calls, others, here.end()]).toEqual([1, 1, 3]);
});
