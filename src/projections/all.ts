import { accountDays } from './account-days.ts';
import { assignments } from './assignments.ts';
import { connectionDays } from './connection-days.ts';
import { connections } from './connections.ts';
import type { Projection } from './projection.ts';
import { rules, ruleVersions } from './rules.ts';
import { syncRuns } from './sync-runs.ts';
import { apiKeys, companies } from './tenancy.ts';
import { transactions } from './transactions.ts';

/** Every read model there is. */
export const projections: readonly Projection[] = [
  companies,
  apiKeys,
  connections,
  syncRuns,
  connectionDays,
  rules,
  ruleVersions,
  transactions,
  assignments,
  accountDays,
] as unknown as readonly Projection[];
