import type { Caller } from '../../../identity/caller.ts';
import type { TransactionDocument } from '../../../projections/transactions.ts';
import { isoTime } from '../../../shared/clock.ts';
import { ApiError } from '../../core/errors.ts';
import type { HttpServices } from '../../core/http-services.ts';
import { z } from '../../core/zod.ts';
import { transactionResource, transactionSchema } from '../../resources/transaction.ts';
import { leasesOf } from './transaction-of.ts';

/** The query parameter of an operation whose answer names transactions. */
export const includeTransactions = { include: z.enum(['transactions']).optional() };

type Asked = { readonly include?: 'transactions' };

/** What it adds to the result. */
export const includedTransactions = {
  transactions: z.array(transactionSchema).optional().openapi({
    description: 'With `include=transactions`: the transactions named here that there still are, each once.',
  }),
};

/** Rows are shown to who may read them, whatever else the answer is about. @throws ApiError PERMISSION_DENIED */
export function refuseTransactions({ scopes }: Caller, { include }: Asked): void {
  if (include === undefined || scopes.includes('transactions:read')) return;
  throw new ApiError('PERMISSION_DENIED', { required: 'transactions:read' });
}

export async function transactionsIncluded(
  services: HttpServices,
  { include }: Asked,
  read: () => readonly TransactionDocument[] | Promise<readonly TransactionDocument[]>,
): Promise<{ transactions?: z.input<typeof transactionSchema>[] }> {
  if (include === undefined) return {};
  const documents = await read();
  const leaseOf = await leasesOf(services, documents);
  const now = isoTime(services.clock.now());
  return { transactions: documents.map((document) => transactionResource(document, leaseOf(document), now)) };
}
