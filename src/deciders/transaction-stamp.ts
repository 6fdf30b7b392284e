import type { RowReferences } from '../events/bank-transaction.ts';
import type { EventData } from '../events/registry.ts';
import { canonicalJson, sha256 } from '../shared/hash.ts';
import type { Decimal } from '../shared/money.ts';
import { CONTENT_FIELDS, type TransactionContent } from './bank-transaction.ts';

/** A bank's row as it comes in, before it has a stamp. */
export type IncomingTransaction = {
  readonly providerId: string | null;
  readonly discriminator: string | null;
  readonly group?: RowGroup;
  readonly transactionDate: string;
  readonly amount: Decimal;
  readonly incoming: boolean;
  readonly balance: Decimal | null;
  readonly currency: string;
  readonly description: string | null;
  readonly nameSurname: string | null;
  readonly iban: string | null;
  readonly idNo: string;
  readonly code: string | null;
  readonly findAI: boolean;
  readonly references?: RowReferences;
};

/** Rows of one account and day with the same amount and direction, of a bank that gives its rows no ids (ADR 0026). */
export type RowGroup = {
  readonly key: string;
  /** How many rows the bank is known to have in the group. */
  readonly size: number;
  /** Which of them this one is, from 0. */
  readonly index: number;
  /** The day under which an earlier version of this service booked the row, where it is another one. */
  readonly formerDay: string | null;
};

export type StampedTransaction = Omit<
  EventData<'TransactionRecorded'>,
  'transactionId' | 'accountId' | 'syncId' | 'syncPage' | 'bankCode' | 'fetchedAt' | 'automation'
>;

export function contentOf(row: StampedTransaction): TransactionContent {
  return row;
}

function contentHash(content: TransactionContent): string {
  return sha256(canonicalJson(CONTENT_FIELDS.map((field) => content[field])));
}

/** How often each content was seen so far, by listing, day and content. Kept across the pages of one window. */
export type Ordinals = Map<string, number>;

/**
 * Gives each row its `providerStamp`: the bank's id, trimmed, or, where that is blank, a hash of the content plus the
 * ordinal among equal rows of that day in the same listing. So two equal rows stay two, and the same listing gives the
 * same stamps each time. Counts on in `ordinals`. A row of a group gets its stamp later, from what is recorded:
 * `settleStamps`.
 */
export function stampRows(
  subAccountKey: string,
  listing: string,
  rows: readonly IncomingTransaction[],
  ordinals: Ordinals,
): (StampedTransaction & { readonly group?: RowGroup })[] {
  return rows.map((row) => {
    const { providerId, discriminator, balance, group, ...stated } = row;
    const content = { ...stated, subAccountKey };
    const hash = contentHash(content);
    const base = {
      ...content,
      contentHash: hash,
      balance: balance ?? '0',
      balanceStated: balance !== null,
    };
    if (group !== undefined) return { ...base, group, providerStamp: '', stampOrigin: 'content' };
    const given = providerId?.trim() ?? '';
    if (given !== '') return { ...base, providerStamp: given, stampOrigin: 'provider' };
    const identity = discriminator === null ? hash : sha256(`${hash} ${discriminator}`);
    const key = `${listing} ${row.transactionDate.slice(0, 10)} ${identity}`;
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return { ...base, providerStamp: `content:${identity}:${ordinal}`, stampOrigin: 'content' };
  });
}
