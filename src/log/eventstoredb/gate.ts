/** Limits how many, and how many bytes, are admitted at a time; the rest wait in order of arrival. */
export type Gate = { readonly enter: (bytes: number) => Promise<() => void> };

/** A request that alone exceeds `maxBytes` is admitted when no other is. */
export function createGate(maxCount: number, maxBytes: number): Gate {
  const waiting: { bytes: number; admit: (leave: () => void) => void }[] = [];
  let count = 0;
  let held = 0;
  const admitNext = (): void => {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      if (count >= maxCount || (count > 0 && held + next.bytes > maxBytes)) return;
      const { bytes, admit } = next;
      waiting.shift();
      count += 1;
      held += bytes;
      let left = false;
      admit(() => {
        if (left) return;
        left = true;
        count -= 1;
        held -= bytes;
        admitNext();
      });
    }
  };
  return {
    enter: (bytes) =>
      new Promise((admit) => {
        waiting.push({ bytes, admit });
        admitNext();
      }),
  };
}
