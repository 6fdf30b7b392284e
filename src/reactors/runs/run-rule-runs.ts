import { type RuleRunDocument, ruleRuns } from '../../projections/rule-runs.ts';
import { openWorkByTenant, type WorkByTenant } from '../../queries/work-by-tenant.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import type { Condition, Filter } from '../../readstore/read-store.ts';
import { isoTime } from '../../shared/clock.ts';
import { withLease } from '../lease.ts';
import type { ReactorServices } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { executeRun } from './execute-run.ts';
import type { RunTools } from './run-pages.ts';

export function dueRuns({ readModels, clock }: ReactorServices): WorkByTenant<RuleRunDocument> {
  return openWorkByTenant(readModels, async ({ filter, limit }) => {
    const open: Filter = [...filter, { field: 'open', op: 'eq', value: true }];
    const find = (attempt: Condition) =>
      readModels.of(ruleRuns).find({
        filter: [...open, attempt],
        sort: [{ field: 'createdAt', direction: 'asc' }],
        limit,
      });
    const again = await find({ field: 'nextAttemptAt', op: 'lte', value: isoTime(clock.now()) });
    return [...again, ...(await find({ field: 'nextAttemptAt', op: 'eq', value: null }))].slice(0, limit);
  });
}

/**
 * Starts every open run that is due and that no worker holds. A run whose worker died continues at its last recorded
 * page.
 */
export async function runRuleRuns(
  services: ReactorServices,
  tools: RunTools,
  due: WorkByTenant<RuleRunDocument>,
  pool: WorkPool,
): Promise<boolean> {
  for (const run of await due.look()) {
    const { tenantId, id, _id: key } = run;
    pool.offer({
      tenantId,
      key,
      work: (signal) =>
        withLease(services, leaseNames.ruleRun(tenantId, id), signal, (held) => executeRun(services, tools, run, held)),
    });
  }
  return false;
}
