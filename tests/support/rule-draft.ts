import type { RuleDraft } from '../../src/commands/create-rule.ts';
import { REFERENCE } from './facts.ts';

/**
 * A rule that matches every incoming row, except for the fields that a test sets: the only place that lists all fields
 * of a draft.
 */
export function ruleDraft(changes: Partial<RuleDraft> = {}): RuleDraft {
  return {
    name: 'Rule',
    description: null,
    conditions: { combinator: 'all', children: [{ field: 'incoming', operator: 'equals', value: true }] },
    actions: [{ type: 'attach_reference', reference: REFERENCE }],
    tags: [],
    effectiveFrom: null,
    ...changes,
  };
}
