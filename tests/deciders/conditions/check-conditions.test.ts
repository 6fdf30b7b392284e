import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkConditions } from '../../../src/deciders/conditions/check-conditions.ts';
import { conditions } from './generated-conditions.ts';

const one = (condition: unknown) => ({ combinator: 'all', children: [condition] });
const fine = { field: 'bankCode', operator: 'equals', value: 'demo' };
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

function nested(levels: number): unknown {
  let node: unknown = fine;
  for (let level = 0; level < levels; level += 1) node = one(node);
  return node;
}

describe('checkConditions', () => {
  it('treats children without a combinator as a group of which all must hold', () => {
    const child = { field: 'incoming', operator: 'equals', value: true };
    const nested = { children: [{ children: [child] }] };
    expect(checkConditions(nested)).toEqual({
      ok: true,
      conditions: { combinator: 'all', children: [{ combinator: 'all', children: [child] }] },
    });
    expect(checkConditions({ combinator: null, children: [child] })).toMatchObject({ ok: false });
  });

  it('returns a copy of what it accepts', () => {
    const given = one({ combinator: 'any', children: [fine, { field: 'idNo', operator: 'is_empty' }] });
    const checked = checkConditions(given);
    expect(checked).toEqual({ ok: true, conditions: given });
    expect(checked.ok && checked.conditions).not.toBe(given);
  });

  it('accepts every tree of the generator that the other tests use', () => {
    fc.assert(
      fc.property(conditions, (tree) => {
        expect(checkConditions(tree)).toEqual({ ok: true, conditions: tree });
      }),
    );
  });

  it.each([
    [{ field: 'amount', operator: 'equals', value: 12.34567 }],
    [{ field: 'balance', operator: 'between', value: [-5, -5] }],
    [{ field: 'incoming', operator: 'equals', value: false }],
    [{ field: 'code', operator: 'equals', value: '' }],
    [{ field: 'iban', operator: 'in', value: times(100, 'x'.repeat(500)) }],
    [{ field: 'description', operator: 'matches', value: 'x'.repeat(500) }],
    [{ field: 'transactionDate', operator: 'before', value: '2024-02-29' }],
    [{ field: 'transactionDate', operator: 'after', value: '2024-02-29T23:59:59.999+03:00' }],
    [{ field: 'transactionDate', operator: 'between', value: ['2024-02-01', '2024-03-01T00:00Z'] }],
    [{ field: 'transactionDate', operator: 'day_of_month', value: 31 }],
    [{ field: 'transactionDate', operator: 'day_of_month', value: [1, 15] }],
  ])('accepts %j', (condition) => {
    expect(checkConditions(one(condition))).toMatchObject({ ok: true });
  });

  it.each([
    ['a number below', { ...fine, value: 5 }, '.value'],
    ['a text too long', { ...fine, value: 'x'.repeat(501) }, '.value'],
    ['no value', { field: 'bankCode', operator: 'equals' }, '.value'],
    ['an unknown field', { ...fine, field: 'tags' }, '.field'],
    ['a field of the prototype', { ...fine, field: 'constructor' }, '.field'],
    ['no field', { operator: 'equals', value: 'x' }, '.field'],
    ['an unknown operator', { ...fine, operator: 'like' }, '.operator'],
    ['an operator of another kind', { ...fine, operator: 'between' }, '.operator'],
    ['another property', { ...fine, caseSensitive: true }, '.caseSensitive'],
    ['__proto__', JSON.parse('{"field":"code","operator":"is_empty","__proto__":{}}'), '.__proto__'],
    ['an empty list', { field: 'iban', operator: 'in', value: [] }, '.value'],
    ['a list too long', { field: 'iban', operator: 'not_in', value: times(101, 'x') }, '.value'],
    ['a number in the list', { field: 'iban', operator: 'in', value: ['x', 1] }, '.value.1'],
    ['a text for the list', { field: 'iban', operator: 'in', value: 'x' }, '.value'],
    ['a blank fragment', { field: 'iban', operator: 'contains', value: ' \u00a0' }, '.value'],
    ['a value for is_empty', { field: 'iban', operator: 'is_empty', value: '' }, '.value'],
    ['null for is_empty', { field: 'iban', operator: 'is_empty', value: null }, '.value'],
    ['a broken pattern', { field: 'iban', operator: 'matches', value: '(' }, '.value'],
    ['an empty pattern', { field: 'iban', operator: 'matches', value: '' }, '.value'],
    ['a backreference', { field: 'iban', operator: 'matches', value: '(a)\\1' }, '.value'],
    ['a lookahead', { field: 'iban', operator: 'matches', value: '(?=a)' }, '.value'],
    ['repeats of repeats', { field: 'iban', operator: 'matches', value: '((a{1,10}){10}){10}' }, '.value'],
    ['more repeats than RE2 takes', { field: 'iban', operator: 'matches', value: 'a{1001}' }, '.value'],
    ['an amount as a text', { field: 'amount', operator: 'equals', value: '5' }, '.value'],
    ['an amount that is not finite', { field: 'amount', operator: 'equals', value: Number.NaN }, '.value'],
    ['six decimals', { field: 'amount', operator: 'at_most', value: 0.000001 }, '.value'],
    ['19 digits', { field: 'amount', operator: 'at_most', value: 1e18 }, '.value'],
    ['a span upside down', { field: 'amount', operator: 'between', value: [2, 1] }, '.value'],
    ['a span of one', { field: 'amount', operator: 'between', value: [2] }, '.value'],
    ['a span of texts', { field: 'amount', operator: 'between', value: [1, '2'] }, '.value.1'],
    ['a flag as a text', { field: 'incoming', operator: 'equals', value: 'true' }, '.value'],
    ['another operator on a flag', { field: 'findAI', operator: 'not_equals', value: true }, '.operator'],
    ['30 February', { field: 'transactionDate', operator: 'before', value: '2024-02-30' }, '.value'],
    ['30 February at noon', { field: 'transactionDate', operator: 'after', value: '2024-02-30T12:00:00Z' }, '.value'],
    ['no offset', { field: 'transactionDate', operator: 'before', value: '2024-02-20T12:00:00' }, '.value'],
    ['a time out of the day', { field: 'transactionDate', operator: 'before', value: '2024-02-20T25:00Z' }, '.value'],
    [
      'a span of no time',
      { field: 'transactionDate', operator: 'between', value: ['2024-02-01', '2024-02-01'] },
      '.value',
    ],
    ['day 0', { field: 'transactionDate', operator: 'day_of_month', value: 0 }, '.value'],
    ['day 32 in a list', { field: 'transactionDate', operator: 'day_of_month', value: [1, 32] }, '.value.1'],
    ['half a day', { field: 'transactionDate', operator: 'day_of_month', value: 1.5 }, '.value'],
    ['null', null, ''],
    ['a text', 'x', ''],
    ['a list', [], ''],
  ])('refuses %s, and says where', (_what, condition, place) => {
    expect(checkConditions(one(condition))).toMatchObject({
      ok: false,
      code: 'RULE_CONDITION_INVALID',
      faults: [{ path: `conditions.children.0${place}` }],
    });
  });

  it.each([
    ['nothing', undefined, 'conditions'],
    ['a bare condition', fine, 'conditions.field'],
    ['another combinator', { combinator: 'some', children: [fine] }, 'conditions.combinator'],
    ['no children', { combinator: 'all', children: [] }, 'conditions.children'],
    ['three children at the root', { combinator: 'all', children: times(3, fine) }, 'conditions.children'],
    ['children that are no list', { combinator: 'all', children: fine }, 'conditions.children'],
    ['21 children below', one({ combinator: 'any', children: times(21, fine) }), 'conditions.children.0.children'],
    ['a group with a field', one({ ...fine, children: [fine] }), 'conditions.children.0.field'],
  ])('refuses %s', (_what, tree, path) => {
    const checked = checkConditions(tree);
    expect(checked).toMatchObject({ ok: false, code: 'RULE_CONDITION_INVALID' });
    expect(checked.ok ? null : checked.faults[0]?.path).toBe(path);
  });

  it('lists every fault, each with its place', () => {
    const tree = {
      combinator: 'some',
      children: [
        { field: 'colour', operator: 'equals', value: 'red' },
        { combinator: 'any', more: 1, children: [{ ...fine, operator: 'like' }, fine, 7] },
      ],
    };
    const checked = checkConditions(tree);
    if (checked.ok) throw new Error('was accepted');
    expect(checked.faults.map(({ path }) => path)).toEqual([
      'conditions.combinator',
      'conditions.children.0.field',
      'conditions.children.1.more',
      'conditions.children.1.children.0.operator',
      'conditions.children.1.children.2',
    ]);
    expect(checked.faults[1]?.message).toMatch(/^must be one of bankCode, accountId, .*transactionDate/);
  });

  it('lists at most 20 faults, however many there are', () => {
    const wide = { combinator: 'all', children: times(2, { combinator: 'any', children: times(20, { field: 'x' }) }) };
    const checked = checkConditions(wide);
    expect(checked.ok ? 0 : checked.faults.length).toBe(20);
    const keys = checkConditions({ ...Object.fromEntries(times(500, 1).map((one, at) => [`key${at}`, one])) });
    expect(keys.ok ? 0 : keys.faults.length).toBe(20);
  });

  it('takes three levels and 50 conditions, and no more', () => {
    const tens = (sizes: number[]) => ({
      combinator: 'all',
      children: [
        { combinator: 'any', children: sizes.map((size) => ({ combinator: 'none', children: times(size, fine) })) },
      ],
    });
    expect(checkConditions(nested(3))).toMatchObject({ ok: true });
    expect(checkConditions(tens([20, 20, 10]))).toMatchObject({ ok: true });
    expect(checkConditions(nested(4))).toMatchObject({ ok: false, code: 'RULE_TOO_COMPLEX' });
    expect(checkConditions(tens([20, 20, 11]))).toMatchObject({ ok: false, code: 'RULE_TOO_COMPLEX' });
  });

  it('refuses a tree of 100,000 levels, of a million children, and a value as deep, without harm', () => {
    expect(checkConditions(nested(100_000))).toMatchObject({ ok: false, code: 'RULE_TOO_COMPLEX' });
    expect(checkConditions({ combinator: 'all', children: times(1_000_000, fine) })).toMatchObject({
      ok: false,
      code: 'RULE_TOO_COMPLEX',
    });
    expect(checkConditions(one({ ...fine, value: nested(100_000) }))).toMatchObject({
      ok: false,
      code: 'RULE_CONDITION_INVALID',
    });
  });

  it('accepts or refuses any JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(checkConditions(value).ok).toBe(false);
        expect(checkConditions({ combinator: 'all', children: [value] }).ok).toBe(false);
      }),
    );
  });
});
