import { requestRevert } from '../../../commands/rule-runs.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { runSchema } from '../../resources/run.ts';
import { runReply } from './run-of.ts';

export const revertRunOperation = operation({
  id: 'revertRuleRun',
  method: 'post',
  path: '/banks/rule-runs/{id}/revert',
  tag: 'Rule runs',
  summary: 'Revert what a run did, by new events',
  description:
    'Revokes what the run attached and attaches again what it revoked; what people have done since stays. Returns ' +
    'the run of type `revert` that ' +
    'does it, which can be reverted in turn.',
  adds: 'openRuns',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RUN_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: runSchema,
  successes: [201],
  errors: ['RUN_NOT_REVERTIBLE', 'RUN_ALREADY_REVERTED', 'RUN_IN_PROGRESS'],
  handle: async (call) => runReply(call, 201, await requestRevert(call.context, call.params.id)),
});
