import { logMoments } from '../../../projections/log-moments.ts';
import { operation } from '../../core/operation.ts';
import { z } from '../../core/zod.ts';
import { replayResource, replaySchema } from '../../resources/replay.ts';
import { momentOrPosition, positionOf } from './then.ts';

export const startReplayOperation = operation({
  id: 'startReplay',
  method: 'post',
  path: '/banks/audit/replays',
  tag: 'Audit',
  summary: "Rebuild the company's read models from its events, separately from the live ones, and compare",
  description: 'Up to a moment or position, by default now. No data of the tenant changes.',
  adds: 'openReplays',
  access: 'audit:write',
  body: z.strictObject({ until: momentOrPosition.optional() }),
  bodyOptional: true,
  result: replaySchema,
  successes: [202],
  errors: ['DATE_RANGE_INVALID'],
  reads: [logMoments],
  handle: async ({ services, caller, companyId, body, context }) => {
    const logPosition =
      body.until === undefined ? await context.log.head() : await positionOf(services, caller.tenantId, body.until);
    const replay = await services.replays.request({
      tenantId: caller.tenantId,
      companyId: companyId ?? '',
      id: context.newId(),
      logPosition,
      requestedBy: caller.actor.id,
    });
    return { status: 202, result: replayResource(replay) };
  },
});
