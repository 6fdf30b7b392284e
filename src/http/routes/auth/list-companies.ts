import { companies } from '../../../projections/tenancy.ts';
import { listOf } from '../../core/envelope.ts';
import { operation } from '../../core/operation.ts';
import { paging } from '../../core/parameters.ts';
import { z } from '../../core/zod.ts';
import { pageOf } from '../../paging/page.ts';
import { companyResource, companySchema } from '../../resources/company.ts';

export const listCompaniesOperation = operation({
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
    return { status: 200, result: { ...page, items: page.items.map(companyResource) } };
  },
});
