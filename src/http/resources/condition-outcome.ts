import type { ConditionOutcome } from '../../deciders/conditions/compile-conditions.ts';
import type { ConditionValue } from '../../events/conditions.ts';
import { ofAnyType, orNull } from '../core/schema-forms.ts';
import { z } from '../core/zod.ts';
import { conditionValueResource, conditionValueSchema } from './condition-value.ts';

const comparedValue: z.ZodType<ConditionValue | null, ConditionValue | null> = ofAnyType(orNull(conditionValueSchema));

export const conditionOutcomeSchema = z
  .strictObject({
    path: z.string(),
    field: z.string(),
    operator: z.string(),
    value: comparedValue.openapi({ description: 'The value of the condition; null where it has none.' }),
    seen: z
      .union([z.string(), z.boolean(), z.null()])
      .openapi({ description: 'The value that was compared; amounts as exact decimals.' }),
    held: z.boolean(),
  })
  .openapi('ConditionOutcome');

export function conditionOutcomeResource(outcome: ConditionOutcome): z.input<typeof conditionOutcomeSchema> {
  const { field, value } = outcome;
  return { ...outcome, value: value === null ? null : conditionValueResource(field, value) };
}
