import type { Operation } from '../core/operation.ts';
import { getAnalyticsQuery } from './analytics/get-analytics-query.ts';
import { getAnalyticsResults } from './analytics/get-analytics-results.ts';
import { listAnalyticsQueries } from './analytics/list-analytics-queries.ts';
import { createApiKey } from './api-keys/create-api-key.ts';
import { listApiKeys } from './api-keys/list-api-keys.ts';
import { revokeApiKey } from './api-keys/revoke-api-key.ts';
import { rotateApiKey } from './api-keys/rotate-api-key.ts';
import { attachAssignment } from './assignments/attach-assignment.ts';
import { listAssignments } from './assignments/list-assignments.ts';
import { listTransactionAssignments } from './assignments/list-transaction-assignments.ts';
import { revokeAssignment } from './assignments/revoke-assignment.ts';
import { exportHistory } from './audit/export-history.ts';
import { getConnectorLog } from './audit/get-connector-log.ts';
import { getEntityAsOf } from './audit/get-entity-as-of.ts';
import { getEntityDiff } from './audit/get-entity-diff.ts';
import { getEntityHistory } from './audit/get-entity-history.ts';
import { getIntegrity } from './audit/get-integrity.ts';
import { getProof } from './audit/get-proof.ts';
import { getProvenance } from './audit/get-provenance.ts';
import { getReplay } from './audit/get-replay.ts';
import { listConnectorLogs } from './audit/list-connector-logs.ts';
import { listHistory } from './audit/list-history.ts';
import { startReplay } from './audit/start-replay.ts';
import { addUser } from './auth/add-user.ts';
import { changeMe } from './auth/change-me.ts';
import { changeUser } from './auth/change-user.ts';
import { createCompany } from './auth/create-company.ts';
import { getMe } from './auth/get-me.ts';
import { listCompanies } from './auth/list-companies.ts';
import { listUsers } from './auth/list-users.ts';
import { logIn } from './auth/log-in.ts';
import { logOut } from './auth/log-out.ts';
import { refreshSession } from './auth/refresh-session.ts';
import { replacePassword } from './auth/replace-password.ts';
import { archiveConnection } from './connections/archive-connection.ts';
import { cancelSync } from './connections/cancel-sync.ts';
import { changeConnection } from './connections/change-connection.ts';
import { dryRunConnection } from './connections/dry-run-connection.ts';
import { getCatalogue } from './connections/get-catalogue.ts';
import { getConnection } from './connections/get-connection.ts';
import { getHealth } from './connections/get-health.ts';
import { getSync } from './connections/get-sync.ts';
import { getUsage } from './connections/get-usage.ts';
import { listConnections } from './connections/list-connections.ts';
import { listSyncs } from './connections/list-syncs.ts';
import { openConnection } from './connections/open-connection.ts';
import { putCredentials } from './connections/put-credentials.ts';
import { setUpConnection } from './connections/set-up-connection.ts';
import { syncConnection } from './connections/sync-connection.ts';
import { live } from './health/live.ts';
import { ready } from './health/ready.ts';
import { version } from './health/version.ts';
import { createTenant } from './operator/create-tenant.ts';
import { listTenants } from './operator/list-tenants.ts';
import { archiveRule } from './rules/archive-rule.ts';
import { changeRule } from './rules/change-rule.ts';
import { createRule } from './rules/create-rule.ts';
import { evaluateDraft } from './rules/evaluate-draft.ts';
import { getRule } from './rules/get-rule.ts';
import { listRuleVersions } from './rules/list-rule-versions.ts';
import { listRules } from './rules/list-rules.ts';
import { pauseRule } from './rules/pause-rule.ts';
import { resumeRule } from './rules/resume-rule.ts';
import { backfillRule } from './runs/backfill-rule.ts';
import { cancelRun } from './runs/cancel-run.ts';
import { getRun } from './runs/get-run.ts';
import { listRunMatches } from './runs/list-run-matches.ts';
import { listRuns } from './runs/list-runs.ts';
import { previewRule } from './runs/preview-rule.ts';
import { revertRun } from './runs/revert-run.ts';
import { changeSchedule } from './schedules/change-schedule.ts';
import { createSchedule } from './schedules/create-schedule.ts';
import { deleteSchedule } from './schedules/delete-schedule.ts';
import { getSchedule } from './schedules/get-schedule.ts';
import { listScheduleRuns } from './schedules/list-schedule-runs.ts';
import { listSchedules } from './schedules/list-schedules.ts';
import { pauseSchedule } from './schedules/pause-schedule.ts';
import { resumeSchedule } from './schedules/resume-schedule.ts';
import { runSchedule } from './schedules/run-schedule.ts';
import { explainTransaction } from './transactions/explain-transaction.ts';
import { exportTransactions } from './transactions/export-transactions.ts';
import { getTransaction } from './transactions/get-transaction.ts';
import { listTransactions } from './transactions/list-transactions.ts';
import { retryAutomation } from './transactions/retry-automation.ts';

/** Every operation, in the order of the reference. A fixed path precedes one whose parameter would match it. */
export const operations: readonly Operation[] = [
  live,
  ready,
  version,
  logIn,
  refreshSession,
  logOut,
  getMe,
  changeMe,
  replacePassword,
  listCompanies,
  createCompany,
  listUsers,
  addUser,
  changeUser,
  createApiKey,
  listApiKeys,
  rotateApiKey,
  revokeApiKey,
  createTenant,
  listTenants,
  getCatalogue,
  openConnection,
  listConnections,
  getConnection,
  changeConnection,
  archiveConnection,
  putCredentials,
  setUpConnection,
  dryRunConnection,
  syncConnection,
  listSyncs,
  getSync,
  cancelSync,
  getHealth,
  getUsage,
  listTransactions,
  exportTransactions,
  getTransaction,
  explainTransaction,
  retryAutomation,
  listTransactionAssignments,
  attachAssignment,
  revokeAssignment,
  listAssignments,
  createRule,
  listRules,
  evaluateDraft,
  getRule,
  listRuleVersions,
  changeRule,
  pauseRule,
  resumeRule,
  archiveRule,
  previewRule,
  backfillRule,
  listRuns,
  getRun,
  listRunMatches,
  cancelRun,
  revertRun,
  createSchedule,
  listSchedules,
  getSchedule,
  changeSchedule,
  pauseSchedule,
  resumeSchedule,
  runSchedule,
  listScheduleRuns,
  deleteSchedule,
  listAnalyticsQueries,
  getAnalyticsQuery,
  getAnalyticsResults,
  listConnectorLogs,
  getConnectorLog,
  listHistory,
  exportHistory,
  getIntegrity,
  getProof,
  getEntityHistory,
  getEntityAsOf,
  getEntityDiff,
  getProvenance,
  startReplay,
  getReplay,
];
