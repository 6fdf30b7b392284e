import { type TransactionDocument, transactions } from '../../../projections/transactions.ts';
import type { Reader } from '../../../queries/reader.ts';
import { leaseNames } from '../../../readstore/lease-names.ts';
import type { Lease } from '../../../readstore/read-store.ts';
import { isoTime } from '../../../shared/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { transactionWithAssignments } from '../../resources/transaction.ts';

/** @throws ApiError TRANSACTION_NOT_FOUND */
export async function transactionOf(reader: Reader, id: string): Promise<TransactionDocument> {
  const transaction = await reader.get(transactions, id);
  if (transaction === undefined) throw new ApiError('TRANSACTION_NOT_FOUND');
  return transaction;
}

/**
 * The leases under which transactions that are due are evaluated: they are not in the log and are added when reading.
 */
export async function leasesOf(
  services: HttpServices,
  documents: readonly TransactionDocument[],
): Promise<(document: TransactionDocument) => Lease | undefined> {
  const now = isoTime(services.clock.now());
  const isDue = ({ automationDueAt }: TransactionDocument): boolean =>
    automationDueAt !== null && automationDueAt <= now;
  const tenantIds = new Set(documents.filter(isDue).map(({ tenantId }) => tenantId));
  if (tenantIds.size === 0) return () => undefined;
  const leases = await services.leases.getMany([...tenantIds].map(leaseNames.automation));
  return (document) => (isDue(document) ? leases.get(leaseNames.automation(document.tenantId)) : undefined);
}

export async function wholeTransaction(services: HttpServices, document: TransactionDocument) {
  const leaseOf = await leasesOf(services, [document]);
  return transactionWithAssignments(document, leaseOf(document), isoTime(services.clock.now()));
}
