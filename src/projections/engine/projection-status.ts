/**
 * `catching-up`: behind the log's end. `live`: at it. `parked`: at it, but an operator let it pass over at least one
 * event, so documents may lack something until a new version is built. `halted`: stands at an event it cannot take, or
 * failed its verification. `standby`: another instance runs it.
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
  /** Everything up to here is in the documents. */
  readonly position: string;
  /**
   * Events of the log after `position`, counted up to 1,000; as of the last measurement, at most about a second ago.
   */
  readonly lagEvents: number;
  /** Age of the oldest of them, 0 when there are none. */
  readonly lagMs: number;
  readonly parkedEvents: number;
  /** Why it is halted, or the passing fault it is retrying at present. */
  readonly error: ProjectionError | null;
};

/** As pino's, of which only this is used. */
export type Logger = {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
  readonly error: (fields: object, message: string) => void;
};

export type Timing = {
  readonly leaseTtlMs: number;
  /** Between looks at leases, lag, watermarks and halts. */
  readonly tickMs: number;
  /** Between looks at a checkpoint that another instance moves. */
  readonly pollMs: number;
  readonly backoffFirstMs: number;
  readonly backoffMostMs: number;
};

export const TIMING: Timing = {
  leaseTtlMs: 15_000,
  tickMs: 1_000,
  pollMs: 25,
  backoffFirstMs: 50,
  backoffMostMs: 5_000,
};
