import { z } from 'zod';

/**
 * The condition tree of a rule, declared once: events store it, deciders check and compile it, and HTTP accepts and
 * returns it.
 */

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

export const CONDITION_FIELDS = [...TEXT_FIELDS, ...NUMBER_FIELDS, ...FLAG_FIELDS, ...DATE_FIELDS] as const;

export type TextField = (typeof TEXT_FIELDS)[number];
export type NumberField = (typeof NUMBER_FIELDS)[number];
export type FlagField = (typeof FLAG_FIELDS)[number];
export type TextOperator = (typeof TEXT_OPERATORS)[number];
export type NumberOperator = (typeof NUMBER_OPERATORS)[number];
export type DateOperator = (typeof DATE_OPERATORS)[number];
export type ConditionField = (typeof CONDITION_FIELDS)[number];
export type ConditionOperator = TextOperator | NumberOperator | DateOperator;
export type Combinator = (typeof COMBINATORS)[number];

/** A number with more digits than floating point holds is stored as its decimal text (ADR 0023). */
export type ConditionValue = string | number | boolean | (string | number)[];

/** One test on one field. `is_empty` and `is_not_empty` have no value, every other operator has one. */
export type Condition = { field: ConditionField; operator: ConditionOperator; value?: ConditionValue };

/** `all`: every child holds; `any`: at least one does; `none`: no child does. */
export type ConditionGroup = { combinator: Combinator; children: (Condition | ConditionGroup)[] };

export function isGroup(node: Condition | ConditionGroup): node is ConditionGroup {
  return 'children' in node;
}

const storedCondition = z.strictObject({ field: z.string(), operator: z.string(), value: z.json().exactOptional() });
const storedNode: z.ZodType = z.union([storedCondition, z.lazy(() => storedGroup)]);
const storedGroup: z.ZodType = z.strictObject({
  combinator: z.enum(COMBINATORS),
  children: z.array(storedNode).min(1).max(20),
});

/**
 * What an event may hold. It fixes the shape and leaves fields, operators and values to the condition language, which
 * checked them before they were stored and may know more of them in a later release. This is the only place that relies
 * on that check.
 */
export const storedConditions = storedGroup as z.ZodType<ConditionGroup>;
