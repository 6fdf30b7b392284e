import '../../src/main.ts';

/** What is asked of the child, and what it answers once the measuring has ended. */
export type MeasureAsked = 'begin' | 'end';
export type Measured = {
  /** By how much what is in use, heap and buffers, grew at the most; garbage does not count. */
  readonly grownMb: number;
  /** Of the process so far, with the threads that read the store. */
  readonly peakRssMb: number;
};

const EVERY_MS = 250;
const MB = 1024 * 1024;

/** The service, whose memory is looked at all the time while the parent asks for it; needs --expose-gc. */
let base = 0;
let most = 0;
let timer: NodeJS.Timeout | undefined;

function inUse(): number {
  // Buffers of what the first one has collected are released by the second.
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

function look(): void {
  most = Math.max(most, inUse());
  timer = setTimeout(look, EVERY_MS);
}

process.on('message', (asked: MeasureAsked) => {
  clearTimeout(timer);
  if (asked === 'begin') {
    base = inUse();
    most = base;
    timer = setTimeout(look, EVERY_MS);
    process.send?.(null);
    return;
  }
  const measured: Measured = { grownMb: (most - base) / MB, peakRssMb: process.resourceUsage().maxRSS / 1024 };
  process.send?.(measured);
});
