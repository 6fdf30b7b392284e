import { openTransactionFile, type TransactionFiles } from '../http/routes/transactions/transaction-file.ts';
import type { EventLog } from '../log/log.ts';
import type { ReadModels } from '../queries/read-models.ts';
import type { CostlyRequests } from '../traffic/costly-requests.ts';
import { openExportThread } from './export-thread.ts';

/** Each part is made in an iteration of the event loop of its own, for which other requests wait. */
const ROWS_HERE = 32;

/**
 * Exports of transactions: made in a thread of their own where the read models are in a file, else part by part in the
 * thread that answers. The bytes are the same.
 */
export function openTransactionFiles(options: {
  readonly readModelsFile: string | null;
  readonly log: EventLog;
  readonly readModels: ReadModels;
  readonly costlyRequests: CostlyRequests;
}): { readonly transactionFiles: TransactionFiles; readonly close: () => Promise<void> } {
  const { readModelsFile, log, readModels, costlyRequests } = options;
  if (readModelsFile === null) {
    const open: TransactionFiles['open'] = (question) =>
      openTransactionFile({ log, readModels, rowsAPart: ROWS_HERE }, question);
    return { transactionFiles: { open, inTurn: costlyRequests.inTurn }, close: async () => {} };
  }
  const thread = openExportThread({
    file: readModelsFile,
    // What it takes of this thread its tenant takes in turn with others, as any costly piece.
    readStreams: (tenantId, streams) =>
      costlyRequests.pace(tenantId, () =>
        Promise.all(streams.map(({ stream, fromRevision }) => log.readStreamPositions(stream, { fromRevision }))),
      ),
  });
  return { transactionFiles: { open: thread.open, inTurn: costlyRequests.aside }, close: thread.close };
}
