import type { ConditionOutcome } from '../../deciders/conditions/compile-conditions.ts';
import { z } from '../core/zod.ts';
import { conditionValueResource } from './condition-value.ts';

export const conditionOutcomeSchema = z
  .strictObject({
    path: z.string(),
    field: z.string(),
    operator: z.string(),
    value: z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.array(z.number()), z.null()]),
    seen: z
      .union([z.string(), z.boolean(), z.null()])
      .openapi({ description: 'The value that was compared; amounts as exact decimals.' }),
    held: z.boolean(),
  })
  .openapi('ConditionOutcome');

export function conditionOutcomeResource(outcome: ConditionOutcome): z.input<typeof conditionOutcomeSchema> {
  const { field, value } = outcome;
  const shown = value === null ? null : conditionValueResource(field, value);
  return { ...outcome, value: shown as z.input<typeof conditionOutcomeSchema>['value'] };
}
