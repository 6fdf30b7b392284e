import { toUnits } from '../../shared/money.ts';
import { xmlAmount } from './amount.ts';
import { batchReference } from './batch-reference.ts';
import { camtEntry } from './camt-entry.ts';
import { type Holder, isDocument, readHolder } from './camt053.ts';
import { StatementFault, type StatementRow } from './statement.ts';
import type { StatementPart } from './statement-parts.ts';
import { at, childrenOf, readXml, textAt, textOf, type XmlNode } from './xml.ts';

/** The most payments of a batch: a larger batch stays one row. */
const MOST_DETAILS = 2_000;
/** The most notes of one notification about batches that stay one row. */
const MOST_NOTES = 20;

/**
 * Reads an ISO 20022 camt.054 message (BankToCustomerDebitCreditNotification). Its rows are the payments of each booked
 * entry that lists several, if they add up to the entry; `reference` says which batch they belong to. They are not
 * transactions by themselves: the statement decides what was booked.
 * @throws StatementFault when it is not such a message, or its XML is malformed
 */
export async function* readCamt054(text: AsyncIterable<string>): AsyncGenerator<StatementPart> {
  let open: Notification | null = null;
  let count = 0;
  let message = false;
  const isMessage = (path: readonly string[]): boolean =>
    path.at(-1) === 'BkToCstmrDbtCdtNtfctn' && isDocument(path.slice(0, -1));
  const isNotification = (path: readonly string[]): boolean => path.at(-1) === 'Ntfctn' && isMessage(path.slice(0, -1));
  const isWhole = (path: readonly string[]): boolean => isNotification(path.slice(0, -1));
  const placeOf = (path: readonly string[]): string => `Ntfctn[${count}]/${path.at(-1)}`;
  for await (const events of readXml(text, isWhole, placeOf)) {
    for (const event of events) {
      const { path, kind } = event;
      if (kind === 'begin' && isMessage(path)) message = true;
      if (kind === 'begin' && isNotification(path)) {
        count += 1;
        open = openNotification(`Ntfctn[${count}]`);
      } else if (kind === 'end' && isNotification(path)) {
        yield* open?.close() ?? [];
        open = null;
      } else if (kind === 'element') yield* open?.take(path.at(-1) ?? '', event.node) ?? [];
      else if (kind === 'broken') open?.fail(new StatementFault(event.fault.message, placeOf(path), event.fault.code));
    }
  }
  if (!message) throw new StatementFault('the XML is not a camt.054 message', null, 'STATEMENT_FORMAT_UNKNOWN');
  if (count === 0) throw new StatementFault('the message holds no notification (Ntfctn)', 'BkToCstmrDbtCdtNtfctn');
}

type Notification = {
  readonly take: (name: string, node: XmlNode) => StatementPart[];
  readonly fail: (fault: StatementFault) => void;
  readonly close: () => StatementPart[];
};

function openNotification(place: string): Notification {
  const currencies = new Set<string>();
  const stays: StatementFault[] = [];
  let holder: Holder | null = null;
  let entries = 0;
  let fault: StatementFault | null = null;

  function takeEntry(node: XmlNode): StatementPart[] {
    entries += 1;
    const entryPlace = `${place}/Ntry[${entries}]`;
    if (holder === null) throw new StatementFault('the notification names no account (Acct/Id)', entryPlace);
    const { currency, rows, difference } = paymentsOf(node, entryPlace, holder.iban, entries);
    if (rows.length > 0 && currency !== null) currencies.add(currency);
    if (difference !== null && stays.length < MOST_NOTES) {
      stays.push(new StatementFault(difference, entryPlace, 'STATEMENT_DETAILS_DIFFER'));
    }
    return rows.map((row) => ({ kind: 'row', row, of: currency ?? '' }));
  }

  return {
    take(name, node) {
      if (fault !== null) return [];
      try {
        if (name === 'Acct') holder = readHolder(node, place);
        return name === 'Ntry' ? takeEntry(node) : [];
      } catch (error) {
        if (!(error instanceof StatementFault)) throw error;
        fault = error;
        return [];
      }
    },
    fail: (found) => {
      fault ??= found;
    },
    close() {
      if (fault !== null) return [{ kind: 'fault', fault }];
      if (holder === null) return [];
      const { key, ...account } = holder;
      const closing = [...currencies].map((currency): StatementPart => {
        const statement = {
          identity: '',
          format: 'camt.054' as const,
          account: { ...account, key: `${key}/${currency}`, currency },
          ...{ opening: null, closing: null, available: null },
          place,
          notes: [],
        };
        return { kind: 'statement', of: currency, statement };
      });
      // Faults come after the statements, because a fault drops all rows that no statement has closed.
      return [...closing, ...stays.map((one): StatementPart => ({ kind: 'fault', fault: one }))];
    },
  };
}

