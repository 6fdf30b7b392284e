import type { SubAccount } from '../events/bank-connection.ts';
import type { BankConnectionFact, EventData } from '../events/registry.ts';
import type { Decider } from './decider.ts';
import type { Refusal } from './refusal.ts';

export type BankConnectionState = {
  readonly opened: EventData<'ConnectionOpened'> | null;
  readonly title: string;
  readonly enabled: boolean;
  readonly archived: boolean;
  readonly hasCredentials: boolean;
  readonly subAccounts: readonly SubAccount[];
  readonly setUp: boolean;
  /** The setup in progress, null for none. */
  readonly setupId: string | null;
};

const initialState: BankConnectionState = {
  opened: null,
  title: '',
  enabled: false,
  archived: false,
  hasCredentials: false,
  subAccounts: [],
  setUp: false,
  setupId: null,
};

function evolve(state: BankConnectionState, fact: BankConnectionFact): BankConnectionState {
  switch (fact.type) {
    case 'ConnectionOpened':
      return { ...state, opened: fact.data, title: fact.data.title, enabled: true };
    case 'ConnectionRenamed':
      return { ...state, title: fact.data.title };
    case 'ConnectionDisabled':
      return { ...state, enabled: false };
    case 'ConnectionEnabled':
      return { ...state, enabled: true };
    case 'ConnectionCredentialsReplaced':
      return { ...state, hasCredentials: true };
    case 'ConnectionSetupRequested':
      return { ...state, setupId: fact.data.setupId };
    case 'ConnectionSetUp':
      return { ...state, setupId: null, setUp: true, subAccounts: fact.data.subAccounts };
    case 'ConnectionSetupFailed':
      return { ...state, setupId: null };
    case 'ConnectionAccountsChanged':
      return { ...state, subAccounts: fact.data.subAccounts };
    case 'ConnectionArchived':
      return { ...state, archived: true, enabled: false, hasCredentials: false, setupId: null };
  }
}

export const bankConnection: Decider<BankConnectionState, BankConnectionFact> = { initialState, evolve };

export type BankConnectionOutcome = readonly BankConnectionFact[] | Refusal;

const notFound: Refusal = { refused: 'CONNECTION_NOT_FOUND' };
const archived: Refusal = { refused: 'CONNECTION_ARCHIVED' };

export function decideOpenConnection(opened: EventData<'ConnectionOpened'>): BankConnectionOutcome {
  return [{ type: 'ConnectionOpened', data: opened }];
}

/** Only differences become facts; without any there are none. */
export function decideChangeConnection(
  state: BankConnectionState,
  change: { title?: string; enabled?: boolean; changedAt: string },
): BankConnectionOutcome {
  if (state.opened === null) return notFound;
  if (state.archived) return archived;
  const { changedAt } = change;
  const facts: BankConnectionFact[] = [];
  if (change.title !== undefined && change.title !== state.title) {
    facts.push({ type: 'ConnectionRenamed', data: { title: change.title, changedAt } });
  }
  if (change.enabled !== undefined && change.enabled !== state.enabled) {
    facts.push({ type: change.enabled ? 'ConnectionEnabled' : 'ConnectionDisabled', data: { changedAt } });
  }
  return facts;
}

export function decideArchiveConnection(state: BankConnectionState, archivedAt: string): BankConnectionOutcome {
  if (state.opened === null) return notFound;
  return state.archived ? [] : [{ type: 'ConnectionArchived', data: { archivedAt } }];
}

export function replaceCredentials(
  state: BankConnectionState,
  replaced: { fingerprint: string; replacedAt: string },
): BankConnectionOutcome {
  if (state.opened === null) return notFound;
  if (state.archived) return archived;
  return [{ type: 'ConnectionCredentialsReplaced', data: { environment: state.opened.environment, ...replaced } }];
}

/** While a setup is in progress, another request gives no facts. */
export function requestSetup(
  state: BankConnectionState,
  request: { setupId: string; requestedAt: string; needsCredentials: boolean },
): BankConnectionOutcome {
  if (state.opened === null) return notFound;
  if (state.archived) return archived;
  if (!state.enabled) return { refused: 'CONNECTION_DISABLED' };
  if (request.needsCredentials && !state.hasCredentials) return { refused: 'CREDENTIALS_MISSING' };
  if (state.setupId !== null) return [];
  const { setupId, requestedAt } = request;
  return [{ type: 'ConnectionSetupRequested', data: { setupId, requestedAt } }];
}

/** Ends the setup it belongs to; a late or repeated end of another one gives no facts. */
export function endSetup(
  state: BankConnectionState,
  end: Extract<BankConnectionFact, { type: 'ConnectionSetUp' | 'ConnectionSetupFailed' }>,
): BankConnectionOutcome {
  return state.setupId === end.data.setupId ? [end] : [];
}

/** A list with the same accounts is no change; balances are not part of the comparison. */
export function noteAccounts(
  state: BankConnectionState,
  seen: { syncId: string; seenAt: string; subAccounts: SubAccount[] },
): BankConnectionOutcome {
  if (state.opened === null || state.archived) return [];
  const identities = (accounts: readonly SubAccount[]): string[] =>
    accounts.map(({ subAccountKey, ownedElsewhere }) => `${subAccountKey} ${ownedElsewhere ?? false}`).sort();
  const [before, now] = [identities(state.subAccounts), identities(seen.subAccounts)];
  if (before.join() === now.join()) return [];
  return [{ type: 'ConnectionAccountsChanged', data: seen }];
}

/** Null when a sync may be requested. */
export function refuseSync(state: BankConnectionState): Refusal | null {
  if (state.opened === null) return notFound;
  if (state.archived) return archived;
  if (!state.enabled) return { refused: 'CONNECTION_DISABLED' };
  return state.setUp ? null : { refused: 'CONNECTION_NOT_SET_UP' };
}
