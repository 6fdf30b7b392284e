import { describe, it } from 'vitest';
import {
  bankConnection,
  decideArchiveConnection,
  decideChangeConnection,
  decideOpenConnection,
  endSetup,
  noteAccounts,
  refuseSync,
  replaceCredentials,
  requestSetup,
} from '../../src/deciders/bank-connection.ts';
import type { SubAccount } from '../../src/events/bank-connection.ts';
import type { BankConnectionFact } from '../../src/events/registry.ts';
import { AT } from '../support/facts.ts';
import { specification } from './specification.ts';

const opened = {
  type: 'ConnectionOpened',
  data: { accountId: 'connection', bankCode: 'demo', environment: 'demo', title: 'Main', openedAt: AT },
} as const satisfies BankConnectionFact;
const setupRequested = (setupId: string): BankConnectionFact => ({
  type: 'ConnectionSetupRequested',
  data: { setupId, requestedAt: AT },
});
const account = { subAccountKey: 'a', balance: '1' } as SubAccount;
const setUp = {
  type: 'ConnectionSetUp',
  data: { setupId: 'one', completedAt: AT, durationMs: 1, requests: 1, subAccounts: [account] },
} as const satisfies BankConnectionFact;
const disabled: BankConnectionFact = { type: 'ConnectionDisabled', data: { changedAt: AT } };
const archived: BankConnectionFact = { type: 'ConnectionArchived', data: { archivedAt: AT } };
const readyForSync = [opened, setupRequested('one'), setUp];
const given = specification(bankConnection);

describe('bank connection', () => {
  it('a connection that is opened is enabled, and neither set up nor archived', () => {
    given([])
      .when(() => decideOpenConnection(opened.data))
      .then([opened])
      .thenState({ title: 'Main', enabled: true, setUp: false, archived: false });
  });

  it('a change records only what differs', () => {
    given([opened])
      .when((connection) => decideChangeConnection(connection, { title: 'Main', enabled: true, changedAt: AT }))
      .thenNothing();
    given([opened])
      .when((connection) => decideChangeConnection(connection, { title: 'New', enabled: false, changedAt: AT }))
      .then([{ type: 'ConnectionRenamed', data: { title: 'New', changedAt: AT } }, disabled]);
  });

  it('a connection has at most one setup in progress', () => {
    const request = { setupId: 'two', requestedAt: AT, needsCredentials: false };
    given([opened, setupRequested('one')])
      .when((connection) => requestSetup(connection, request))
      .thenNothing();
    given(readyForSync)
      .when((connection) => requestSetup(connection, request))
      .then([setupRequested('two')]);
  });

  it('a setup ends once, while it is in progress', () => {
    given([opened, setupRequested('one')])
      .when((connection) => endSetup(connection, setUp))
      .then([setUp])
      .when((connection) => endSetup(connection, setUp))
      .thenNothing();
  });

  it('a setup needs credentials where the bank requires them', () => {
    given([opened])
      .when((connection) => requestSetup(connection, { setupId: 'two', requestedAt: AT, needsCredentials: true }))
      .thenRefused('CREDENTIALS_MISSING');
  });

  it('a connection that is disabled cannot be set up', () => {
    given([opened, disabled])
      .when((connection) => requestSetup(connection, { setupId: 'two', requestedAt: AT, needsCredentials: true }))
      .thenRefused('CONNECTION_DISABLED');
  });

  it('a connection can be synced once it is set up, while it is enabled and not archived', () => {
    given([]).when(refuseSync).thenRefused('CONNECTION_NOT_FOUND');
    given([opened]).when(refuseSync).thenRefused('CONNECTION_NOT_SET_UP');
    given(readyForSync).when(refuseSync).thenAllowed();
    given([...readyForSync, disabled])
      .when(refuseSync)
      .thenRefused('CONNECTION_DISABLED');
    given([...readyForSync, archived])
      .when(refuseSync)
      .thenRefused('CONNECTION_ARCHIVED');
  });

  it('a sync that finds other accounts changes the connection, one that finds other balances does not', () => {
    const seen = { syncId: 'sync', seenAt: AT };
    given(readyForSync)
      .when((connection) => noteAccounts(connection, { ...seen, subAccounts: [{ ...account, balance: '2' }] }))
      .thenNothing();
    given(readyForSync)
      .when((connection) => noteAccounts(connection, { ...seen, subAccounts: [] }))
      .then([{ type: 'ConnectionAccountsChanged', data: { ...seen, subAccounts: [] } }]);
  });

  it('a connection is archived once', () => {
    given([opened, archived])
      .when((connection) => decideArchiveConnection(connection, AT))
      .thenNothing();
  });

  it('a connection that is archived cannot be changed or given credentials', () => {
    given([opened, archived])
      .when((connection) => replaceCredentials(connection, { fingerprint: 'f', replacedAt: AT }))
      .thenRefused('CONNECTION_ARCHIVED');
    given([opened, archived])
      .when((connection) => decideChangeConnection(connection, { title: 'x', changedAt: AT }))
      .thenRefused('CONNECTION_ARCHIVED');
  });
});
