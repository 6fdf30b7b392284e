import { documentId } from '../shared/ids.ts';

/** The lease a worker holds while it works on the run. */
export function ruleRunLeaseName(tenantId: string, runId: string): string {
  return `run/${documentId(tenantId, runId)}`;
}
