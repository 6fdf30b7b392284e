import type { Operation } from '../core/operation.ts';
import { getAnalyticsQueryOperation } from './analytics/get-analytics-query.ts';
import { getAnalyticsResultsOperation } from './analytics/get-analytics-results.ts';
import { listAnalyticsQueriesOperation } from './analytics/list-analytics-queries.ts';
import { createApiKeyOperation } from './api-keys/create-api-key.ts';
import { listApiKeysOperation } from './api-keys/list-api-keys.ts';
import { revokeApiKeyOperation } from './api-keys/revoke-api-key.ts';
import { rotateApiKeyOperation } from './api-keys/rotate-api-key.ts';
import { attachAssignmentOperation } from './assignments/attach-assignment.ts';
import { listAssignmentsOperation } from './assignments/list-assignments.ts';
import { listTransactionAssignmentsOperation } from './assignments/list-transaction-assignments.ts';
import { revokeAssignmentOperation } from './assignments/revoke-assignment.ts';
import { exportHistoryOperation } from './audit/export-history.ts';
import { getConnectorLogOperation } from './audit/get-connector-log.ts';
import { getEntityAsOfOperation } from './audit/get-entity-as-of.ts';
import { getEntityDiffOperation } from './audit/get-entity-diff.ts';
import { getEntityHistoryOperation } from './audit/get-entity-history.ts';
import { getIntegrityOperation } from './audit/get-integrity.ts';
import { getProofOperation } from './audit/get-proof.ts';
import { getProvenanceOperation } from './audit/get-provenance.ts';
import { getReplayOperation } from './audit/get-replay.ts';
import { listConnectorLogsOperation } from './audit/list-connector-logs.ts';
import { listHistoryOperation } from './audit/list-history.ts';
import { startReplayOperation } from './audit/start-replay.ts';
import { addUserOperation } from './auth/add-user.ts';
import { changeMeOperation } from './auth/change-me.ts';
import { changeUserOperation } from './auth/change-user.ts';
import { closeSessionOperation } from './auth/close-session.ts';
import { createCompanyOperation } from './auth/create-company.ts';
import { endSessionOperation } from './auth/end-session.ts';
import { getMeOperation } from './auth/get-me.ts';
import { getSignInOperation } from './auth/get-sign-in.ts';
import { listCompaniesOperation } from './auth/list-companies.ts';
import { listSessionsOperation } from './auth/list-sessions.ts';
import { listUsersOperation } from './auth/list-users.ts';
import { logInOperation } from './auth/log-in.ts';
import { logOutOperation } from './auth/log-out.ts';
import { openSessionOperation } from './auth/open-session.ts';
import { refreshSessionOperation } from './auth/refresh-session.ts';
import { renewSessionOperation } from './auth/renew-session.ts';
import { replacePasswordOperation } from './auth/replace-password.ts';
import { listChangesOperation } from './changes/list-changes.ts';
import { archiveConnectionOperation } from './connections/archive-connection.ts';
import { cancelSyncOperation } from './connections/cancel-sync.ts';
import { changeConnectionOperation } from './connections/change-connection.ts';
import { dryRunConnectionOperation } from './connections/dry-run-connection.ts';
import { getCatalogueOperation } from './connections/get-catalogue.ts';
import { getConnectionOperation } from './connections/get-connection.ts';
import { getHealthOperation } from './connections/get-health.ts';
import { getSyncOperation } from './connections/get-sync.ts';
import { getUsageOperation } from './connections/get-usage.ts';
import { listConnectionsOperation } from './connections/list-connections.ts';
import { listSyncsOperation } from './connections/list-syncs.ts';
import { openConnectionOperation } from './connections/open-connection.ts';
import { putCredentialsOperation } from './connections/put-credentials.ts';
import { setUpConnectionOperation } from './connections/set-up-connection.ts';
import { syncConnectionOperation } from './connections/sync-connection.ts';
import { liveOperation } from './health/live.ts';
import { readyOperation } from './health/ready.ts';
import { versionOperation } from './health/version.ts';
import { createTenantOperation } from './operator/create-tenant.ts';
import { listTenantsOperation } from './operator/list-tenants.ts';
import { archiveRuleOperation } from './rules/archive-rule.ts';
import { changeRuleOperation } from './rules/change-rule.ts';
import { createRuleOperation } from './rules/create-rule.ts';
import { evaluateDraftOperation } from './rules/evaluate-draft.ts';
import { getRuleOperation } from './rules/get-rule.ts';
import { listRuleVersionsOperation } from './rules/list-rule-versions.ts';
import { listRulesOperation } from './rules/list-rules.ts';
import { pauseRuleOperation } from './rules/pause-rule.ts';
import { resumeRuleOperation } from './rules/resume-rule.ts';
import { backfillRuleOperation } from './runs/backfill-rule.ts';
import { cancelRunOperation } from './runs/cancel-run.ts';
import { getRunOperation } from './runs/get-run.ts';
import { listRunMatchesOperation } from './runs/list-run-matches.ts';
import { listRunsOperation } from './runs/list-runs.ts';
import { previewRuleOperation } from './runs/preview-rule.ts';
import { revertRunOperation } from './runs/revert-run.ts';
import { changeScheduleOperation } from './schedules/change-schedule.ts';
import { createScheduleOperation } from './schedules/create-schedule.ts';
import { deleteScheduleOperation } from './schedules/delete-schedule.ts';
import { getScheduleOperation } from './schedules/get-schedule.ts';
import { listScheduleRunsOperation } from './schedules/list-schedule-runs.ts';
import { listSchedulesOperation } from './schedules/list-schedules.ts';
import { listTurnsOperation } from './schedules/list-turns.ts';
import { pauseScheduleOperation } from './schedules/pause-schedule.ts';
import { resumeScheduleOperation } from './schedules/resume-schedule.ts';
import { runScheduleOperation } from './schedules/run-schedule.ts';
import { explainTransactionOperation } from './transactions/explain-transaction.ts';
import { exportTransactionsOperation } from './transactions/export-transactions.ts';
import { getTransactionOperation } from './transactions/get-transaction.ts';
import { getTransactionTotalsOperation } from './transactions/get-transaction-totals.ts';
import { listTransactionsOperation } from './transactions/list-transactions.ts';
import { listUnassignedGroupsOperation } from './transactions/list-unassigned-groups.ts';
import { retryAutomationOperation } from './transactions/retry-automation.ts';
import { archiveWebhookOperation } from './webhooks/archive-webhook.ts';
import { changeWebhookOperation } from './webhooks/change-webhook.ts';
import { createWebhookOperation } from './webhooks/create-webhook.ts';
import { getWebhookOperation } from './webhooks/get-webhook.ts';
import { listDeliveriesOperation } from './webhooks/list-deliveries.ts';
import { listWebhooksOperation } from './webhooks/list-webhooks.ts';
import { pauseWebhookOperation } from './webhooks/pause-webhook.ts';
import { replayWebhookOperation } from './webhooks/replay-webhook.ts';
import { resumeWebhookOperation } from './webhooks/resume-webhook.ts';
import { retryDeliveryOperation } from './webhooks/retry-delivery.ts';
import { rotateWebhookSecretOperation } from './webhooks/rotate-webhook-secret.ts';
import { testWebhookOperation } from './webhooks/test-webhook.ts';

