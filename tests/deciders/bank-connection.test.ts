import { describe, expect, it } from 'vitest';
import {
  archiveConnection,
  bankConnection,
  changeConnection,
  endSetup,
  noteAccounts,
  refuseSync,
  replaceCredentials,
  requestSetup,
} from '../../src/deciders/bank-connection.ts';
import type { SubAccount } from '../../src/events/bank-connection.ts';
import type { BankConnectionFact } from '../../src/events/registry.ts';
import { AT } from '../support/facts.ts';

const stateAfter = (...facts: BankConnectionFact[]) => facts.reduce(bankConnection.evolve, bankConnection.initialState);

const opened: BankConnectionFact = {
  type: 'ConnectionOpened',
  data: { accountId: 'connection', bankCode: 'demo', environment: 'demo', title: 'Main', openedAt: AT },
};
const asked: BankConnectionFact = { type: 'ConnectionSetupRequested', data: { setupId: 'one', requestedAt: AT } };
const account = { subAccountKey: 'a', balance: '1' } as SubAccount;
const setUp = {
  type: 'ConnectionSetUp',
  data: { setupId: 'one', completedAt: AT, durationMs: 1, requests: 1, subAccounts: [account] },
} as const satisfies BankConnectionFact;
const disabled: BankConnectionFact = { type: 'ConnectionDisabled', data: { changedAt: AT } };
const archived: BankConnectionFact = { type: 'ConnectionArchived', data: { archivedAt: AT } };

describe('a connection', () => {
  it('records only what differs', () => {
    expect(changeConnection(stateAfter(opened), { title: 'Main', enabled: true, changedAt: AT })).toEqual([]);
    expect(changeConnection(stateAfter(opened), { title: 'New', enabled: false, changedAt: AT })).toEqual([
      { type: 'ConnectionRenamed', data: { title: 'New', changedAt: AT } },
      disabled,
    ]);
  });

  it('is set up once at a time, and only the setup under way can end', () => {
    const request = { setupId: 'two', requestedAt: AT, needsCredentials: false };
    expect(requestSetup(stateAfter(opened, asked), request)).toEqual([]);
    expect(endSetup(stateAfter(opened, asked), setUp)).toEqual([setUp]);
    expect(endSetup(stateAfter(opened, asked, setUp), setUp)).toEqual([]);
    expect(requestSetup(stateAfter(opened, asked, setUp), request)).toHaveLength(1);
  });

  it('needs credentials where its bank asks for them, and to be switched on', () => {
    const request = { setupId: 'two', requestedAt: AT, needsCredentials: true };
    expect(requestSetup(stateAfter(opened), request)).toEqual({ refused: 'CREDENTIALS_MISSING' });
    expect(requestSetup(stateAfter(opened, disabled), request)).toEqual({ refused: 'CONNECTION_DISABLED' });
  });

  it('may be synced when it is set up and on', () => {
    expect(refuseSync(stateAfter())).toEqual({ refused: 'CONNECTION_NOT_FOUND' });
    expect(refuseSync(stateAfter(opened))).toEqual({ refused: 'CONNECTION_NOT_SET_UP' });
    expect(refuseSync(stateAfter(opened, asked, setUp))).toBeNull();
    expect(refuseSync(stateAfter(opened, asked, setUp, disabled))).toEqual({ refused: 'CONNECTION_DISABLED' });
    expect(refuseSync(stateAfter(opened, asked, setUp, archived))).toEqual({ refused: 'CONNECTION_ARCHIVED' });
  });

  it('notes other accounts, not other balances', () => {
    const seen = { syncId: 'sync', seenAt: AT };
    const state = stateAfter(opened, asked, setUp);
    expect(noteAccounts(state, { ...seen, subAccounts: [{ ...account, balance: '2' }] })).toEqual([]);
    expect(noteAccounts(state, { ...seen, subAccounts: [] })).toHaveLength(1);
  });

  it('takes nothing once archived, and is archived once', () => {
    const state = stateAfter(opened, archived);
    expect(archiveConnection(state, AT)).toEqual([]);
    expect(replaceCredentials(state, { fingerprint: 'f', replacedAt: AT })).toEqual({ refused: 'CONNECTION_ARCHIVED' });
    expect(changeConnection(state, { title: 'x', changedAt: AT })).toEqual({ refused: 'CONNECTION_ARCHIVED' });
  });
});
