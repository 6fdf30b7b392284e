import { companies } from '../projections/tenancy.ts';
import type { ReadModels } from '../queries/read-models.ts';
import { openReader } from '../queries/reader.ts';

/** True for a company of the tenant. */
export type IsCompany = (tenantId: string, companyId: string) => Promise<boolean>;

const KEPT = 10_000;

/** Caches the companies it found, since a company is never removed; one that was not found is looked up again. */
export function createIsCompany(readModels: ReadModels): IsCompany {
  const found = new Set<string>();
  return async (tenantId, companyId) => {
    const key = `${tenantId}\n${companyId}`;
    if (found.has(key)) return true;
    if ((await openReader(readModels, tenantId, null).get(companies, companyId)) === undefined) return false;
    if (found.size >= KEPT) found.clear();
    found.add(key);
    return true;
  };
}
