import type { RuleCondition } from '../../../../sdk/src/index.ts';

export type FieldName = RuleCondition['field'];
export type Operator = RuleCondition['operator'];
export type ValueKind = 'text' | 'list' | 'number' | 'flag' | 'day' | 'dayOfMonth' | 'account';

/** In the order in which people look for them. */
export const FIELDS: readonly FieldName[] = [
  'description',
  'nameSurname',
  'iban',
  'amount',
  'incoming',
  'transactionDate',
  'currency',
  'code',
  'idNo',
  'accountId',
  'subAccountKey',
  'bankCode',
  'balance',
  'findAI',
];

const TEXT: readonly Operator[] = [
  'contains',
  'equals',
  'starts_with',
  'ends_with',
  'in',
  'matches',
  'not_contains',
  'not_equals',
  'not_in',
  'is_empty',
  'is_not_empty',
];
const NUMBER: readonly Operator[] = [
  'equals',
  'not_equals',
  'greater_than',
  'at_least',
  'less_than',
  'at_most',
  'between',
];
const DATE: readonly Operator[] = ['before', 'after', 'between', 'day_of_month'];

export function operatorsOf(field: FieldName): readonly Operator[] {
  if (field === 'amount' || field === 'balance') return NUMBER;
  if (field === 'incoming' || field === 'findAI') return ['equals'];
  return field === 'transactionDate' ? DATE : TEXT;
}

/** Whether the operator looks at no value. */
export function isUnary(operator: Operator): boolean {
  return operator === 'is_empty' || operator === 'is_not_empty';
}

/**
 * What is typed for it: one text, several (a line each), a number, yes or no, a day, a day of the month, an account.
 */
export function valueKind(field: FieldName, operator: Operator): ValueKind {
  if (field === 'amount' || field === 'balance') return 'number';
  if (field === 'incoming' || field === 'findAI') return 'flag';
  if (field === 'transactionDate') return operator === 'day_of_month' ? 'dayOfMonth' : 'day';
  if (operator === 'in' || operator === 'not_in') return 'list';
  return field === 'accountId' && (operator === 'equals' || operator === 'not_equals') ? 'account' : 'text';
}
