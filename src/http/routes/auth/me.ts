import { tenantName } from '../../../commands/load-tenant.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import { companies } from '../../../projections/tenancy.ts';
import { users } from '../../../projections/users.ts';
import { documentAfter } from '../../../queries/after-write.ts';
import { openReader } from '../../../queries/reader.ts';
import type { HttpServices } from '../../core/http-services.ts';
import type { z } from '../../core/zod.ts';
import { meResource, type meSchema } from '../../resources/user.ts';

/**
 * The caller, folded from their own stream, since a user added a moment ago is signed in before any read model shows
 * them. It lists all companies of the tenant, whichever company the request names.
 */
export async function me(
  services: HttpServices,
  tenantId: string,
  events: readonly RecordedEvent[],
): Promise<z.input<typeof meSchema>> {
  const sort = [{ field: 'createdAt', direction: 'asc' } as const];
  const named: { id: string; name: string }[] = [];
  for await (const { id, name } of openReader(services.readModels, tenantId, null).all(companies, {
    filter: [],
    sort,
  })) {
    named.push({ id, name });
  }
  const tenant = { id: tenantId, name: await tenantName({ log: services.log, tenantId }) };
  return meResource(documentAfter(users, events), { tenant, companies: named });
}
