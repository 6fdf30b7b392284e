import { documentId } from '../shared/ids.ts';

/** The name of every lease, in one place: two kinds of work must never share a name. */
export const leaseNames = {
  bootstrap: 'bootstrap',
  /** Held while an email is claimed for a login in a tenant; named by the email's keyed hash. */
  loginName: (tenantId: string, emailHash: string): string => `login-name ${documentId(tenantId, emailHash)}`,
  /** Held while the admins of a tenant are counted and changed. */
  admins: (tenantId: string): string => `admins ${tenantId}`,
  /** Held by the instance that runs the projection; `versionedName` is `<name>@<version>`. */
  projection: (versionedName: string): string => `projection/${versionedName}`,
  /** Held by the instance that evaluates transactions of the tenant. */
  automation: (tenantId: string): string => `automation/${tenantId}`,
  ruleRun: (tenantId: string, runId: string): string => `run/${documentId(tenantId, runId)}`,
  /** The following take the id of the document that holds the work. */
  setup: (connectionDocumentId: string): string => `setup/${connectionDocumentId}`,
  sync: (syncDocumentId: string): string => `sync/${syncDocumentId}`,
  scheduleRun: (scheduleRunDocumentId: string): string => `schedule-run/${scheduleRunDocumentId}`,
  replay: (replayDocumentId: string): string => `replay/${replayDocumentId}`,
  webhook: (webhookDocumentId: string): string => `webhook/${webhookDocumentId}`,
  seal: (tenantId: string): string => `seal/${tenantId}`,
} as const;
