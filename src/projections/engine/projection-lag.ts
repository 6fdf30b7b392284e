import type { EventLog, Remainder } from '../../log/log.ts';
import type { Clock } from '../../shared/clock.ts';

export type Lag = { readonly lagEvents: number; readonly lagIsEstimate: boolean; readonly lagMs: number };

const NONE: Lag = { lagEvents: 0, lagIsEstimate: false, lagMs: 0 };

export type LagGauge = {
  /** Reads the log's end and the distance of each position from it; returns the end. @throws LogUnavailable */
  readonly measure: (positions: readonly string[]) => Promise<string>;
  /** As of the last measurement. */
  readonly at: (position: string) => Lag;
};

export function createLagGauge(log: Pick<EventLog, 'head' | 'remainder'>, clock: Clock): LagGauge {
  let head = '';
  let seen: { readonly position: string; readonly remainder: Remainder }[] = [];
  return {
    async measure(positions) {
      head = await log.head();
      const behind = new Set(positions.filter((position) => position < head));
      const next: typeof seen = [];
      for (const position of behind) {
        const remainder = await log.remainder(position);
        if (remainder.oldestAt !== null || remainder.events > 0) next.push({ position, remainder });
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
      const { events, isEstimate, oldestAt } = known.remainder;
      const lagMs = oldestAt === null ? 0 : Math.max(0, clock.now() - Date.parse(oldestAt));
      return { lagEvents: events, lagIsEstimate: isEstimate, lagMs };
    },
  };
}
