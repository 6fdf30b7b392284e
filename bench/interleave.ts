/** One side of a comparison, timed repeatedly. */
export type Side = {
  readonly prepare: (round: number) => unknown;
  readonly run: (prepared: never, round: number) => unknown;
  readonly tidy: (prepared: never) => unknown;
};

/**
 * `run` and `tidy` get what `prepare` returns; preparing and tidying are not timed. `run` returns milliseconds if it
 * has a better measure than its own duration, such as a median.
 */
export function side<Prepared = undefined>(parts: {
  prepare?: (round: number) => Prepared | Promise<Prepared>;
  run: (prepared: Prepared, round: number) => Promise<number | undefined> | number | undefined | Promise<void> | void;
  tidy?: (prepared: Prepared) => Promise<void> | void;
}): Side {
  return { prepare: parts.prepare ?? (() => undefined), run: parts.run, tidy: parts.tidy ?? (() => undefined) };
}

/**
 * Runs the sides alternately (A, B, A, B, …): one round to warm up, which does not count, then `rounds` rounds, every
 * second one in the opposite order, so that no side always follows the same one.
 * @returns for each side its milliseconds, one per round
 */
export async function interleave<Name extends string>(
  rounds: number,
  sides: Readonly<Record<Name, Side>>,
): Promise<Record<Name, number[]>> {
  const names = Object.keys(sides) as Name[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const ms = await once(sides[name], round);
      if (round > 0) times[name].push(ms);
    }
  }
  return times;
}

async function once({ prepare, run, tidy }: Side, round: number): Promise<number> {
  const prepared = (await prepare(round)) as never;
  globalThis.gc?.();
  const startedMs = performance.now();
  const own = await run(prepared, round);
  const tookMs = performance.now() - startedMs;
  await tidy(prepared);
  return typeof own === 'number' ? own : tookMs;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = Number.NaN, high = Number.NaN] = [sorted[(sorted.length - 1) >> 1], sorted[middle]];
  return (low + high) / 2;
}

/** The value below which so large a part of the values is, such as 0.99; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN;
}

/** Round by round. */
export function ratios(above: readonly number[], below: readonly number[]): number[] {
  return above.map((value, round) => value / (below[round] ?? Number.NaN));
}

/** Things a second, round by round. */
export function rates(things: number, times: readonly number[]): number[] {
  return times.map((ms) => (things / ms) * 1000);
}

export function perSecond(things: number, times: readonly number[]): number {
  return (things / median(times)) * 1000;
}

/** `12,345/s` for so many items per round. */
export function rate(things: number, times: readonly number[]): string {
  return `${Math.round(perSecond(things, times)).toLocaleString('en')}/s`;
}
