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
  /** The payments of a row of a group, recorded in its place unless it is recorded already (ADR 0025). */
  readonly details?: readonly Omit<IncomingTransaction, 'group' | 'details'>[];
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

/** A row whose stamp is settled later, from what is recorded: blank until then, as those of its payments. */
export type UnsettledRow = StampedTransaction & {
  readonly group?: RowGroup;
  readonly details?: readonly StampedTransaction[];
};

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
): UnsettledRow[] {
  return rows.map((row) => {
    const { providerId, discriminator, group, details } = row;
    const base = unstamped(subAccountKey, row);
    const { contentHash: hash } = base;
    if (group !== undefined) {
      const payments = details?.map((detail) => ({ ...unstamped(subAccountKey, detail), ...UNSETTLED }));
      return { ...base, ...UNSETTLED, group, ...(payments === undefined ? {} : { details: payments }) };
    }
    const given = providerId?.trim() ?? '';
    if (given !== '') return { ...base, providerStamp: given, stampOrigin: 'provider' };
    const identity = discriminator === null ? hash : sha256(`${hash} ${discriminator}`);
    const key = `${listing} ${row.transactionDate.slice(0, 10)} ${identity}`;
    const ordinal = ordinals.get(key) ?? 0;
    ordinals.set(key, ordinal + 1);
    return { ...base, providerStamp: `content:${identity}:${ordinal}`, stampOrigin: 'content' };
  });
}

const UNSETTLED = { providerStamp: '', stampOrigin: 'content' } as const;

function unstamped(
  subAccountKey: string,
  row: IncomingTransaction,
): Omit<StampedTransaction, 'providerStamp' | 'stampOrigin'> {
  const { providerId: _id, discriminator: _told, balance, group: _group, details: _details, ...stated } = row;
  const content = { ...stated, subAccountKey };
  return { ...content, contentHash: contentHash(content), balance: balance ?? '0', balanceStated: balance !== null };
}
