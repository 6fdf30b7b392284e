import { cancelRun } from '../../../commands/rule-runs.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { runSchema } from '../../resources/run.ts';
import { runReply } from './run-of.ts';

export const cancelRunOperation = operation({
  id: 'cancelRuleRun',
  method: 'post',
  path: '/banks/rule-runs/{id}/cancel',
  tag: 'Rule runs',
  summary: 'Cancel a run between two pages; what it did stays, and `processedCount` shows how far it got',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RUN_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: runSchema,
  successes: [202],
  errors: ['RUN_ENDED'],
  handle: async (call) => runReply(call, 202, await cancelRun(call.context, call.params.id)),
});
