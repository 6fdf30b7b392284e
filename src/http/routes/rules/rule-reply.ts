import type { Outcome } from '../../../commands/command.ts';
import { rules } from '../../../projections/rules.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { ruleResource } from '../../resources/rule.ts';

/** The answer of every write to a rule: the rule folded from its events. @throws ApiError */
export function ruleReply<Status extends 200 | 201>(status: Status, outcome: Outcome<unknown>) {
  const { events, position } = requireAccepted(outcome);
  return { status, result: ruleResource(documentAfter(rules, events)), position };
}
