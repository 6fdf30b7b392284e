import { requestPreview } from '../../../commands/rule-runs.ts';
import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier, scopeFields } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { runSchema } from '../../resources/run.ts';
import { runReply } from './run-of.ts';

export const previewRuleOperation = operation({
  id: 'previewRule',
  method: 'post',
  path: '/banks/transaction-rules/{id}/preview-runs',
  tag: 'Rule runs',
  summary: 'Find out what a backfill of the rule would do; nothing is attached',
  description:
    'The candidates are the transactions of the scope recorded until now. The body is the scope; an omitted filter ' +
    'does not narrow it.',
  adds: 'openRuns',
  access: 'rules:write',
  params: z.strictObject({ id: identifier }),
  notFound: 'RULE_NOT_FOUND',
  body: z.strictObject({
    ...scopeFields,
    scope: z
      .strictObject(scopeFields)
      .optional()
      .openapi({ description: 'The scope as a nested object, as a run shows it.' }),
  }),
  bodyOptional: true,
  result: runSchema,
  successes: [201],
  errors: ['RULE_ARCHIVED', 'DATE_RANGE_INVALID'],
  handle: async (call) => {
    const { params, body, context } = call;
    const { scope: nested, ...flat } = body;
    const { from = null, to = null, accountIds = null, bankCodes = null } = { ...flat, ...nested };
    if (from !== null && to !== null && from > to) throw new ApiError('DATE_RANGE_INVALID');
    return runReply(call, 201, await requestPreview(context, params.id, { from, to, accountIds, bankCodes }));
  },
});
