import { type RuleRunDocument, ruleRuns } from '../../projections/rule-runs.ts';
import { leaseNames } from '../../readstore/lease-names.ts';
import { isoTime } from '../../shared/clock.ts';
import { withLease } from '../lease.ts';
import type { ReactorServices } from '../reactor-services.ts';
import type { WorkPool } from '../work-pool.ts';
import { executeRun } from './execute-run.ts';
import type { RunTools } from './run-pages.ts';

const LOOK_AT = 200;

/**
 * Starts every open run that is due and that no worker holds. A run whose worker died continues at its last recorded
 * page.
 */
export async function runRuleRuns(services: ReactorServices, tools: RunTools, pool: WorkPool): Promise<boolean> {
  const open = await services.readModels.of(ruleRuns).find({
    filter: [{ field: 'open', op: 'eq', value: true }],
    sort: [{ field: 'createdAt', direction: 'asc' }],
    limit: LOOK_AT,
  });
  const now = isoTime(services.clock.now());
  const isDue = ({ nextAttemptAt }: RuleRunDocument): boolean => nextAttemptAt === null || nextAttemptAt <= now;
  for (const run of open.filter(isDue)) {
    pool.offer(run._id, (signal) =>
      withLease(services, leaseNames.ruleRun(run.tenantId, run.id), signal, (held) =>
        executeRun(services, tools, run, held),
      ),
    );
  }
  return false;
}
