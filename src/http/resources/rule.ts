import {
  COMBINATORS,
  CONDITION_FIELDS,
  type Combinator,
  DATE_OPERATORS,
  FLAG_OPERATORS,
  NUMBER_OPERATORS,
  TEXT_OPERATORS,
} from '../../events/conditions.ts';
import type { RuleRecord } from '../../projections/rules.ts';
import { externalReference } from '../core/parameters.ts';
import { ofAnyType } from '../core/schema-forms.ts';
import { z } from '../core/zod.ts';
import { conditionsResource, conditionValueSchema } from './condition-value.ts';
import { instant, withoutNulls } from './instants.ts';

const conditionSchema = z
  .strictObject({
    field: z.enum(CONDITION_FIELDS),
    operator: z.enum([...new Set([...TEXT_OPERATORS, ...NUMBER_OPERATORS, ...FLAG_OPERATORS, ...DATE_OPERATORS])]),
    value: ofAnyType(conditionValueSchema)
      .optional()
      .openapi({
        description:
          'What the operator needs: a string, a number, a boolean, or a list of strings or of numbers; omitted for ' +
          'is_empty and is_not_empty.',
        example: 'rent',
      }),
  })
  .openapi('RuleCondition');

/** Three levels written out, since a tree may be at most that deep. */
function treeOf<Combinator extends z.ZodType>(combinator: Combinator, suffix: string) {
  const leafGroup = z
    .strictObject({ combinator, children: z.array(conditionSchema).min(1).max(20) })
    .openapi(`RuleConditionLeafGroup${suffix}`);
  const innerGroup = z
    .strictObject({
      combinator,
      children: z
        .array(z.union([conditionSchema, leafGroup]))
        .min(1)
        .max(20),
    })
    .openapi(`RuleConditionGroup${suffix}`);
  return z
    .strictObject({
      combinator,
      children: z
        .array(z.union([conditionSchema, innerGroup]))
        .min(1)
        .max(2),
    })
    .openapi(`RuleConditions${suffix}`);
}

/** A tree of any depth: the type does not limit it, the schema does. */
type ShownGroup = {
  readonly combinator: Combinator;
  readonly children: readonly (z.input<typeof conditionSchema> | ShownGroup)[];
};

export const conditionsSchema: z.ZodType<ShownGroup, ShownGroup> = treeOf(z.enum(COMBINATORS), '');

/** As a request may state them: without a combinator all children must hold. */
export const givenConditionsSchema = treeOf(z.enum(COMBINATORS).optional().openapi({ default: 'all' }), 'Given');

export const actionSchema = z
  .strictObject({ id: z.string(), type: z.literal('attach_reference'), reference: externalReference })
  .openapi('RuleAction');

export const ruleSchema = z
  .strictObject({
    id: z.string(),
    companies: z.string(),
    name: z.string(),
    status: z.enum(['active', 'paused']),
    version: z.int().min(1),
    conditions: conditionsSchema,
    actions: z.array(actionSchema),
    referenceKey: z.string(),
    description: z.string().optional(),
    snapshotHash: z.string(),
    effectiveFrom: instant,
    targetSource: z.string(),
    targetEntityType: z.string(),
    targetExternalId: z.string(),
    tags: z.array(z.string()),
    archivedAt: instant.optional(),
    createdAt: instant,
    updatedAt: instant,
    createdBy: z.string(),
    updatedBy: z.string(),
  })
  .openapi('TransactionRule');

export function ruleResource(rule: RuleRecord): z.input<typeof ruleSchema> {
  const { id, companyId, name, status, version, conditions, actions, referenceKey, snapshotHash } = rule;
  const { effectiveFrom, targetSource, targetEntityType, targetExternalId, tags } = rule;
  const { createdAt, updatedAt, createdBy, updatedBy, description, archivedAt } = rule;
  return {
    id,
    companies: companyId,
    name,
    status,
    version,
    conditions: conditionsResource(conditions),
    actions: [...actions],
    referenceKey,
    ...withoutNulls({ description, archivedAt }),
    snapshotHash,
    effectiveFrom,
    targetSource,
    targetEntityType,
    targetExternalId,
    tags: [...tags],
    createdAt,
    updatedAt,
    createdBy,
    updatedBy,
  };
}
