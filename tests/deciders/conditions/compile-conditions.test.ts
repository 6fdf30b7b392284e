import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileConditions, explainConditions } from '../../../src/deciders/conditions/compile-conditions.ts';
import type { ConditionSubject } from '../../../src/deciders/conditions/condition.ts';
import { prepareSubject } from '../../../src/deciders/conditions/subject.ts';
import type { Condition, ConditionGroup } from '../../../src/events/conditions.ts';
import { conditions, subjects } from './generated-conditions.ts';
import { naively } from './reference-evaluator.ts';

const subject: ConditionSubject = {
  bankCode: 'demo',
  accountId: 'acc-1',
  subAccountKey: null,
  iban: 'TR330006100519786457841326',
  nameSurname: 'İŞ  BANKASI A.Ş.',
  idNo: '',
  description: 'KİRA ödemesi Mart\n2025 Straße №7',
  code: null,
  currency: 'TRY',
  amount: '1250.5',
  balance: null,
  incoming: true,
  findAI: false,
  transactionDate: '2025-03-31T22:30:00.000Z',
};

const holds = (condition: Condition, seen: ConditionSubject = subject) =>
  compileConditions({ combinator: 'all', children: [condition] }).matches(prepareSubject(seen));

describe('compileConditions', () => {
  it.each<[Condition, boolean]>([
    [{ field: 'nameSurname', operator: 'equals', value: 'iş bankası a.ş.' }, true],
    [{ field: 'nameSurname', operator: 'equals', value: 'iş bankası' }, false],
    [{ field: 'nameSurname', operator: 'in', value: ['x', 'Iş BANKASI A.Ş.'] }, true],
    [{ field: 'description', operator: 'contains', value: 'kıra  ÖDEMESI' }, true],
    [{ field: 'description', operator: 'contains', value: 'MART 2025 strasse no7' }, true],
    [{ field: 'description', operator: 'starts_with', value: 'ödemesi' }, false],
    [{ field: 'description', operator: 'ends_with', value: 'NO7' }, true],
    [{ field: 'idNo', operator: 'is_empty' }, true],
    [{ field: 'idNo', operator: 'equals', value: '' }, true],
    [{ field: 'code', operator: 'is_empty' }, true],
    [{ field: 'code', operator: 'is_not_empty' }, false],
    [{ field: 'amount', operator: 'equals', value: 1250.5 }, true],
    [{ field: 'amount', operator: 'between', value: [1250.5, 1250.5] }, true],
    [{ field: 'amount', operator: 'greater_than', value: 1250.49999 }, true],
    [{ field: 'amount', operator: 'greater_than', value: 1250.5 }, false],
    [{ field: 'incoming', operator: 'equals', value: true }, true],
    [{ field: 'transactionDate', operator: 'before', value: '2025-04-01' }, true],
    [{ field: 'transactionDate', operator: 'before', value: '2025-03-31' }, false],
    [{ field: 'transactionDate', operator: 'after', value: '2025-03-31' }, false],
    [{ field: 'transactionDate', operator: 'after', value: '2025-03-30' }, true],
    [{ field: 'transactionDate', operator: 'after', value: '2025-04-01T01:29:59.999+03:00' }, true],
    [{ field: 'transactionDate', operator: 'after', value: '2025-03-31T22:30:00.000Z' }, false],
    [{ field: 'transactionDate', operator: 'between', value: ['2025-03-31', '2025-04-01'] }, true],
    [{ field: 'transactionDate', operator: 'between', value: ['2025-03-01', '2025-03-31T22:30:00Z'] }, false],
    [{ field: 'transactionDate', operator: 'day_of_month', value: 31 }, true],
    [{ field: 'transactionDate', operator: 'day_of_month', value: [1, 15] }, false],
  ])('%j is %s', (condition, expected) => {
    expect(holds(condition)).toBe(expected);
  });

  it.each<[string, boolean]>([
    ['kira ödemesi', true],
    ['^KIRA.*7$', true],
    ['MART 20\\d\\d', true],
    ['mart\\n', false],
    ['(?-i)KIRA', true],
    ['(?-i)kira', false],
    ['KİRA|yok', true],
    ['k[ıi]ra', true],
    ['ki\u0307ra', true],
    ['straße', true],
    ['№7', true],
    ['no7（', false],
    ['\\bödemesi\\b', false],
  ])('finds the pattern %j: %s', (pattern, expected) => {
    expect(holds({ field: 'description', operator: 'matches', value: pattern })).toBe(expected);
  });

  it('answers a hostile pattern on a long text with a bounded automaton', () => {
    const long = { ...subject, description: 'ab'.repeat(5_000) };
    expect(holds({ field: 'description', operator: 'matches', value: '(x+x+)+y' }, long)).toBe(false);
    expect(holds({ field: 'description', operator: 'matches', value: '(a|b)*a(a|b){100}c' }, long)).toBe(false);
  });

  it('matches null by no positive operator and by every negated one', () => {
    const unknown = { ...subject, description: null, amount: null, transactionDate: null };
    const operators: [Condition, boolean][] = [
      [{ field: 'description', operator: 'equals', value: '' }, false],
      [{ field: 'description', operator: 'in', value: [''] }, false],
      [{ field: 'description', operator: 'contains', value: 'x' }, false],
      [{ field: 'description', operator: 'starts_with', value: 'x' }, false],
      [{ field: 'description', operator: 'ends_with', value: 'x' }, false],
      [{ field: 'description', operator: 'matches', value: '.*' }, false],
      [{ field: 'description', operator: 'is_not_empty' }, false],
      [{ field: 'description', operator: 'is_empty' }, true],
      [{ field: 'description', operator: 'not_equals', value: 'x' }, true],
      [{ field: 'description', operator: 'not_in', value: ['x'] }, true],
      [{ field: 'description', operator: 'not_contains', value: 'x' }, true],
      [{ field: 'amount', operator: 'equals', value: 0 }, false],
      [{ field: 'amount', operator: 'at_most', value: 0 }, false],
      [{ field: 'amount', operator: 'between', value: [-1, 1] }, false],
      [{ field: 'amount', operator: 'not_equals', value: 0 }, true],
      [{ field: 'transactionDate', operator: 'before', value: '2999-01-01' }, false],
      [{ field: 'transactionDate', operator: 'after', value: '1900-01-01' }, false],
      [{ field: 'transactionDate', operator: 'day_of_month', value: 1 }, false],
    ];
    expect(operators.map(([condition]) => [condition, holds(condition, unknown)])).toEqual(operators);
  });

  it('compares amounts beyond the precision of floating point', () => {
    const large = { ...subject, amount: '900719925474099.30001' };
    expect(holds({ field: 'amount', operator: 'greater_than', value: 900719925474099.2 }, large)).toBe(true);
    expect(holds({ field: 'amount', operator: 'equals', value: 900719925474099.2 }, large)).toBe(false);
  });

  it('agrees with the plain evaluator on any tree and subject', () => {
    fc.assert(
      fc.property(conditions, subjects, (tree, seen) => {
        expect(compileConditions(tree).matches(prepareSubject(seen))).toBe(naively(tree, seen));
      }),
      { numRuns: 3_000 },
    );
  });

  it('throws for a tree that was never checked', () => {
    const unchecked = {
      combinator: 'all',
      children: [{ field: 'amount', operator: 'equals', value: 'x' }],
    } as ConditionGroup;
    expect(() => compileConditions(unchecked)).toThrow('conditions.children.0 has not been checked');
  });
});

