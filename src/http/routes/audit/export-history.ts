import { exportHistory } from '../../../audit/export-history.ts';
import { history } from '../../../projections/history.ts';
import { operation } from '../../core/operation.ts';
import { logPosition } from '../../core/parameters.ts';
import { waitUntilReached } from '../../core/wait-until-reached.ts';
import { partByPart } from '../../core/watched-stream.ts';
import { z } from '../../core/zod.ts';
import { refusePartOfTenant } from './whole-tenant.ts';

export const exportHistoryOperation = operation({
  id: 'exportHistory',
  method: 'get',
  path: '/banks/audit/history/export',
  tag: 'Audit',
  summary: "The tenant's whole history as NDJSON, for verification without the service",
  description:
    'A header, each event in canonical JSON in log order, and a signed last line. `npm run bank verify FILE` ' +
    'checks it offline and names the first event ' +
    'that was changed, removed, added or moved. The same position gives the same bytes.',
  access: 'audit:read',
  query: z.strictObject({ position: logPosition.optional() }),
  result: z.string(),
  media: 'application/x-ndjson',
  reads: [history],
  handle: async ({ services, caller, query, signal }) => {
    refusePartOfTenant(caller);
    const position = query.position ?? (await services.positionOf(history.name));
    await waitUntilReached(services, [history.name], position);
    const encoder = new TextEncoderStream();
    const inTurn = <T>(next: () => Promise<T>) => services.costlyRequests.inTurn(caller.tenantId, next, signal);
    const parts = partByPart(exportHistory(services, services.sealingKey, caller.tenantId, position), inTurn);
    const text = ReadableStream.from(parts) as ReadableStream<string>;
    return {
      stream: text.pipeThrough(encoder) as ReadableStream<Uint8Array>,
      headers: {
        'content-type': 'application/x-ndjson; charset=utf-8',
        'content-disposition': 'attachment; filename="history.ndjson"',
        'cache-control': 'no-store',
        'x-log-position': position,
      },
    };
  },
});
