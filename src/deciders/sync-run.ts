import type { EventData, SyncRunFact } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

type PageSource = Pick<EventData<'SyncPageIngested'>, 'page' | 'window' | 'nextCursor' | 'contentStamped'>;
type Fault = EventData<'SyncPageIngested'>['faults'][number];

export type SyncRunState = {
  readonly requested: EventData<'SyncRequested'> | null;
  readonly planned: EventData<'SyncPlanned'> | null;
  readonly lastPage: PageSource | null;
  /** Pages of the current window, oldest first, with the number of rows that had computed stamps. */
  readonly windowHasContentStamps: boolean;
  readonly pagesBeforeWindow: number;
  /** The first one; a bank's files may have any number. */
  readonly fault: Fault | null;
  readonly requests: number;
  /** Failed attempts since the last page or plan. */
  readonly attempts: number;
  readonly nextAttemptAt: string | null;
  readonly cancelRequested: boolean;
  readonly ended: 'completed' | 'failed' | 'cancelled' | null;
  /** `nextAllowedAt`: when the bank allows the next sync after a rate limit. */
  readonly failure: { readonly code: string; readonly nextAllowedAt: string | null } | null;
};

const initialState: SyncRunState = {
  requested: null,
  planned: null,
  lastPage: null,
  windowHasContentStamps: false,
  pagesBeforeWindow: 0,
  fault: null,
  requests: 0,
  attempts: 0,
  nextAttemptAt: null,
  cancelRequested: false,
  ended: null,
  failure: null,
};

function evolve(state: SyncRunState, fact: SyncRunFact): SyncRunState {
  switch (fact.type) {
    case 'SyncRequested':
      return { ...state, requested: fact.data };
    case 'SyncPlanned':
      return {
        ...state,
        planned: fact.data,
        fault: fact.data.faults[0] ?? null,
        requests: state.requests + fact.data.requests,
        attempts: 0,
        nextAttemptAt: null,
      };
    case 'SyncPageIngested': {
      const { page, window, nextCursor, contentStamped, faults, requests } = fact.data;
      const sameWindow = state.lastPage?.window === window;
      return {
        ...state,
        lastPage: { page, window, nextCursor, contentStamped },
        windowHasContentStamps: contentStamped > 0 || (sameWindow && state.windowHasContentStamps),
        pagesBeforeWindow: sameWindow ? state.pagesBeforeWindow : page - 1,
        fault: state.fault ?? faults[0] ?? null,
        requests: state.requests + requests,
        attempts: 0,
        nextAttemptAt: null,
      };
    }
    case 'SyncAttemptFailed':
      return {
        ...state,
        attempts: fact.data.attempt,
        nextAttemptAt: fact.data.nextAttemptAt,
        requests: state.requests + fact.data.requests,
      };
    case 'SyncCancelRequested':
      return { ...state, cancelRequested: true };
    case 'SyncCompleted':
      return { ...state, ended: 'completed', requests: fact.data.requests };
    case 'SyncFailed': {
      const { code, nextAllowedAt, requests } = fact.data;
      return { ...state, ended: 'failed', failure: { code, nextAllowedAt }, requests };
    }
    case 'SyncCancelled':
      return { ...state, ended: 'cancelled', requests: fact.data.requests };
  }
}

export const syncRun: Decider<SyncRunState, SyncRunFact> = { initialState, evolve };

export type SyncRunOutcome = readonly SyncRunFact[] | Refusal;

export const MAX_SYNC_RETRIES = 3;

/** Where to continue: which window, at which cursor, as which page; null when every planned window is done. */
export type NextPage = { readonly window: number; readonly cursor: string | null; readonly page: number };

export function nextPage(state: SyncRunState): NextPage | null {
  if (state.planned === null || state.ended !== null) return null;
  const { lastPage } = state;
  if (lastPage !== null && lastPage.nextCursor !== null) {
    return { window: lastPage.window, cursor: lastPage.nextCursor, page: lastPage.page + 1 };
  }
  const window = lastPage === null ? 0 : lastPage.window + 1;
  return window < state.planned.windows.length ? { window, cursor: null, page: (lastPage?.page ?? 0) + 1 } : null;
}

/** Gives the fact unless the run has ended or is past that page: a worker that lost its lease changes nothing. */
export function decideContinueSync(state: SyncRunState, fact: SyncRunFact): SyncRunOutcome {
  if (state.requested === null) return { refused: 'SYNC_NOT_FOUND' };
  if (state.ended !== null) return [];
  if (fact.type === 'SyncPlanned' && state.planned !== null) return [];
  if (fact.type === 'SyncPageIngested' && nextPage(state)?.page !== fact.data.page) return [];
  return [fact];
}

/** Asking again changes nothing; a sync that has ended can no longer be cancelled. */
export function requestCancel(state: SyncRunState, requestedAt: string): SyncRunOutcome {
  if (state.requested === null) return { refused: 'SYNC_NOT_FOUND' };
  if (state.ended !== null) return { refused: 'SYNC_ENDED', meta: { status: state.ended } };
  return state.cancelRequested
    ? []
    : [{ type: 'SyncCancelRequested', data: { accountId: state.requested.accountId, requestedAt } }];
}
