import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ruleSnapshotHash } from '../../src/commands/create-rule.ts';
import { checkConditions } from '../../src/deciders/conditions/check-conditions.ts';
import { compileConditions } from '../../src/deciders/conditions/compile-conditions.ts';
import { indexRules } from '../../src/deciders/conditions/index-rules.ts';
import { prepareSubject } from '../../src/deciders/conditions/subject.ts';
import type { ConditionGroup } from '../../src/events/conditions.ts';
import { parseJson } from '../../src/http/core/json.ts';
import { jsonNumber } from '../../src/http/core/json-number.ts';
import { conditionsResource } from '../../src/http/resources/condition-value.ts';
import { decimal, subtract } from '../../src/shared/money.ts';
import { recordedData } from '../support/facts.ts';

/** Any amount there may be, the longest ones often. */
const amounts = fc
  .tuple(fc.boolean(), fc.integer({ min: 1, max: 18 }), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.nat(99_999))
  .map(([isNegative, digits, whole, fraction]) => {
    const text = `${String(whole).slice(0, digits)}.${String(fraction).padStart(5, '0')}`;
    return decimal(isNegative ? `-${text}` : text);
  });

const LONG = '12345678901234567.89';

function conditionsOf(json: string): ConditionGroup {
  const checked = checkConditions(parseJson(json));
  if (!checked.ok) throw new Error(checked.faults[0]?.message);
  return checked.conditions;
}

const equals = (token: string): string =>
  `{"combinator":"all","children":[{"field":"amount","operator":"equals","value":${token}}]}`;
const between = (low: string, high: string): string =>
  `{"combinator":"all","children":[{"field":"amount","operator":"between","value":[${low},${high}]}]}`;

function matches(conditions: ConditionGroup, amount: string): boolean {
  const prepared = prepareSubject(recordedData({ amount }));
  const found = indexRules([{ id: 'rule', conditions }]).matching(prepared).length === 1;
  expect(compileConditions(conditions).matches(prepared)).toBe(found);
  return found;
}

describe('an amount in JSON', () => {
  it('is answered with all its digits', () => {
    expect(JSON.stringify({ amount: jsonNumber(LONG) })).toBe(`{"amount":${LONG}}`);
    fc.assert(
      fc.property(amounts, (amount) => {
        expect(JSON.stringify([jsonNumber(amount)])).toBe(`[${amount}]`);
      }),
      { numRuns: 1_000 },
    );
  });

  it('keeps every digit as the value of a condition, matches that very amount and is returned as it was sent', () => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const conditions = conditionsOf(equals(amount));
        expect(matches(conditions, amount)).toBe(true);
        expect(matches(conditions, subtract(amount, '0.00001'))).toBe(false);
        expect(JSON.stringify(conditionsResource(conditions))).toBe(equals(amount));
        // As it is stored, and read again.
        expect(matches(JSON.parse(JSON.stringify(conditions)), amount)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('is compared exactly at both ends of a span', () => {
    const conditions = conditionsOf(between(LONG, '12345678901234567.9'));
    expect([LONG, '12345678901234567.9'].map((amount) => matches(conditions, amount))).toEqual([true, true]);
    expect(['12345678901234567.88', '12345678901234567.91'].map((one) => matches(conditions, one))).toEqual([
      false,
      false,
    ]);
    expect(JSON.stringify(conditionsResource(conditions))).toBe(between(LONG, '12345678901234567.9'));
    expect(checkConditions(parseJson(between('12345678901234567.9', LONG)))).toMatchObject({ ok: false });
  });

  it('is stored as a number where a number holds it, so that what a rule does keeps its hash', () => {
    const stored = (token: string) => conditionsOf(equals(token)).children[0];
    expect(stored('12.50')).toMatchObject({ value: 12.5 });
    expect(stored('12345678901234568')).toMatchObject({ value: 12345678901234568 });
    expect(stored(LONG)).toMatchObject({ value: LONG });
    const hash = (conditions: unknown) => ruleSnapshotHash({ conditions: conditions as never, actions: [], tags: [] });
    expect(hash(conditionsOf(equals('12.50')))).toBe(hash(JSON.parse(equals('12.5'))));
  });

  it.each([`"${LONG}"`, '1234567890123456789', '0.123456789012345678', '1e30'])('is refused as %s', (token) => {
    expect(checkConditions(parseJson(equals(token)))).toMatchObject({
      ok: false,
      code: 'RULE_CONDITION_INVALID',
      faults: [{ path: 'conditions.children.0.value' }],
    });
  });
});
