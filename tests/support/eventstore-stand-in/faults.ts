import type { StoredEvent } from './store.ts';

export type Place = { readonly commit: bigint; readonly prepare: bigint };

/** Faults of the server itself, switched on and off while it runs. Faults of the connection belong to the front. */
export type Faults = {
  /** While true, appends and reads are answered "Server Is Not Ready". */
  notReady: boolean;
  /** Appends still to be written and then left without an answer. */
  swallowAnswers: number;
  /** Appends still to be left without an answer and unwritten. */
  swallowAppends: number;
  /** Appends still to be answered with the error of this name (`WrongExpectedVersion`, `Timeout`, …), unwritten. */
  failAppends: { count: number; error: string };
  /** While true, subscriptions are sent nothing, as if they had died silently; new ones are not confirmed. */
  silentSubscriptions: boolean;
  /**
   * What is nominated at a checkpoint instead of the position of the last event examined; `following` is the next
   * event.
   */
  nominate: ((event: StoredEvent, following: StoredEvent | undefined) => Place) | undefined;
  /** Reads still to be failed with this gRPC status. */
  failReads: { count: number; code: number; details: string };
  /** Called after an append was written and before it is answered. */
  beforeAnswer: (() => void) | undefined;
};

export function noFaults(): Faults {
  return {
    notReady: false,
    swallowAnswers: 0,
    swallowAppends: 0,
    failAppends: { count: 0, error: '' },
    silentSubscriptions: false,
    nominate: undefined,
    failReads: { count: 0, code: 0, details: '' },
    beforeAnswer: undefined,
  };
}
