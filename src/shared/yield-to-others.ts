const waiting: (() => void)[] = [];

/**
 * Lets others have the event loop: resolves in a later iteration, in which it is the only one of its callers to go on,
 * first come first served. With `setImmediate` alone all of them go on in the same iteration, so that work cut into
 * slices of 10 ms at twenty places keeps requests waiting for 200 ms.
 */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(goOn);
  });
}

function goOn(): void {
  waiting.shift()?.();
  // From within this phase of the loop: of the next iteration.
  if (waiting.length > 0) setImmediate(goOn);
}
