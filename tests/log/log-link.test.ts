import { describe, expect, it, onTestFinished } from 'vitest';
import { type EventLog, LogUnavailable } from '../../src/log/log.ts';
import { type LogLink, watchLog } from '../../src/log/log-link.ts';

const HEARTBEAT = { everyMs: 1, againMs: 1, missedAfterMs: 20 };

type State = 'answers' | 'refuses' | 'hangs';

/** A log of which a test decides whether it answers. */
function unsteadyLog(): { log: EventLog; become: (state: State) => void; pings: () => number; reads: () => number } {
  let state: State = 'answers';
  let pings = 0;
  let reads = 0;
  let thaw = Promise.withResolvers<void>();
  async function answer<T>(value: T): Promise<T> {
    if (state === 'refuses') throw new LogUnavailable('refused');
    if (state === 'hangs') await thaw.promise;
    return value;
  }
  const log = {
    ping: () => {
      pings += 1;
      return answer(undefined);
    },
    head: () => answer('1'),
    readStream: () => {
      reads += 1;
      return answer([]);
    },
    append: () => answer({ outcome: 'appended', revision: 0, position: '1' }),
    close: async () => {},
  } as unknown as EventLog;
  return {
    log,
    pings: () => pings,
    reads: () => reads,
    become(next) {
      state = next;
      thaw.resolve();
      thaw = Promise.withResolvers();
    },
  };
}

function watched(log: EventLog): LogLink {
  const link = watchLog(log, { heartbeat: HEARTBEAT });
  onTestFinished(() => link.stop());
  return link;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}

describe('the link to the log', () => {
  it.each(['refuses', 'hangs'] as const)('is known to be down when the log %s, and to be up again', async (state) => {
    const { log, become } = unsteadyLog();
    const link = watched(log);
    await until(() => link.lastAnswerMs() !== undefined);
    expect(link.isDown()).toBe(false);
    become(state);
    await until(link.isDown);
    const before = link.lastAnswerMs();
    become('answers');
    await until(() => !link.isDown());
    expect(link.lastAnswerMs()).toBeGreaterThan(before ?? 0);
    expect(await link.readLog.head()).toBe('1');
  });

  it('fails the reads in progress and the new ones while it is down, and not what waits for the log', async () => {
    const { log, become, reads } = unsteadyLog();
    const link = watched(log);
    become('hangs');
    let hasEnded = false;
    const patient = link.log.head().finally(() => {
      hasEnded = true;
    });
    await expect(link.readLog.readStream('user-t_1')).rejects.toThrow(LogUnavailable);
    await expect(link.readLog.readStream('user-t_1')).rejects.toThrow(LogUnavailable);
    // While it is down, nothing is asked that would hang as well.
    expect(reads()).toBe(1);
    expect(hasEnded).toBe(false);
    become('answers');
    expect(await patient).toBe('1');
  });

  it('is up while the log answers other calls, however long a heartbeat waits behind them', async () => {
    const { log, become, pings } = unsteadyLog();
    const steady = { ...log, head: async () => '1' } as EventLog;
    const link = watched(steady);
    await until(() => pings() > 0);
    become('hangs');
    const down = link.down();
    const endsAt = performance.now() + 10 * HEARTBEAT.missedAfterMs;
    while (performance.now() < endsAt) {
      await link.log.head();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(down.aborted).toBe(false);
  });

  it('has at most one heartbeat in progress', async () => {
    const { log, become, pings } = unsteadyLog();
    const link = watched(log);
    await until(() => pings() > 0);
    become('hangs');
    await until(link.isDown);
    const asked = pings();
    const endsAt = performance.now() + 5 * HEARTBEAT.missedAfterMs;
    await until(() => performance.now() > endsAt);
    expect(pings()).toBe(asked);
  });

  it('sends no heartbeat while other calls are answered, and the next one when they have ended', async () => {
    const { log, pings } = unsteadyLog();
    const steady = { ...log, head: async () => '1' } as EventLog;
    let nowMs = 0;
    const link = watchLog(steady, { heartbeat: { ...HEARTBEAT, everyMs: 2 }, monotonicMs: () => nowMs });
    onTestFinished(() => link.stop());
    await until(() => link.lastAnswerMs() === 0);
    const before = pings();
    const endsAt = performance.now() + 50;
    while (performance.now() < endsAt) {
      nowMs += 1;
      await link.log.head();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(pings()).toBe(before);
    nowMs += 2;
    await until(() => pings() > before);
  });

  it('reports the streams that this process has appended to', async () => {
    const link = watched(unsteadyLog().log);
    const streams: string[] = [];
    link.onAppended((stream) => streams.push(stream));
    await link.log.append({ stream: 'apiKey-t_1', expected: 0, events: [] });
    expect(streams).toEqual(['apiKey-t_1']);
  });
});
