import fc from 'fast-check';
import type { ConditionSubject } from '../../../src/deciders/conditions/condition.ts';
import { type Condition, type ConditionGroup, TEXT_FIELDS } from '../../../src/events/conditions.ts';

/** Few words and few values, so that conditions often hold. */
const WORDS = ['fatura', 'KİRA', 'kira', 'ISPARTA', 'ısparta', 'x', '7', 'ßtraße', 'STRASSE'];
const phrase = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join(' '));
const text = fc.oneof(phrase, fc.constant(''), fc.constant('  kira '));
const amount = fc.integer({ min: -6, max: 6 }).map((halves) => halves / 2);
const day = fc.integer({ min: 1, max: 9 }).map((number) => `2025-03-0${number}`);
const textField = fc.constantFrom(...TEXT_FIELDS.slice(3, 6));

const condition: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ field: textField, operator: fc.constantFrom('equals', 'not_equals'), value: text }),
  fc.record({
    field: textField,
    operator: fc.constantFrom('contains', 'not_contains', 'starts_with', 'ends_with'),
    value: phrase,
  }),
  fc.record({
    field: textField,
    operator: fc.constantFrom('in', 'not_in'),
    value: fc.array(text, { minLength: 1, maxLength: 3 }),
  }),
  fc.record({ field: textField, operator: fc.constantFrom('is_empty', 'is_not_empty') }),
  fc.record({
    field: fc.constantFrom('amount', 'balance'),
    operator: fc.constantFrom('equals', 'not_equals', 'greater_than', 'at_least', 'less_than', 'at_most'),
    value: amount,
  }),
  fc.record({
    field: fc.constantFrom('amount', 'balance'),
    operator: fc.constant('between'),
    value: fc.tuple(amount, amount).map((pair) => pair.sort((a, b) => a - b)),
  }),
  fc.record({
    field: fc.constantFrom('incoming', 'findAI'),
    operator: fc.constant('equals'),
    value: fc.boolean(),
  }),
  fc.record({ field: fc.constant('transactionDate'), operator: fc.constantFrom('before', 'after'), value: day }),
  fc.record({
    field: fc.constant('transactionDate'),
    operator: fc.constant('between'),
    value: fc.uniqueArray(day, { minLength: 2, maxLength: 2 }).map((pair) => pair.sort()),
  }),
  fc.record({
    field: fc.constant('transactionDate'),
    operator: fc.constant('day_of_month'),
    value: fc.oneof(
      fc.integer({ min: 1, max: 31 }),
      fc.array(fc.integer({ min: 1, max: 31 }), { minLength: 1, maxLength: 4 }),
    ),
  }),
) as fc.Arbitrary<Condition>;

function group(child: fc.Arbitrary<Condition | ConditionGroup>, most: number): fc.Arbitrary<ConditionGroup> {
  return fc.record({
    combinator: fc.constantFrom('all', 'any', 'none'),
    children: fc.array(child, { minLength: 1, maxLength: most }),
  });
}

const innermost = group(condition, 3);
const middle = group(fc.oneof(condition, innermost), 3);

/** Trees that the check lets through. */
export const conditions: fc.Arbitrary<ConditionGroup> = group(fc.oneof(condition, middle), 2);

const maybeText = fc.option(text, { freq: 4 });
const maybeAmount = fc.option(amount.map(String), { freq: 4 });

export const subjects: fc.Arbitrary<ConditionSubject> = fc.record({
  bankCode: fc.constant('demo'),
  accountId: fc.constant('a-1'),
  subAccountKey: fc.constant(null),
  iban: maybeText,
  nameSurname: maybeText,
  idNo: maybeText,
  description: maybeText,
  code: maybeText,
  currency: fc.constant('TRY'),
  amount: maybeAmount,
  balance: maybeAmount,
  incoming: fc.boolean(),
  findAI: fc.boolean(),
  transactionDate: fc.option(
    day.map((date) => `${date}T21:30:00.000Z`),
    { freq: 5 },
  ),
});
