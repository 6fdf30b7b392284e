import type { EventType } from '../events/registry.ts';
import type { Document } from '../readstore/read-store.ts';
import { documentId } from '../shared/ids.ts';
import type { Projection } from './projection.ts';

/**
 * A day (UTC) with transactions of a company, and the position at which the first of them was recorded: a list as of an
 * earlier position skips it.
 */
export type TransactionDayDocument = Document & {
  readonly tenantId: string;
  readonly companyId: string;
  readonly day: string;
  readonly firstPosition: string;
};

const DAY_LENGTH = 'YYYY-MM-DD'.length;

/** @param instant ISO 8601 UTC */
export function dayOf(instant: string): string {
  return instant.slice(0, DAY_LENGTH);
}

const TAKES = ['TransactionRecorded'] as const satisfies readonly EventType[];

export const transactionDays: Projection<TransactionDayDocument, (typeof TAKES)[number]> = {
  name: 'transaction-days',
  version: 1,
  takes: TAKES,
  keys: ({ metadata, data }) => [documentId(metadata.tenantId, metadata.companyId ?? '', dayOf(data.transactionDate))],
  evolve(document, event, key) {
    if (document !== undefined) return document;
    const { tenantId, companyId } = event.metadata;
    const day = dayOf(event.data.transactionDate);
    return { _id: key, tenantId, companyId: companyId ?? '', day, firstPosition: event.position };
  },
  indexes: [{ fields: ['tenantId', 'day'] }],
};
