import { parsePosition } from './positions.ts';

/** From how many bytes on the older half of what is known counts half as much, so that the newer decides. */
const FORGOTTEN_FROM_BYTES = 64 * 1024 * 1024;

type Stretch = { readonly from: string; readonly to: string; readonly events: number };

export type Density = {
  /** A subscription to all of our events went from one position to another and delivered that many. */
  readonly passed: (from: string, to: string, events: number) => void;
  /** How many of our events are probably between the positions, by what has passed and by a sample. */
  readonly events: (from: string, to: string, sample: Stretch) => number;
};

/**
 * How many of our events the server holds in a byte of its log. It offers no count, but a commit position is an offset
 * in bytes, of which the subscriptions of this process have passed many.
 */
export function createDensity(): Density {
  let bytes = 0;
  let events = 0;
  return {
    passed(from, to, delivered) {
      bytes += bytesBetween(from, to);
      events += delivered;
      if (bytes < FORGOTTEN_FROM_BYTES) return;
      bytes /= 2;
      events /= 2;
    },
    events(from, to, sample) {
      const knownBytes = bytes + bytesBetween(sample.from, sample.to);
      if (knownBytes === 0) return 0;
      return Math.round((bytesBetween(from, to) * (events + sample.events)) / knownBytes);
    },
  };
}

function bytesBetween(from: string, to: string): number {
  const [start, end] = [parsePosition(from)?.commit ?? 0n, parsePosition(to)?.commit ?? 0n];
  return end > start ? Number(end - start) : 0;
}
