import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isMainThread, threadName } from 'node:worker_threads';

// Loaded before everything else into every thread of a service: a file in its data folder ends the one of them that is
// named. The content of END_HOW: `throw`, `exit`, `memory`, or `at once`, which needs no file.
const { DATA_DIR: dataDir = '', END_THREAD: thread = '', END_HOW: how = '' } = process.env;

function isNamed(): boolean {
  return thread === 'main' ? isMainThread : !isMainThread && threadName === thread;
}

/** More than any thread of a test may have. */
const MOST_MB = 500;
const PIECE_MB = 4;

function fillTheHeap(): void {
  const held: number[][] = [];
  while (held.length * PIECE_MB < MOST_MB) held.push(new Array(PIECE_MB * 131_072).fill(0));
}

if (isNamed()) {
  if (how === 'at once') throw new Error('ended by the test');
  const looking = setInterval(() => {
    if (!existsSync(join(dataDir, 'end'))) return;
    clearInterval(looking);
    if (how === 'exit') process.exit(0);
    if (how === 'memory') fillTheHeap();
    throw new Error('ended by the test');
  }, 5);
  looking.unref();
}
