import { foldStream } from '../../../audit/fold-stream.ts';
import { transactionsThen } from '../../../audit/lists-then.ts';
import type { RecordedEvent } from '../../../events/event.ts';
import { type TransactionDocument, transactions } from '../../../projections/transactions.ts';
import type { Reader } from '../../../queries/reader.ts';
import { leaseNames } from '../../../readstore/lease-names.ts';
import type { Lease } from '../../../readstore/read-store.ts';
import { isoTime } from '../../../shared/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { positionOfMoment } from '../../paging/page-as-of.ts';
import { transactionWithAssignments } from '../../resources/transaction.ts';

/** @throws ApiError TRANSACTION_NOT_FOUND */
export async function transactionOf(reader: Reader, id: string): Promise<TransactionDocument> {
  const transaction = await reader.get(transactions, id);
  if (transaction === undefined) throw new ApiError('TRANSACTION_NOT_FOUND');
  return transaction;
}

export type SeenTransaction = {
  readonly document: TransactionDocument;
  /** Of its stream, up to the position. */
  readonly events: readonly RecordedEvent[];
  /** What it is as of; null: now. */
  readonly past: { readonly position: string; readonly moment: string } | null;
};

/**
 * The transaction with the events that made it, now or as of a moment: then folded from its own stream, which is all
 * that is read. @throws ApiError TRANSACTION_NOT_FOUND, DATE_RANGE_INVALID, READ_MODEL_BEHIND
 */
export async function transactionNowOrThen(
  services: HttpServices,
  reader: Reader,
  id: string,
  asOf: string | undefined,
): Promise<SeenTransaction> {
  const now = await transactionOf(reader, id);
  const moment =
    asOf === undefined ? null : { at: asOf, position: await positionOfMoment(services, reader.tenantId, asOf) };
  // Before its stream is read: of what was not there then, nothing is.
  if (moment !== null && now.recordedPosition > moment.position) throw new ApiError('TRANSACTION_NOT_FOUND');
  const all = await services.log.readStreamPositions(transactionsThen.streamOf(now));
  if (moment === null) return { document: now, events: all, past: null };
  const { position, at } = moment;
  const document = foldStream(transactions, all, position).get(now._id);
  if (document === undefined) throw new ApiError('TRANSACTION_NOT_FOUND');
  return { document, events: all.filter((event) => event.position <= position), past: { position, moment: at } };
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
