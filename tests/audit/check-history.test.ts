import { expect, it } from 'vitest';
import { openHistoryCheck } from '../../src/audit/check-history.ts';
import { leafOf, type SealedForm } from '../../src/audit/leaf.ts';
import { makeSeal, openSealingKey, type Seal, sealHash } from '../../src/audit/seal.ts';

const key = openSealingKey(Buffer.alloc(32, 1));
const AT = '2026-03-01T12:00:00.000Z';

const form = (nth: number, type: string, data: unknown): SealedForm =>
  ({ id: `event-${nth}`, stream: 'one', revision: nth, type, data, recordedAt: AT, position: `${nth}` }) as never;

const sealOf = (before: Seal | null, covered: readonly SealedForm[]): Seal =>
  makeSeal(key, before === null ? null : { ...before, hash: sealHash(before) }, {
    leaves: covered.map(leafOf),
    toPosition: covered.at(-1)?.id ?? '',
    sealedAt: AT,
  });

/** Two seals that were appended only after all that both of them cover, as behind a large sync, and a third one. */
function lateSeals() {
  const events = [0, 1, 2, 3].map((nth) => form(nth, 'Noted', { nth }));
  const first = sealOf(null, events.slice(0, 2));
  const second = sealOf(first, events.slice(2));
  const seals = [form(4, 'TenantSealed', first), form(5, 'TenantSealed', second)];
  const third = sealOf(second, seals);
  return { events, second, seals, third: form(6, 'TenantSealed', third) };
}

it('finds no fault in seals that come after events of later ones, wherever the check begins', () => {
  const { events, second, seals, third } = lateSeals();
  const whole = openHistoryCheck(key.publicKey);
  for (const each of [...events, ...seals, third]) expect(whole.take(each)).toBeNull();
  const rest = openHistoryCheck(key.publicKey, second);
  for (const each of [...seals, third]) expect(rest.take(each)).toBeNull();
  expect(rest.counts()).toEqual({ events: 7, sealedEvents: 6, seals: 3 });
});

it('finds a change of such a seal by the seal that covers it', () => {
  const { second, seals, third } = lateSeals();
  const check = openHistoryCheck(key.publicKey, second);
  const [first, ...others] = seals as [SealedForm, ...SealedForm[]];
  const changed = { ...first, data: { ...(first.data as Seal), eventCount: 1 } } as SealedForm;
  const faults = [changed, ...others, third].map((each) => check.take(each));
  expect(faults.find((fault) => fault !== null)).toMatchObject({ kind: 'changed', eventId: 'event-4' });
});