/** Every operation, in the order of the reference. A fixed path precedes one whose parameter would match it. */
export const operations: readonly Operation[] = [
  liveOperation,
  readyOperation,
  versionOperation,
  logInOperation,
  refreshSessionOperation,
  logOutOperation,
  getSignInOperation,
  openSessionOperation,
  renewSessionOperation,
  closeSessionOperation,
  getMeOperation,
  changeMeOperation,
  replacePasswordOperation,
  listSessionsOperation,
  endSessionOperation,
  listCompaniesOperation,
  createCompanyOperation,
  listUsersOperation,
  addUserOperation,
  changeUserOperation,
  createApiKeyOperation,
  listApiKeysOperation,
  rotateApiKeyOperation,
  revokeApiKeyOperation,
  createTenantOperation,
  listTenantsOperation,
  getCatalogueOperation,
  openConnectionOperation,
  listConnectionsOperation,
  getConnectionOperation,
  changeConnectionOperation,
  archiveConnectionOperation,
  putCredentialsOperation,
  setUpConnectionOperation,
  dryRunConnectionOperation,
  syncConnectionOperation,
  listSyncsOperation,
  getSyncOperation,
  cancelSyncOperation,
  getHealthOperation,
  getUsageOperation,
  listTransactionsOperation,
  exportTransactionsOperation,
  getTransactionTotalsOperation,
  listUnassignedGroupsOperation,
  getTransactionOperation,
  explainTransactionOperation,
  retryAutomationOperation,
  listTransactionAssignmentsOperation,
  attachAssignmentOperation,
  revokeAssignmentOperation,
  listAssignmentsOperation,
  listChangesOperation,
  createWebhookOperation,
  listWebhooksOperation,
  getWebhookOperation,
  changeWebhookOperation,
  pauseWebhookOperation,
  resumeWebhookOperation,
  rotateWebhookSecretOperation,
  testWebhookOperation,
  listDeliveriesOperation,
  retryDeliveryOperation,
  replayWebhookOperation,
  archiveWebhookOperation,
  createRuleOperation,
  listRulesOperation,
  evaluateDraftOperation,
  getRuleOperation,
  listRuleVersionsOperation,
  changeRuleOperation,
  pauseRuleOperation,
  resumeRuleOperation,
  archiveRuleOperation,
  previewRuleOperation,
  backfillRuleOperation,
  listRunsOperation,
  getRunOperation,
  listRunMatchesOperation,
  cancelRunOperation,
  revertRunOperation,
  createScheduleOperation,
  listSchedulesOperation,
  listTurnsOperation,
  getScheduleOperation,
  changeScheduleOperation,
  pauseScheduleOperation,
  resumeScheduleOperation,
  runScheduleOperation,
  listScheduleRunsOperation,
  deleteScheduleOperation,
  listAnalyticsQueriesOperation,
  getAnalyticsQueryOperation,
  getAnalyticsResultsOperation,
  listConnectorLogsOperation,
  getConnectorLogOperation,
  listHistoryOperation,
  exportHistoryOperation,
  getIntegrityOperation,
  getProofOperation,
  getEntityHistoryOperation,
  getEntityAsOfOperation,
  getEntityDiffOperation,
  getProvenanceOperation,
  startReplayOperation,
  getReplayOperation,
];
