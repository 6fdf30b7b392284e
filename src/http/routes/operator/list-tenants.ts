import { tenants } from '../../../projections/tenants.ts';
import { countTenants, pageOfTenants } from '../../../queries/tenants.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { counting, limitOf, pages } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { countedWhere } from '../../paging/count.ts';
import { openCursor, sealCursor } from '../../paging/cursor.ts';
import { instant } from '../../resources/instants.ts';

const BINDING = { tenantId: '', operationId: 'listTenants', query: {} };

export const listTenantsOperation = operation({
  id: 'listTenants',
  method: 'get',
  path: '/operator/tenants',
  tag: 'Operator',
  summary: 'The tenants, oldest first',
  access: 'operator-token',
  query: z.strictObject({ ...pages, ...counting }),
  result: listOf(z.strictObject({ id: z.string(), name: z.string(), createdAt: instant }).openapi('Tenant')),
  reads: [tenants],
  handle: async ({ services, query }) => {
    const after = query.cursor === undefined ? undefined : openCursor(services.cursorKey, BINDING, query.cursor);
    const page = await pageOfTenants(services.readModels, { limit: limitOf(query), ...(after && { after }) });
    const items = page.items.map(({ _id: id, name, createdAt }) => ({ id, name, createdAt }));
    const nextCursor = page.after === null ? null : sealCursor(services.cursorKey, BINDING, page.after);
    const counted = await countedWhere(query, (most) => countTenants(services.readModels, most));
    return { status: 200, result: { items, nextCursor, ...counted } };
  },
});
