import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const CHILD = fileURLToPath(new URL('./thread-heaps-child.ts', import.meta.url));
const START = ['--max-semi-space-size=8', '--max-old-space-size=200'];

it('limits the heap of a thread by what it was given, although the process has options for its own', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [...START, CHILD]);
  const { main, small, asHere } = JSON.parse(stdout) as Record<'main' | 'small' | 'asHere', number>;
  expect(main).toBe(224);
  expect(small).toBeLessThan(64);
  expect(asHere).toBe(main);
});
