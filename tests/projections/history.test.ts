import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RecordedEvent } from '../../src/events/event.ts';
import type { KnownEvent } from '../../src/events/registry.ts';
import { blockOf, entriesOf, history } from '../../src/projections/history.ts';
import { logMoments } from '../../src/projections/log-moments.ts';
import { seals } from '../../src/projections/seals.ts';
import { AT, createdRule } from '../support/facts.ts';
import { given } from '../support/projection-specification.ts';
import { foldOne, recordedEvent } from '../support/recorded-events.ts';

const rule = (fact: { readonly type: string; readonly data: unknown }) =>
  recordedEvent('transactionRule', 'history-rule', fact);
const created = rule(createdRule());
const paused = rule({ type: 'RulePaused', data: { version: 2, pausedAt: AT } });

const paused100 = Array.from({ length: 100 }, () => paused);
const at = (event: RecordedEvent, position: string, changes: Partial<RecordedEvent> = {}): RecordedEvent => {
  const id = `${'0'.repeat(8)}-0000-4000-8000-${position.slice(-12).padStart(12, '0')}`;
  return { ...event, position, id, ...changes };
};
const counted = (n: number): string => String(n).padStart(16, '0');
const offset = (commit: number, prepare = commit): string =>
  `${String(commit).padStart(20, '0')}-${String(prepare).padStart(20, '0')}`;
const entries = (events: readonly RecordedEvent[]) =>
  [...foldOne(history, events).values()].flatMap((block) => entriesOf(block));

