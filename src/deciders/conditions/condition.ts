import { type Decimal, decimal, decimalOf, isExactAsNumber } from '../../shared/money.ts';

export const TEXT_FIELDS = [
  'bankCode',
  'accountId',
  'subAccountKey',
  'iban',
  'nameSurname',
  'idNo',
  'description',
  'code',
  'currency',
] as const;
export const NUMBER_FIELDS = ['amount', 'balance'] as const;
export const FLAG_FIELDS = ['incoming', 'findAI'] as const;
export const DATE_FIELDS = ['transactionDate'] as const;

export const TEXT_OPERATORS = [
  'equals',
  'not_equals',
  'in',
  'not_in',
  'contains',
  'not_contains',
  'starts_with',
  'ends_with',
  'matches',
  'is_empty',
  'is_not_empty',
] as const;
export const NUMBER_OPERATORS = [
  'equals',
  'not_equals',
  'greater_than',
  'at_least',
  'less_than',
  'at_most',
  'between',
] as const;
export const FLAG_OPERATORS = ['equals'] as const;
export const DATE_OPERATORS = ['before', 'after', 'between', 'day_of_month'] as const;
export const COMBINATORS = ['all', 'any', 'none'] as const;

export type TextField = (typeof TEXT_FIELDS)[number];
export type NumberField = (typeof NUMBER_FIELDS)[number];
export type FlagField = (typeof FLAG_FIELDS)[number];
export type DateField = (typeof DATE_FIELDS)[number];
export type TextOperator = (typeof TEXT_OPERATORS)[number];
export type NumberOperator = (typeof NUMBER_OPERATORS)[number];
export type DateOperator = (typeof DATE_OPERATORS)[number];
export type ConditionField = TextField | NumberField | FlagField | DateField;
export type ConditionOperator = TextOperator | NumberOperator | DateOperator;
export type Combinator = (typeof COMBINATORS)[number];

/** A number with more digits than floating point holds stands as its decimal text (ADR 0023). */
export type ConditionValue = string | number | boolean | (string | number)[];

/** An amount as the value of a condition, which is how it is stored. */
export function numberOf(amount: Decimal): number | Decimal {
  return isExactAsNumber(amount) ? Number(amount) : amount;
}

/** @throws MoneyError for a value that is no amount */
export function amountOf(value: number | Decimal): Decimal {
  return typeof value === 'number' ? decimalOf(value) : decimal(value);
}

/** One test on one field. `is_empty` and `is_not_empty` have no value, every other operator has one. */
export type Condition = { field: ConditionField; operator: ConditionOperator; value?: ConditionValue };

/** `all`: every child holds; `any`: at least one does; `none`: no child does. */
export type ConditionGroup = { combinator: Combinator; children: (Condition | ConditionGroup)[] };

/** What a condition may see of a bank transaction. Text is as the bank sent it; `idNo` is "" when unknown. */
export type ConditionSubject = {
  readonly bankCode: string | null;
  readonly accountId: string | null;
  readonly subAccountKey: string | null;
  readonly iban: string | null;
  readonly nameSurname: string | null;
  readonly idNo: string | null;
  readonly description: string | null;
  readonly code: string | null;
  readonly currency: string | null;
  readonly amount: Decimal | null;
  readonly balance: Decimal | null;
  readonly incoming: boolean;
  readonly findAI: boolean;
  /** ISO 8601 UTC. */
  readonly transactionDate: string | null;
};

export const CONDITION_LIMITS = {
  /** Groups below each other, the root counted. */
  levels: 3,
  conditions: 50,
  rootChildren: 2,
  groupChildren: 20,
  /** UTF-16 units of a text value or pattern. */
  textLength: 500,
  listLength: 100,
  /**
   * Instructions of a compiled RE2 program: room for a plain text of 500 characters, not for counted repeats of
   * repeats.
   */
  patternInstructions: 1_000,
} as const;

export function isGroup(node: Condition | ConditionGroup): node is ConditionGroup {
  return 'children' in node;
}

export function isOneOf<T extends string>(list: readonly T[], value: unknown): value is T {
  return (list as readonly unknown[]).includes(value);
}
