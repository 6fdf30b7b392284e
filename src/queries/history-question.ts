import type { Readable } from '../projections/engine/read-models.ts';
import type { EntryFilter, HistoryDocument } from '../projections/history.ts';

export type HistoryReadable = Readable<HistoryDocument>;

/** Which events of a tenant are wanted, in the order of their positions. */
export type HistoryQuestion = {
  readonly tenantId: string;
  /** Only events of these companies; null: all, also those of no company. */
  readonly companies: readonly string[] | null;
  readonly direction: 'asc' | 'desc';
  /** Only events after this position. */
  readonly after?: string;
  /** Only events up to this position, it included: one that the read model has reached, which is also the default. */
  readonly upTo?: string;
  /** Only events before this position, which the read model has reached. */
  readonly before?: string;
  readonly where?: EntryFilter;
};

/** Runs one read of a part, and what is made of it. */
export type PaceReads = <T>(read: () => Promise<T>) => Promise<T>;

/** A place in a tenant's history: its last event that was recorded at or before a moment, in log order. */
export type MomentInHistory = {
  /** Undefined where there is none. */
  readonly position: string | undefined;
  /** A later event was recorded after the moment: the answer cannot change any more. */
  readonly isSettled: boolean;
};
