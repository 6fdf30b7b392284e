import { createCompany } from '../../../commands/create-tenancy.ts';
import { companies } from '../../../projections/tenancy.ts';
import { isoTime } from '../../../shared/clock.ts';
import { operation } from '../../core/operation.ts';
import { waitUntilUsable } from '../../core/wait-until-usable.ts';
import { z } from '../../core/zod.ts';
import { companySchema } from '../../resources/company.ts';

export const createCompanyOperation = operation({
  id: 'createCompany',
  method: 'post',
  path: '/auth/companies',
  tag: 'People',
  summary: 'Add a company to the tenant',
  access: 'admin',
  body: z.strictObject({ name: z.string().trim().min(1).max(120), automation: z.boolean().default(true) }),
  result: companySchema,
  successes: [201],
  handle: async ({ services, body, context }) => {
    // The time of the first receipt of a repeated request, so that the answer agrees with the log.
    const createdAt = isoTime(context.repetition?.firstMs ?? context.clock.now());
    const company = { ...body, createdAt };
    const id = context.newId();
    const position = await createCompany(context, { ...company, companyId: id });
    await waitUntilUsable(services, [companies], position);
    return { status: 201, result: { id, ...company }, position };
  },
});
