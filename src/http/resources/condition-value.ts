import { isOneOf } from '../../deciders/conditions/condition.ts';
import { type ConditionGroup, type ConditionValue, isGroup, NUMBER_FIELDS } from '../../events/conditions.ts';
import { jsonNumber } from '../core/json-number.ts';
import { z } from '../core/zod.ts';

export const conditionValueSchema: z.ZodType<ConditionValue, ConditionValue> = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.array(z.string()),
  z.array(z.number()),
]);

/** What a condition compares with, as the request stated it: an amount is a number, however many digits it has. */
export function conditionValueResource(field: string, value: ConditionValue): ConditionValue {
  if (!isOneOf(NUMBER_FIELDS, field) || typeof value === 'boolean') return value;
  const asNumber = (one: string | number): number => (typeof one === 'string' ? jsonNumber(one) : one);
  return Array.isArray(value) ? value.map(asNumber) : asNumber(value);
}

export function conditionsResource(group: ConditionGroup): ConditionGroup {
  return {
    ...group,
    children: group.children.map((child) => {
      if (isGroup(child)) return conditionsResource(child);
      const { field, value } = child;
      return value === undefined ? child : { ...child, value: conditionValueResource(field, value) };
    }),
  };
}