describe('explainConditions', () => {
  it('lists every condition in order with the value it saw, whether or not it decided', () => {
    const tree: ConditionGroup = {
      combinator: 'any',
      children: [
        { field: 'incoming', operator: 'equals', value: true },
        {
          combinator: 'none',
          children: [
            { field: 'amount', operator: 'at_least', value: 2000 },
            { field: 'code', operator: 'is_empty' },
          ],
        },
      ],
    };
    expect(explainConditions(tree, subject)).toEqual([
      { path: 'conditions.children.0', field: 'incoming', operator: 'equals', value: true, seen: true, held: true },
      {
        path: 'conditions.children.1.children.0',
        field: 'amount',
        operator: 'at_least',
        value: 2000,
        seen: '1250.5',
        held: false,
      },
      {
        path: 'conditions.children.1.children.1',
        field: 'code',
        operator: 'is_empty',
        value: null,
        seen: null,
        held: true,
      },
    ]);
  });

  it('says of each condition what the plain evaluator says', () => {
    fc.assert(
      fc.property(conditions, subjects, (tree, seen) => {
        for (const { field, operator, value, held } of explainConditions(tree, seen)) {
          const condition = { field, operator, ...(value === null ? {} : { value }) };
          expect(held).toBe(naively(condition, seen));
        }
      }),
    );
  });
});
