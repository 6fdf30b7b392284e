import { z } from 'zod';
import { storedConditions } from './conditions.ts';
import { hash, id, instant, reference } from './fields.ts';

export const ruleAction = z.strictObject({ id, type: z.literal('attach_reference'), reference });

export const ruleTags = z.array(z.string().min(1).max(64)).max(20);

const content = {
  version: z.int().min(1),
  name: z.string().min(1).max(120),
  description: z.string().max(500).nullable(),
  conditions: storedConditions,
  actions: z.array(ruleAction).min(1).max(5),
  tags: ruleTags,
  effectiveFrom: instant,
  /** SHA-256 of the canonical JSON of conditions, actions and tags: what the rule does, not its name. */
  snapshotHash: hash,
};

/** Stream `transactionRule-{tenant}_{id}`. Every event adds 1 to `version`. */
export const transactionRuleEvents = {
  RuleCreated: {
    version: 1,
    schema: z.strictObject({ ruleId: id, status: z.enum(['active', 'paused']), createdAt: instant, ...content }),
  },
  RuleChanged: { version: 1, schema: z.strictObject({ changedAt: instant, ...content }) },
  RulePaused: { version: 1, schema: z.strictObject({ version: z.int().min(1), pausedAt: instant }) },
  RuleResumed: { version: 1, schema: z.strictObject({ version: z.int().min(1), resumedAt: instant }) },
  RuleArchived: { version: 1, schema: z.strictObject({ version: z.int().min(1), archivedAt: instant }) },
} as const;
