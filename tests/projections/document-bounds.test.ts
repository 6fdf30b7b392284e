import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import { projections } from '../../src/projections/all.ts';
import { syncRuns } from '../../src/projections/sync-runs.ts';
import { goldenHistory } from '../support/golden-history.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

/**
 * What bounds the documents of each read model: MongoDB takes 16 MiB, and a document that grows with the history would
 * halt its read model for every tenant.
 */
const BOUNDS: Readonly<Record<string, string>> = {
  tenants: 'the fields of a tenant',
  companies: 'the fields of a company',
  users: 'the fields of a user',
  sessions: 'the fields of a session, of which one sign-in gives 200 characters',
  'api-keys': 'the fields of a key and the companies it is limited to, which one request names',
  connections: 'the accounts that a bank lists in one answer, some 300 bytes each',
  'sync-runs': 'the accounts of a connection, 1,000 faults and 100 notes',
  'connection-days': 'the counts of a day',
  rules: 'one version of a rule, which one request holds',
  'rule-versions': 'one version of a rule, which one request holds',
  transactions: 'one row of a bank; 1,000 assignments, beyond which only rules add, each its references of one version',
  'transaction-days': 'the counts of a day',
  'unassigned-groups': 'the sums of each currency and 5 samples',
  assignments: 'one assignment',
  'reference-labels': '50 labels',
  'account-days': 'balances of a day that do not follow from each other, some 20 bytes each, and what statements state',
  'rule-runs': 'the fields of a run and a sample of 20 transactions',
  'run-matches': 'one transaction of a run',
  schedules: 'the fields of a schedule',
  'schedule-runs': 'the fields of a run',
  history: 'events of 100 positions, or of 100,000 bytes and one append: some 80 bytes each, and the ids in them',
  'log-moments': 'one moment',
  'flow-sums': 'the days of a month, or the 96 quarter hours of a day',
  'counterparty-sums': 'the 96 quarter hours of the days of a month',
  'reference-sums': 'the 96 quarter hours of the days of a month',
  'arrival-sums': 'for one day of transactions the pairs of its quarter hours and those of their arrival in a month',
  'rule-sums': 'the 96 quarter hours of the days of a month',
  'sync-sums': 'the 96 quarter hours of the days of a month',
  'automation-sums': 'the 96 quarter hours of the days of a month',
  'sub-account-sums': 'the 96 quarter hours of the days of a month',
  seals: 'one seal',
  webhooks: 'the fields of a webhook, and the companies that one request names',
};

/** Those that hold a list of what happened, up to a bound that another test shows. */
const LISTS = new Set(['sync-runs', 'transactions']);

/** Events with which an entity begins, and its document anew. */
const BEGINS = /^(TransactionRecorded|\w+(Created|Requested|Opened|Began)|SyncPlanned)$/;

describe('the size of documents', () => {
  it('is bounded by something for each read model', () => {
    expect(Object.keys(BOUNDS).toSorted()).toEqual(projections.map(({ name }) => name).toSorted());
  });

  const rest = projections
    .filter(({ name }) => !LISTS.has(name))
    .map((projection) => [projection.name, projection] as const);

  it.each(rest)('%s does not grow when the same kinds of events happen again and again', (_, projection) => {
    const history = goldenHistory();
    const largest = (documents: ReadonlyMap<string, object>): number =>
      Math.max(0, ...Array.from(documents.values(), (document) => JSON.stringify(document).length));
    let documents = foldOne(projection, history);
    const sizes: number[] = [];
    for (let round = 1; round <= 60; round += 1) {
      documents = foldOne(projection, again(history, round), documents);
      sizes.push(largest(documents));
    }
    // Counts and sums get more digits, and a sample is filled up to its bound.
    expect((sizes[59] ?? 0) - (sizes[29] ?? 0)).toBeLessThan(40);
  });

  it('sync-runs keeps 1,000 faults of a folder that cannot be read', () => {
    const first = goldenHistory().filter(({ type }) => type === 'SyncRequested');
    const page = goldenHistory().find(({ type }) => type === 'SyncPageIngested');
    const fault = { code: 'STATEMENT_FILE_INVALID', message: 'x', source: 'a', place: '1' };
    const pages = Array.from({ length: 30 }, () =>
      recordedEvent('syncRun', 'y-1', {
        type: 'SyncPageIngested',
        data: { ...(page?.data as object), faults: Array(100).fill(fault) },
      }),
    );
    const [document] = foldOne(syncRuns, [...first, ...pages]).values();
    expect(document?.faults).toHaveLength(1_000);
  });
});

/** The events once more, of other entities and assignments where they name some. */
function again(history: readonly RecordedEvent[], round: number): RecordedEvent[] {
  const renamed = /"(assignmentId|referenceKey|label|title|name|transactionId|ruleId)":"/g;
  return history
    .filter(({ type }) => !BEGINS.test(type))
    .map((event, index) => ({
      ...event,
      id: `${round}/${event.id}`,
      position: String(10_000_000 + round * 1_000 + index).padStart(16, '0'),
      data: JSON.parse(JSON.stringify(event.data).replaceAll(renamed, (member) => `${member}${round}-`)),
    }));
}
