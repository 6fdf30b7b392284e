import type { CompanyDocument } from '../../projections/tenancy.ts';
import { z } from '../core/zod.ts';
import { instant } from './instants.ts';

export const companySchema = z
  .strictObject({
    id: z.string(),
    name: z.string(),
    automation: z.boolean().openapi({
      description: 'If false, new transactions are recorded as `legacy`, which only a backfill processes.',
    }),
    createdAt: instant,
  })
  .openapi('Company');

export function companyResource({ id, name, automation, createdAt }: CompanyDocument): z.input<typeof companySchema> {
  return { id, name, automation, createdAt };
}
