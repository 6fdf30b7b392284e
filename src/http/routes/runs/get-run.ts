import { ruleRuns } from '../../../projections/rule-runs.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { runSchema } from '../../resources/run.ts';
import { runOf, runResources } from './run-of.ts';

export const getRunOperation = operation({
  id: 'getRuleRun',
  method: 'get',
  path: '/banks/rule-runs/{id}',
  tag: 'Rule runs',
  summary: 'One run and its progress',
  description:
    'The header `x-log-position` is the position of the run’s last change. Everything that a completed run did is ' +
    'before that position: a read that waits for it finds the assignments.',
  access: 'rules:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'RUN_NOT_FOUND',
  result: runSchema,
  reads: [ruleRuns],
  handle: async ({ services, reader, params }) => {
    const run = await runOf(reader, params.id);
    const [result] = await runResources(services, [run]);
    return { status: 200, result: result as NonNullable<typeof result>, position: run._position };
  },
});
