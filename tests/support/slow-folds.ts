import { projections } from '../../src/projections/all.ts';

/** After so many events that the read models take: together some seconds, where a fast machine needs a part of one. */
const EVENTS_A_PAUSE = 2;
const PAUSE_MS = 0.1;
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

let taken = 0;

// Loaded before `src/main.ts`, it makes folding take long enough that a kill finds it unfinished, however fast the
// machine is.
for (const projection of projections) {
  const keys = projection.keys.bind(projection);
  Object.assign(projection, {
    keys(event: never) {
      taken += 1;
      if (taken % EVENTS_A_PAUSE === 0) Atomics.wait(never, 0, 0, PAUSE_MS);
      return keys(event);
    },
  });
}
