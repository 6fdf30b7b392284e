import type { RecordedEvent } from '../events/event.ts';
import { type TransactionDocument, transactions } from '../projections/transactions.ts';
import type { Condition } from '../readstore/read-store.ts';
import { documentAfter } from './after-write.ts';
import type { Reader } from './reader.ts';
import { type TransactionFilter, transactionConditions } from './transaction-filter.ts';

/** Reads one transaction's whole stream. */
export type ReadTransaction = (tenantId: string, transactionId: string) => Promise<readonly RecordedEvent[]>;

/**
 * Fields that can change after a transaction was recorded; a filter on them is applied to the row as it stood, not as
 * it stands.
 */
const CHANGING = new Set(['automation.status', 'assigned', 'referenceKeys', 'tags', 'ruleIds']);

/**
 * The transactions of a filter exactly as they stood at a position of the log, by transactionDate and id: what was
 * recorded later is left out, and what changed later is folded again from its stream up to the position. Costs what has
 * changed since, not the whole history; flat in memory. The position must be one that the read model had reached.
 */
export async function* transactionsAt(
  reader: Reader,
  readTransaction: ReadTransaction,
  filter: TransactionFilter,
  position: string,
): AsyncIterable<TransactionDocument> {
  const conditions = transactionConditions(filter);
  const fixed = conditions.filter(({ field }) => !CHANGING.has(field));
  const changing = conditions.filter(({ field }) => CHANGING.has(field));
  const all = reader.all(transactions, { filter: fixed, sort: [{ field: 'transactionDate', direction: 'asc' }] });
  for await (const document of all) {
    if (document.recordedPosition > position) continue;
    const stood = document._position > position ? await foldedUpTo(readTransaction, document, position) : document;
    if (changing.every((condition) => holds(stood, condition))) yield stood;
  }
}

async function foldedUpTo(
  readTransaction: ReadTransaction,
  { tenantId, id }: TransactionDocument,
  position: string,
): Promise<TransactionDocument> {
  const events = await readTransaction(tenantId, id);
  return documentAfter(
    transactions,
    events.filter((event) => event.position <= position),
  );
}

function holds(document: TransactionDocument, { field, value }: Condition): boolean {
  switch (field) {
    case 'automation.status':
      return document.automation.status === value;
    case 'assigned':
      return document.assigned === value;
    case 'referenceKeys':
      return document.referenceKeys.includes(String(value));
    case 'tags':
      return document.tags.includes(String(value));
    case 'ruleIds':
      return document.ruleIds.includes(String(value));
    default:
      return true;
  }
}
