import { ApiError } from '../../core/errors.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { replayResource, replaySchema } from '../../resources/replay.ts';

export const getReplayOperation = operation({
  id: 'getReplay',
  method: 'get',
  path: '/banks/audit/replays/{id}',
  tag: 'Audit',
  summary: 'One replay: its progress and its result',
  access: 'audit:read',
  params: z.strictObject({ id: identifier }),
  notFound: 'REPLAY_NOT_FOUND',
  result: replaySchema,
  handle: async ({ services, reader, params }) => {
    const replay = await services.replays.get(reader.tenantId, params.id);
    if (replay === undefined || !reader.sees(replay)) throw new ApiError('REPLAY_NOT_FOUND');
    return { status: 200, result: replayResource(replay) };
  },
});
