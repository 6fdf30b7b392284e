import type { RuleConditions } from '../../../commands/create-rule.ts';
import { checkConditions } from '../../../deciders/conditions/check-conditions.ts';
import { ApiError } from '../../core/errors.ts';
import { externalReference, moment, tagList } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';

/**
 * Accepted as any value and checked by the condition language, which limits depth before anything else; the document
 * shows the equivalent schema.
 */
export const conditionsBody = z
  .custom<unknown>((value) => value !== undefined)
  .openapi({ type: 'object', allOf: [{ $ref: '#/components/schemas/RuleConditionsGiven' }] });

export const actionsBody = z
  .array(z.strictObject({ type: z.literal('attach_reference'), reference: externalReference }))
  .min(1)
  .max(5);

/** Every field that a person sets on a rule: the bodies of create, change and evaluate are derived from these. */
export const ruleFields = {
  name: z.string().trim().min(1).max(120),
  description: z.string().max(500).nullable(),
  conditions: conditionsBody,
  actions: actionsBody,
  tags: tagList,
  effectiveFrom: moment,
};

/** The same, none of them required. */
export const optionalRuleFields = z.strictObject(ruleFields).partial().shape;

/** @throws ApiError RULE_TOO_COMPLEX, RULE_CONDITION_INVALID with the path of each fault */
export function checkedConditions(input: unknown): RuleConditions {
  const checked = checkConditions(input);
  if (checked.ok) return checked.conditions;
  const { code, faults } = checked;
  const issues = faults.map(({ path, message }) => ({ path, code: code.toLowerCase(), message }));
  throw new ApiError(code, { path: faults[0]?.path, issues });
}

export function actionsOf(actions: z.output<typeof actionsBody>) {
  return actions.map(({ type, reference }) => ({ type, reference: { ...reference, label: reference.label ?? null } }));
}
