import { assignmentCoverage } from './queries/assignment-coverage.ts';
import { automationBacklog } from './queries/automation-backlog.ts';
import { balanceHistory } from './queries/balance-history.ts';
import { cashFlow } from './queries/cash-flow.ts';
import { completenessGaps } from './queries/completeness-gaps.ts';
import { lateArrivals } from './queries/late-arrivals.ts';
import { referenceTotals } from './queries/reference-totals.ts';
import { rulePerformance } from './queries/rule-performance.ts';
import { syncActivity } from './queries/sync-activity.ts';
import { topCounterparties } from './queries/top-counterparties.ts';
import type { AnalyticsQuery } from './query.ts';

/** Every question there is. */
export const analyticsQueries: readonly AnalyticsQuery[] = [
  cashFlow,
  balanceHistory,
  topCounterparties,
  assignmentCoverage,
  referenceTotals,
  rulePerformance,
  syncActivity,
  automationBacklog,
  completenessGaps,
  lateArrivals,
];
