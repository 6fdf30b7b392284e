import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { currentVersion, type EventType } from '../../src/events/registry.ts';
import { transactionAsRecorded, transactions } from '../../src/projections/transactions.ts';
import { recordedData } from '../support/facts.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

type Sample = {
  readonly type: EventType;
  readonly schemaVersion: number;
  readonly data: Readonly<Record<string, unknown>>;
};

const FOLDER = new URL('../events/golden/', import.meta.url);
const changes = readdirSync(FOLDER)
  .map((name) => JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as Sample)
  .filter(({ type, schemaVersion }) => schemaVersion === currentVersion(type))
  .filter(({ type }) => transactions.takes.some((taken) => taken === type && taken !== 'TransactionRecorded'));
const types = new Set(changes.map(({ type }) => type));

/** The decider leaves the automation of a legacy transaction alone. */
const ofAnyStatus = changes.filter(({ type }) => !type.startsWith('TransactionAutomation'));

const life = fc.oneof(
  fc.record({ automation: fc.constant('pending' as const), since: fc.array(fc.constantFrom(...changes)) }),
  fc.record({ automation: fc.constant('legacy' as const), since: fc.array(fc.constantFrom(...ofAnyStatus)) }),
);

describe('a transaction as it was recorded', () => {
  it('is made from its document whatever happened to it since', () => {
    expect(types.size).toBe(transactions.takes.length - 1);
    let nth = 0;
    fc.assert(
      fc.property(life, ({ automation, since }) => {
        nth += 1;
        const transactionId = `t-${nth}`;
        const eventOf = ({ type, data }: Pick<Sample, 'type' | 'data'>) =>
          recordedEvent('bankTransaction', transactionId, { type, data });
        const data = recordedData({ transactionId, automation });
        const first = eventOf({ type: 'TransactionRecorded', data });
        const [then] = foldOne(transactions, [first]).values();
        const [now] = foldOne(transactions, [first, ...since.map(eventOf)]).values();
        if (now === undefined) throw new Error('the fold made no document');
        expect(transactionAsRecorded(now)).toEqual(then);
      }),
      { numRuns: 300 },
    );
  });
});
