import { requestBackfill } from '../../../commands/rule-runs.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { runSchema } from '../../resources/run.ts';
import { runReply } from './run-of.ts';

export const backfillRuleOperation = operation({
  id: 'backfillRule',
  method: 'post',
  path: '/banks/transaction-rules/{id}/backfill-runs',
  tag: 'Rule runs',
  summary: 'Carry out a completed preview, over exactly its candidates',
  description:
    'Attaches what is missing and revokes what the rule attached and no longer calls for; never changes what a ' +
    'person did. A rule has one backfill ' +
    'or revert at a time, a preview one backfill.',
  adds: 'openRuns',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  body: z.strictObject({ previewRunId: identifier }),
  result: runSchema,
  successes: [201],
  errors: [
    'RUN_NOT_FOUND',
    'RULE_ARCHIVED',
    'PREVIEW_NOT_COMPLETED',
    'PREVIEW_STALE',
    'PREVIEW_ALREADY_USED',
    'RUN_IN_PROGRESS',
  ],
  handle: async (call) =>
    runReply(call, 201, await requestBackfill(call.context, call.params.id, call.body.previewRunId)),
});
