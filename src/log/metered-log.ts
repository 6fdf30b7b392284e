import type { Append, AppendResult, EventLog } from './log.ts';

export type LogMeter = {
  /** @param types of the events that are in the log now */
  readonly appended: (types: readonly string[], durationMs: number) => void;
};

/** The same log, with what it appends counted and timed. A failed append is timed by its caller's answer, not here. */
export function meteredLog(log: EventLog, meter: LogMeter): EventLog {
  const note = (appends: readonly Append[], results: readonly AppendResult[], startedMs: number): void => {
    const taken = appends.filter((_, index) => results[index]?.outcome === 'appended');
    const types = taken.flatMap(({ events }) => events.map((event) => event.type));
    meter.appended(types, performance.now() - startedMs);
  };
  const appendUnless = log.appendManyUnless?.bind(log);
  return {
    async append(append) {
      const startedMs = performance.now();
      const result = await log.append(append);
      note([append], [result], startedMs);
      return result;
    },
    async appendMany(appends) {
      const startedMs = performance.now();
      const results = await log.appendMany(appends);
      note(appends, results, startedMs);
      return results;
    },
    ...(appendUnless === undefined
      ? {}
      : {
          async appendManyUnless(appends, changed) {
            const startedMs = performance.now();
            const results = await appendUnless(appends, changed);
            note(appends, results, startedMs);
            return results;
          },
        }),
    readStream: (stream, options) => log.readStream(stream, options),
    readStreamPositions: (stream, options) => log.readStreamPositions(stream, options),
    readAll: (options) => log.readAll(options),
    subscribe: (options) => log.subscribe(options),
    head: () => log.head(),
    end: () => log.end(),
    remainder: (after) => log.remainder(after),
    ping: () => log.ping(),
    close: () => log.close(),
  };
}
