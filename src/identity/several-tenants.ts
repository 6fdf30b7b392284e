import { tenantName } from '../commands/load-tenant.ts';
import type { EventLog } from '../log/log.ts';

export type NamedTenant = { readonly id: string; readonly name: string };

/** The credentials are valid in each of these tenants, and the request names none of them. */
export class SeveralTenants extends Error {
  readonly tenants: readonly NamedTenant[];
  constructor(tenants: readonly NamedTenant[]) {
    super('the credentials are valid in several tenants');
    this.name = 'SeveralTenants';
    this.tenants = tenants;
  }
}

export async function severalTenants(log: EventLog, tenantIds: readonly string[]): Promise<SeveralTenants> {
  return new SeveralTenants(
    await Promise.all(tenantIds.map(async (id) => ({ id, name: await tenantName({ log, tenantId: id }) }))),
  );
}
