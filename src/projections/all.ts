import { accountDays } from './account-days.ts';
import { arrivals } from './analytics/arrivals.ts';
import { automationSums } from './analytics/automation.ts';
import { counterparties } from './analytics/counterparties.ts';
import { flows } from './analytics/flows.ts';
import { references } from './analytics/references.ts';
import { ruleMatches } from './analytics/rule-matches.ts';
import { subAccounts } from './analytics/sub-accounts.ts';
import { syncSums } from './analytics/syncs.ts';
import { apiKeys } from './api-keys.ts';
import { assignments } from './assignments.ts';
import { connectionDays } from './connection-days.ts';
import { connections } from './connections.ts';
import { history } from './history.ts';
import { logMoments } from './log-moments.ts';
import type { Projection } from './projection.ts';
import { referenceLabels } from './reference-labels.ts';
import { ruleRuns } from './rule-runs.ts';
import { rules, ruleVersions } from './rules.ts';
import { runMatches } from './run-matches.ts';
import { scheduleRuns } from './schedule-runs.ts';
import { schedules } from './schedules.ts';
import { seals } from './seals.ts';
import { sessions } from './sessions.ts';
import { syncRuns } from './sync-runs.ts';
import { companies } from './tenancy.ts';
import { tenants } from './tenants.ts';
import { transactionDays } from './transaction-days.ts';
import { transactions } from './transactions.ts';
import { unassignedGroups } from './unassigned-groups.ts';
import { users } from './users.ts';
import { webhooks } from './webhooks.ts';

/** Every read model. */
export const projections: readonly Projection[] = [
  tenants,
  companies,
  users,
  sessions,
  apiKeys,
  connections,
  syncRuns,
  connectionDays,
  rules,
  ruleVersions,
  transactions,
  transactionDays,
  unassignedGroups,
  assignments,
  referenceLabels,
  accountDays,
  ruleRuns,
  runMatches,
  schedules,
  scheduleRuns,
  history,
  logMoments,
  flows.projection,
  counterparties.projection,
  references.projection,
  arrivals.projection,
  ruleMatches.projection,
  syncSums.projection,
  automationSums.projection,
  subAccounts.projection,
  seals,
  webhooks,
] as unknown as readonly Projection[];
