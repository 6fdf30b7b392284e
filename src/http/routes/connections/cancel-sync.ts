import { cancelSync } from '../../../commands/continue-sync.ts';
import { streamName } from '../../../log/streams.ts';
import { syncRuns } from '../../../projections/sync-runs.ts';
import { documentAfterWrite } from '../../core/document-after-write.ts';
import { operation } from '../../core/operation.ts';
import { identifier } from '../../core/parameters.ts';
import { requireAccepted } from '../../core/require-accepted.ts';
import { z } from '../../core/zod.ts';
import { syncResource, syncSchema } from '../../resources/sync.ts';

export const cancelSyncOperation = operation({
  id: 'cancelSync',
  method: 'post',
  path: '/banks/accounts/{id}/syncs/{syncId}/cancel',
  tag: 'Connections',
  summary: 'Cancel a sync between two pages; what was recorded stays',
  access: 'connections:write',
  params: z.strictObject({ id: identifier, syncId: identifier }),
  notFound: 'SYNC_NOT_FOUND',
  body: z.strictObject({}),
  bodyOptional: true,
  result: syncSchema,
  successes: [202],
  errors: ['SYNC_ENDED'],
  handle: async ({ services, reader, params: { id, syncId }, context }) => {
    const { appended, position } = requireAccepted(await cancelSync(context, id, syncId));
    const written = { stream: streamName('syncRun', reader.tenantId, syncId), appended };
    const sync = await documentAfterWrite(services.log, syncRuns, written, () => reader.get(syncRuns, syncId));
    return { status: 202, result: syncResource(sync), position };
  },
});