describe('history', () => {
  const both = [at(created, counted(501)), at(paused, counted(502))];

  it('events of one tenant beside each other are in one block, under their positions, what they share only once', () => {
    given(history, both).then({
      _id: 'tenant/00000000000005',
      _position: counted(502),
      tenantId: 'tenant',
      block: '00000000000005',
      newestAt: created.recordedAt,
      eventTypes: ['RuleCreated', 'RulePaused'],
      correlationIds: ['request'],
      actorIds: ['key'],
      companyIds: ['company'],
      streams: ['transactionRule/history-rule'],
      moments: [created.recordedAt],
      positionEnds: ['01', '02'],
      eventIdStarts: ['00000000-0000-4000-8000-0000', '00000000-0000-4000-8000-0000'],
      eventIdEnds: ['00000501', '00000502'],
      revisions: [0, 1],
      eventTypePlaces: [0, 1],
      correlationPlaces: [0, 0],
      actorPlaces: [0, 0],
      companyPlaces: [0, 0],
      streamPlaces: [0, 0],
      momentPlaces: [0, 0],
    });
  });

  it('an entry says where the event is, of what, and who caused it by which request', () => {
    const [first, second] = both;
    const ofRule = { tenantId: 'tenant', companyId: 'company', entityType: 'rule', entityId: 'history-rule' } as const;
    const by = { stream: created.stream, actorId: 'key', correlationId: 'request', recordedAt: created.recordedAt };
    expect(entries(both)).toEqual([
      { ...ofRule, ...by, position: first?.position, eventId: first?.id, eventType: 'RuleCreated', revision: 0 },
      { ...ofRule, ...by, position: second?.position, eventId: second?.id, eventType: 'RulePaused', revision: 1 },
    ]);
  });

  it('an event without a company and without an entity that people see is still listed', () => {
    const event = recordedEvent('session', 'session', { type: 'SessionEnded', data: { endedAt: AT } });
    given(history, [{ ...event, metadata: { ...event.metadata, companyId: null } }])
      .then({ companyIds: [], companyPlaces: [null] })
      .thenOf(
        (block) => entriesOf(block).map(({ entityType, entityId, companyId }) => [entityType, entityId, companyId]),
        [[null, 'session', null]],
      );
  });

  it('a stream that names another tenant is listed under its whole name', () => {
    const event = { ...created, stream: 'transactionRule-another_history-rule' };
    given(history, [event]).then({ streams: [event.stream] });
    expect(entries([event])).toMatchObject([{ stream: event.stream, entityType: 'rule', entityId: 'history-rule' }]);
  });

  it('events that a block has already change nothing', () => {
    given(history, both).thenUnchangedBy(both);
  });

  it('the latest moment of a block stays the latest when the clock goes back', () => {
    const earlier = at(paused, counted(502), { recordedAt: '2020-01-01T00:00:00.000Z' });
    given(history, [at(created, counted(501)), earlier]).then({ newestAt: created.recordedAt });
  });

  it('a block of a log that counts holds 100 events, the first and the last of them too', () => {
    const events = [...paused100, ...paused100].map((event, nth) => at(event, counted(100 + nth)));
    const blocks = [...foldOne(history, events).values()];
    expect(blocks.map(({ block, positionEnds }) => [block, positionEnds.length])).toEqual([
      ['00000000000001', 100],
      ['00000000000002', 100],
    ]);
    expect(entries(events).map(({ position }) => position)).toEqual(events.map(({ position }) => position));
  });

  it('events give the same blocks folded one by one and several at once, and leave the block they are added to as it was', () => {
    const of = fc.record({
      type: fc.constantFrom('RuleCreated', 'RulePaused', 'RuleResumed'),
      stream: fc.constantFrom(created.stream, 'transactionRule-another_history-rule', 'session-tenant_one'),
      revision: fc.nat(5),
      recordedAt: fc.constantFrom(created.recordedAt, '2020-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'),
      companyId: fc.constantFrom(null, 'company', 'another'),
      correlationId: fc.constantFrom('request', 'second request'),
    });
    fc.assert(
      fc.property(fc.array(of, { minLength: 1, maxLength: 30 }), fc.nat(29), (changes, cut) => {
        const events = changes.map(({ companyId, correlationId, ...change }, nth) => {
          const metadata = { ...created.metadata, companyId, correlationId };
          return at(created, counted(500 + nth), { ...change, metadata }) as KnownEvent;
        });
        const key = history.keys(events[0] as KnownEvent)[0] as string;
        const [before] = foldOne(history, events.slice(0, cut)).values();
        const untouched = structuredClone(before);
        const after = history.evolveAll?.(before, events.slice(cut), key);
        expect(before).toEqual(untouched);
        const [whole] = foldOne(history, events).values();
        expect({ ...after, _position: whole?._position }).toEqual(whole);
      }),
    );
  });

  it('a block of a log of offsets holds what 100,000 bytes hold, and all of one append', () => {
    const places = [0, 99_999, 100_000, 100_000, 199_999, 200_000].map((commit, nth) => offset(commit, commit + nth));
    const events = places.map((position) => at(paused, position));
    const blocks = [...foldOne(history, events).values()];
    expect(blocks.map(({ block, positionEnds }) => [block, positionEnds.length])).toEqual([
      ['000000000000000', 2],
      ['000000000000001', 3],
      ['000000000000002', 1],
    ]);
    expect(entries(events).map(({ position }) => position)).toEqual(places);
  });

  it('a full block takes few bytes an event', () => {
    const events = paused100.map((event, nth) => at(event, counted(300 + nth)));
    const [block] = foldOne(history, events).values();
    expect(JSON.stringify(block).length).toBeLessThan(100 * 80);
  });

  it('blocks are ordered as positions are, and the start of a log is before all of them', () => {
    for (const places of [
      [1, 99, 100, 12_345].map(counted),
      [1, 99_999, 100_000, 12_345_678].map((place) => offset(place)),
    ]) {
      const blocks = ['', ...places].map(blockOf);
      expect(blocks.toSorted()).toEqual(blocks);
      expect(new Set(blocks).size).toBe(4);
    }
  });

  it('refuses a block that names a value which it does not hold, instead of showing another', () => {
    const [block] = foldOne(history, both).values();
    if (block === undefined) throw new Error('no block');
    expect(() => entriesOf({ ...block, eventTypePlaces: [0, 7] })).toThrow(RangeError);
  });
});
describe('moments of the log', () => {
  it('a minute has the position of its first event', () => {
    const since = (recordedAt: string) => ({ ...rule({ type: 'RuleResumed', data: {} }), recordedAt });
    const [first, second, third] = [
      since('2026-01-05T10:00:00.000Z'),
      since('2026-01-05T10:00:59.999Z'),
      since('2026-01-05T10:01:00.000Z'),
    ];
    given(logMoments, [first, second, third]).thenDocuments(
      [
        { minute: '2026-01-05T10:00', firstPosition: first.position, firstRecordedAt: first.recordedAt },
        { minute: '2026-01-05T10:01', firstPosition: third.position, firstRecordedAt: third.recordedAt },
      ],
      ({ minute }) => Date.parse(`${minute}Z`),
    );
  });
});

describe('seals', () => {
  it('a seal is listed with what it covers and where it is, without the fingerprints of its events', () => {
    const covers = { ordinal: 1, eventCount: 2, totalCount: 2, toPosition: paused.position, root: 'root' };
    const sealed = { ...covers, publicKey: 'key', sealedAt: AT };
    const data = { ...sealed, fingerprints: 'AAAA', previousHash: null, signature: 'signature' };
    given(seals, [recordedEvent('seal', 'seals', { type: 'TenantSealed', data })])
      .then({ ...sealed, revision: 0 })
      .thenOf((document) => 'fingerprints' in document, false);
  });
});
