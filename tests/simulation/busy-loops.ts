/** Several times what the busiest second of a life needs; each call has two steps. */
const MOST_STEPS_A_SECOND = 800;

type Second = {
  second: number;
  /** Not counted by kind before there are enough of them altogether, which is rare. */
  readonly calls: string[];
  readonly counts: Map<string, number>;
};

function nothingOf(second: number): Second {
  return { second, calls: [], counts: new Map() };
}

/**
 * Finds calls of one kind that an instance makes so often within a second that it must do so without end. A kind is
 * what stands before the first hyphen. The function it returns is called for each step of a call.
 * @param onLoop called with the instance and the kind
 */
export function watchForLoops(
  onLoop: (kind: string) => void,
): (instance: string, second: number, call: string) => void {
  const watched = new Map<string, Second>();

  function count({ counts }: Second, instance: string, call: string): void {
    const kind = call.slice(0, call.indexOf('-') >>> 0);
    const times = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, times);
    if (times === MOST_STEPS_A_SECOND) onLoop(`${instance}: ${kind}`);
  }

  return (instance, second, call) => {
    const last = watched.get(instance) ?? nothingOf(second);
    watched.set(instance, last);
    if (last.second !== second) {
      last.second = second;
      last.calls.length = 0;
      last.counts.clear();
    }
    if (last.calls.push(call) < MOST_STEPS_A_SECOND) return;
    const uncounted = last.calls.length === MOST_STEPS_A_SECOND ? last.calls : [call];
    for (const one of uncounted) count(last, instance, one);
  };
}
