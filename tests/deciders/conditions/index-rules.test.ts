import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConditionSubject } from '../../../src/deciders/conditions/condition.ts';
import { indexRules } from '../../../src/deciders/conditions/index-rules.ts';
import { prepareSubject } from '../../../src/deciders/conditions/subject.ts';
import type { ConditionGroup } from '../../../src/events/conditions.ts';
import { conditions, subjects } from './generated-conditions.ts';
import { naively } from './reference-evaluator.ts';

const rulesOf = (trees: readonly ConditionGroup[]) =>
  trees.map((tree, index) => ({ id: `r${index}`, conditions: tree }));

const subject: ConditionSubject = {
  bankCode: 'demo',
  accountId: 'acc-1',
  subAccountKey: null,
  iban: 'TR33 42',
  nameSurname: null,
  idNo: '',
  description: 'FATURA 0042 ödemesi',
  code: null,
  currency: 'TRY',
  amount: '42',
  balance: null,
  incoming: true,
  findAI: false,
  transactionDate: '2025-03-31T00:00:00.000Z',
};

describe('indexRules', () => {
  it('gives what trying every rule gives, in the order of the rules', () => {
    fc.assert(
      fc.property(fc.array(conditions, { maxLength: 12 }), fc.array(subjects, { maxLength: 4 }), (trees, seen) => {
        const index = indexRules(rulesOf(trees));
        for (const one of seen) {
          const expected = rulesOf(trees).filter((rule) => naively(rule.conditions, one));
          expect(index.matching(prepareSubject(one))).toEqual(expected.map(({ id }) => id));
          expect(index.candidates(prepareSubject(one))).toEqual(expect.arrayContaining(expected.map(({ id }) => id)));
        }
      }),
      { numRuns: 1_000 },
    );
  });

  const numbered = (condition: (number: string) => ConditionGroup['children'][number]) =>
    indexRules(
      rulesOf(
        Array.from({ length: 1_000 }, (_, number) => ({
          combinator: 'all' as const,
          children: [
            { field: 'bankCode' as const, operator: 'equals' as const, value: 'demo' },
            condition(String(number).padStart(4, '0')),
          ],
        })),
      ),
    );

  it.each<[string, (number: string) => ConditionGroup['children'][number], number]>([
    ['an IBAN', (number) => ({ field: 'iban', operator: 'equals', value: `tr33 ${Number(number)}` }), 1],
    ['a list', (number) => ({ field: 'iban', operator: 'in', value: [`tr33 ${Number(number)}`, `x${number}`] }), 1],
    ['an amount', (number) => ({ field: 'amount', operator: 'equals', value: Number(number) }), 1],
    ['a fragment', (number) => ({ field: 'description', operator: 'contains', value: `fatura ${number}` }), 40],
    [
      'a choice below',
      (number) => ({
        combinator: 'any',
        children: [
          { field: 'iban', operator: 'equals', value: `tr33 ${Number(number)}` },
          { field: 'idNo', operator: 'equals', value: `9${number}` },
        ],
      }),
      1,
    ],
  ])('tries few of 1,000 rules that share a bank and differ by %s', (_what, condition, most) => {
    const index = numbered(condition);
    expect(index.matching(prepareSubject(subject))).toEqual(['r42']);
    expect(index.candidates(prepareSubject(subject)).length).toBeLessThanOrEqual(most);
  });

  it('gives the compiled conditions of a rule by its id', () => {
    const index = indexRules(rulesOf([{ combinator: 'none', children: [{ field: 'code', operator: 'is_empty' }] }]));
    expect(index.size).toBe(1);
    expect(index.get('r0')?.matches(prepareSubject(subject))).toBe(false);
    expect(index.get('r1')).toBeUndefined();
  });
});
