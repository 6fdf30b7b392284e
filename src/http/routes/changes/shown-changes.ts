import type { AssignmentDocument } from '../../../projections/assignments.ts';
import type { ConnectionDocument } from '../../../projections/connections.ts';
import type { RuleRunDocument } from '../../../projections/rule-runs.ts';
import type { RuleDocument } from '../../../projections/rules.ts';
import type { ScheduleDocument } from '../../../projections/schedules.ts';
import type { SyncRunDocument } from '../../../projections/sync-runs.ts';
import type { TransactionDocument } from '../../../projections/transactions.ts';
import type { Change, ChangeType } from '../../../queries/changes.ts';
import type { Document } from '../../../readstore/read-store.ts';
import { isoTime } from '../../../shared/clock.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { assignmentResource } from '../../resources/assignment.ts';
import type { ChangeResource } from '../../resources/change.ts';
import { connectionResource } from '../../resources/connection.ts';
import { ruleResource } from '../../resources/rule.ts';
import { scheduleResource } from '../../resources/schedule.ts';
import { syncResource } from '../../resources/sync.ts';
import { transactionWithAssignments } from '../../resources/transaction.ts';
import { runResources } from '../runs/run-of.ts';
import { leasesOf } from '../transactions/transaction-of.ts';

/** The changes with their resources as the single GETs show them; leases are read once for all. */
export async function shownChanges(services: HttpServices, changes: readonly Change[]): Promise<ChangeResource[]> {
  const nowMs = services.clock.now();
  const now = isoTime(nowMs);
  const leaseOf = await leasesOf(services, documentsOf<TransactionDocument>(changes, 'transaction'));
  const runs = await runResources(services, documentsOf<RuleRunDocument>(changes, 'run'));
  const runById = new Map(runs.map((run) => [run.id, run]));
  const shown: Readonly<Record<ChangeType, (document: never, id: string) => unknown>> = {
    assignment: (document: AssignmentDocument) => assignmentResource(document),
    connection: (document: ConnectionDocument) => connectionResource(document, nowMs),
    rule: (document: RuleDocument) => ruleResource(document),
    run: (_: RuleRunDocument, id) => runById.get(id),
    schedule: (document: ScheduleDocument) => scheduleResource(document),
    sync: (document: SyncRunDocument) => syncResource(document),
    transaction: (document: TransactionDocument) => transactionWithAssignments(document, leaseOf(document), now),
  };
  return changes.map(({ document, ...change }) => {
    const resource = document === null ? null : shown[change.type](document as never, change.id);
    return { ...change, resource } as ChangeResource;
  });
}

function documentsOf<D extends Document>(changes: readonly Change[], type: ChangeType): D[] {
  return changes.flatMap((change) => (change.type === type && change.document !== null ? [change.document as D] : []));
}
