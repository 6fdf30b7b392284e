/** Calls back once after the time, unless the function it returned stops it first. */
export type StartTimer = (ms: number, onEnd: () => void) => () => void;

/** Does not keep the process running. */
export const systemTimer: StartTimer = (ms, onEnd) => {
  const timer = setTimeout(onEnd, ms);
  timer.unref();
  return () => clearTimeout(timer);
};
