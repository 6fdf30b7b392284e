import { documentId } from '../shared/ids.ts';

/** The lease a worker holds while it evaluates the transaction. */
export function automationLeaseName(tenantId: string, transactionId: string): string {
  return `automation/${documentId(tenantId, transactionId)}`;
}
