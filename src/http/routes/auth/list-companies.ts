import { z } from '@hono/zod-openapi';
import { companies } from '../../../projections/tenancy.ts';
import { listOf } from '../../envelope.ts';
import { operation } from '../../operation.ts';
import { pageOf } from '../../page.ts';
import { paging } from '../../parameters.ts';
import { companyResource, companySchema } from '../../resources/company.ts';

export const listCompanies = operation({
  id: 'listCompanies',
  method: 'get',
  path: '/auth/companies',
  tag: 'People',
  summary: 'The companies the caller may see, oldest first',
  access: 'caller',
  query: z.strictObject({ ...paging }),
  result: listOf(companySchema),
  reads: [companies],
  handle: async (call) => {
    const page = await pageOf(call, 'listCompanies', companies, {
      filter: [],
      sort: [{ field: 'createdAt', direction: 'asc' }],
    });
    return { status: 200, result: { items: page.items.map(companyResource), nextCursor: page.nextCursor } };
  },
});
