import type { EventLog } from '../../log/log.ts';
import type { Clock } from '../../shared/clock.ts';
import { MAX_BATCH } from './read-ahead.ts';

export type Lag = { readonly lagEvents: number; readonly lagMs: number };

const NONE: Lag = { lagEvents: 0, lagMs: 0 };

export type LagGauge = {
  /** Reads the log's end and the distance of each position from it; returns the end. @throws LogUnavailable */
  readonly measure: (positions: readonly string[]) => Promise<string>;
  /** As of the last measurement. */
  readonly at: (position: string) => Lag;
};

export function createLagGauge(log: EventLog, clock: Clock): LagGauge {
  let head = '';
  let seen: { readonly position: string; readonly events: number; readonly oldestMs: number }[] = [];
  return {
    async measure(positions) {
      head = await log.head();
      const behind = new Set(positions.filter((position) => position < head));
      const next: typeof seen = [];
      for (const position of behind) {
        const { events } = await log.readAll({ after: position, limit: MAX_BATCH });
        const [oldest] = events;
        if (oldest !== undefined)
          next.push({ position, events: events.length, oldestMs: Date.parse(oldest.recordedAt) });
      }
      seen = next.sort((one, other) => (one.position < other.position ? -1 : 1));
      return head;
    },
    at(position) {
      if (position >= head) return NONE;
      // The position has advanced since: the measurement before it is the nearest known. A measurement from the start
      // was for a projection that had not read its checkpoint yet.
      const measured = position === '' ? seen : seen.filter((each) => each.position !== '');
      const known = measured.findLast((each) => each.position <= position) ?? measured[0];
      if (known === undefined) return NONE;
      return { lagEvents: known.events, lagMs: Math.max(0, clock.now() - known.oldestMs) };
    },
  };
}
