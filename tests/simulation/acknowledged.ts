import type { Book } from './bank-books.ts';

/**
 * What the service has answered, kept outside of it. `certain` is false once a request about the thing was never
 * answered: what it asked for may have happened or not.
 */
export type KnownConnection = {
  readonly id: string;
  readonly title: string;
  readonly book: Book;
  hasCredentials: boolean;
};

export type KnownRule = {
  readonly id: string;
  readonly name: string;
  version: number;
  status: 'active' | 'paused';
  archived: boolean;
  certain: boolean;
};

export type KnownRun = { readonly id: string; readonly type: 'preview' | 'backfill' | 'revert' };

export type KnownAssignment = {
  readonly transactionId: string;
  readonly assignmentId: string;
  revoked: boolean;
  certain: boolean;
};

export type KnownSchedule = {
  readonly id: string;
  readonly title: string;
  status: 'active' | 'paused' | 'deleted';
  certain: boolean;
};

export type Acknowledged = {
  readonly connections: KnownConnection[];
  readonly rules: KnownRule[];
  readonly runs: KnownRun[];
  readonly assignments: KnownAssignment[];
  readonly schedules: KnownSchedule[];
  /** Of every accepted write: the position that the answer named. */
  readonly positions: { readonly what: string; readonly position: string }[];
  /** Names that a client made up for what it asked to create, whether or not it was answered. */
  readonly askedNames: { readonly kind: 'connection' | 'rule' | 'schedule'; readonly name: string }[];
  /** Answers that must never be given. */
  readonly wrongAnswers: string[];
};

/** A tenant that lives in the simulation, with what it was answered. */
export type LivingTenant = {
  readonly tenantId: string;
  /** Of its key and company. */
  readonly headers: Readonly<Record<string, string>>;
  readonly known: Acknowledged;
};

export function nothingYet(): Acknowledged {
  return {
    connections: [],
    rules: [],
    runs: [],
    assignments: [],
    schedules: [],
    positions: [],
    askedNames: [],
    wrongAnswers: [],
  };
}
