/**
 * `catching-up`: behind the log's end. `live`: at it. `parked`: at it, but an operator let it skip at least one event,
 * so documents may be incomplete until a new version is built. `halted`: stopped at an event it cannot fold, or failed
 * its verification. `standby`: another instance runs it.
 */
export type ProjectionState = 'catching-up' | 'live' | 'halted' | 'parked' | 'standby';

export type ProjectionError = {
  readonly message: string;
  /** The event at fault; null when it is not one event's. */
  readonly event: {
    readonly id: string;
    readonly type: string;
    readonly stream: string;
    readonly position: string;
  } | null;
};

export type ProjectionStatus = {
  readonly name: string;
  readonly version: number;
  readonly state: ProjectionState;
  /** The documents include everything up to this position. */
  readonly position: string;
  /** Events of the log after `position`, as of the last measurement, at most about a second ago. */
  readonly lagEvents: number;
  /** `lagEvents` was estimated, since the log cannot count so many. */
  readonly lagIsEstimate: boolean;
  /** Age of the oldest of them, 0 when there are none. */
  readonly lagMs: number;
  readonly parkedEvents: number;
  /**
   * This version has reached the end that the log had when its filling began, so that no document of that time is
   * missing. It stays so, however far behind it is later. False while that is not known here.
   */
  readonly whole: boolean;
  /** Why it is halted, or the transient fault because of which it is retrying. */
  readonly error: ProjectionError | null;
};

/** The part of pino's logger that is used here. */
export type Logger = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

export type Timing = {
  readonly leaseTtlMs: number;
  /** Between checks of leases, lag, watermarks and halts. */
  readonly tickMs: number;
  /** Between the first reads of a checkpoint that another instance moves; longer the longer one waits. */
  readonly pollMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
  /** Between a halt that no event caused and the next attempt. */
  readonly haltFirstMs: number;
  readonly haltMostMs: number;
};

export const TIMING: Timing = {
  leaseTtlMs: 15_000,
  tickMs: 1_000,
  pollMs: 25,
  backoffFirstMs: 50,
  backoffMostMs: 5_000,
  haltFirstMs: 1_000,
  haltMostMs: 60_000,
};