type Payments = {
  /** Null for an entry that is not a booked batch. */
  readonly currency: string | null;
  readonly rows: readonly StatementRow[];
  /** Why a batch stays one row. */
  readonly difference: string | null;
};

/** @param nth distinguishes the batches of a file that share a reference */
function paymentsOf(entry: XmlNode, place: string, own: string | null, nth: number): Payments {
  const batch = camtEntry(entry, place, own, null);
  const details = childrenOf(entry, 'NtryDtls').flatMap((group) => childrenOf(group, 'TxDtls'));
  if (batch === null || details.length < 2) return { currency: null, rows: [], difference: null };
  const { currency, row } = batch;
  const stays = (difference: string): Payments => ({ currency, rows: [], difference });
  if (details.length > MOST_DETAILS) return stays(`the batch has more than ${MOST_DETAILS} payments`);
  const rows: StatementRow[] = [];
  let sum = 0n;
  for (const [index, detail] of details.entries()) {
    const detailPlace = `${place}/TxDtls[${index + 1}]`;
    const amount = at(detail, 'Amt') ?? at(detail, 'AmtDtls', 'TxAmt', 'Amt');
    if (amount === undefined || textAt(amount, '@Ccy') !== currency) {
      return stays('a payment of the batch has no amount in the currency of the account');
    }
    const payment = camtEntry(asEntry(entry, detail, amount), detailPlace, own, null);
    if (payment === null) return stays('a payment of the batch is not booked');
    const units = toUnits(xmlAmount(textOf(amount) ?? '', detailPlace));
    sum += payment.row.incoming === row.incoming ? units : -units;
    rows.push(payment.row);
  }
  if (sum !== toUnits(row.amount)) return stays('the payments of the batch do not add up to it');
  const reference = batchReference({
    reference: row.references.bankReference ?? null,
    amount: row.amount,
    incoming: row.incoming,
    nth,
  });
  const { day, transactionDate } = row;
  return { currency, rows: rows.map((one) => ({ ...one, day, transactionDate, reference })), difference: null };
}

/**
 * The entry with only one of its payments; what the payment states takes precedence over what the entry states for all.
 */
function asEntry(entry: XmlNode, detail: XmlNode, amount: XmlNode): XmlNode {
  const given: Record<string, XmlNode | readonly XmlNode[]> = { Amt: amount, NtryDtls: { TxDtls: detail } };
  for (const name of ['CdtDbtInd', 'RvslInd', 'BkTxCd']) {
    const found = at(detail, name) ?? at(entry, name);
    if (found !== undefined) given[name] = found;
  }
  for (const name of ['Sts', 'BookgDt', 'ValDt']) {
    const found = at(entry, name);
    if (found !== undefined) given[name] = found;
  }
  const reference = at(detail, 'Refs', 'AcctSvcrRef') ?? at(entry, 'AcctSvcrRef');
  return reference === undefined ? given : { ...given, AcctSvcrRef: reference };
}
