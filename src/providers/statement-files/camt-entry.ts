import type { RowReferences } from '../bank-provider.ts';
import { statedIban } from './account-number.ts';
import { xmlAmount } from './amount.ts';
import { referencesOf } from './row-references.ts';
import { StatementFault, type StatementRow, tidied } from './statement.ts';
import { at, childrenOf, textAt, textOf, type XmlNode } from './xml.ts';

export type CamtEntry = { readonly currency: string; readonly row: StatementRow };

/** ISO 20022 external codes of schemes under which a party states a tax, company or identity number. */
const IDENTITY_SCHEMES = new Set(['TXID', 'NIDN', 'SOSE', 'COID', 'CINC', 'SREN', 'SRET']);
const FILLERS = /^(NOTPROVIDED|NOT ?PROVIDED|NON ?REF|NONE|N\/?A|UNKNOWN|X+|0+|-+)$/i;
const MIDNIGHT = /T00:00(:00(\.0+)?)?(Z|[+-]\d{2}:\d{2})?$/;

/**
 * Reads one `Ntry` of a camt.053 as one row: its amount is the change of the balance; payments booked together (several
 * `TxDtls`) share the row. Null unless it is booked. `CdtDbtInd` is the direction of the entry itself, even for a
 * reversal (ISO 20022: "If CreditDebitIndicator is CRDT and ReversalIndicator is Yes, the original entry was a debit
 * entry"), so `RvslInd` does not change the sign. It swaps the parties, which are those of the reversed payment.
 * @param otherwise the day for an entry that states none
 * @throws StatementFault
 */
export function camtEntry(
  entry: XmlNode,
  place: string,
  own: string | null,
  otherwise: string | null,
): CamtEntry | null {
  const status = textAt(entry, 'Sts', 'Cd') ?? textAt(entry, 'Sts');
  if (status === null && at(entry, 'Sts') === undefined)
    throw new StatementFault('an entry has no status (Sts)', place);
  if (status !== 'BOOK') return null;
  const indicator = textAt(entry, 'CdtDbtInd');
  if (indicator !== 'CRDT' && indicator !== 'DBIT') {
    throw new StatementFault('an entry is neither CRDT nor DBIT (CdtDbtInd)', place);
  }
  const currency = textAt(at(entry, 'Amt'), '@Ccy');
  if (currency === null || !/^[A-Z]{3}$/.test(currency))
    throw new StatementFault('an entry has no currency (Amt Ccy)', place);
  const incoming = indicator === 'CRDT';
  const details = childrenOf(entry, 'NtryDtls').flatMap((group) => childrenOf(group, 'TxDtls'));
  const reversal = ['true', '1'].includes(textAt(entry, 'RvslInd') ?? '');
  const party = soleParty(
    details.map((detail) => {
      const named = partyOf(detail, incoming !== reversal, own);
      // Banks that swap the parties of a returned payment name the account holder there.
      const isNobody = named.nameSurname === null && named.iban === null;
      return reversal && (isNobody || isHolder(detail, incoming !== reversal, own))
        ? partyOf(detail, incoming === reversal, own)
        : named;
    }),
  );
  return {
    currency,
    row: {
      reference: referenceOf(entry, details),
      ...bookingDate(entry, place, otherwise),
      formerDay: null,
      amount: xmlAmount(textAt(entry, 'Amt') ?? '', place),
      incoming,
      description: descriptionOf(entry, details),
      ...party,
      code: codeOf(entry) ?? codeOf(details[0]),
      findAI: false,
      references: namesOf(entry, details),
    },
  };
}

/** `YYYY-MM-DD` of an ISO 20022 date, whose time zone, if any, does not affect the day. */
export function dayOf(text: string, place: string): string {
  const day = text.slice(0, 10);
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(day))
    throw new StatementFault('not a calendar date', place);
  return day;
}

/**
 * A date, or midnight in any time zone, becomes that day at 00:00Z; any other time is converted to UTC, and is taken as
 * UTC if it states no time zone.
 */
function bookingDate(
  entry: XmlNode,
  place: string,
  otherwise: string | null,
): Pick<StatementRow, 'day' | 'transactionDate'> {
  const stated = at(entry, 'BookgDt') ?? at(entry, 'ValDt');
  const text = textAt(stated, 'Dt') ?? textAt(stated, 'DtTm') ?? otherwise;
  if (text === null) throw new StatementFault('an entry has no date (BookgDt)', place);
  const day = dayOf(text, place);
  if (!text.includes('T') || MIDNIGHT.test(text)) return { day, transactionDate: `${day}T00:00:00.000Z` };
  const ms = Date.parse(/(Z|[+-]\d{2}:\d{2})$/.test(text) ? text : `${text}Z`);
  if (Number.isNaN(ms)) throw new StatementFault('not a date and time', place);
  return { day, transactionDate: new Date(ms).toISOString() };
}

function referenceOf(entry: XmlNode, details: readonly XmlNode[]): string | null {
  const ofOne = details.length === 1 ? textAt(details[0], 'Refs', 'AcctSvcrRef') : null;
  const reference = textAt(entry, 'AcctSvcrRef') ?? ofOne;
  return reference === null || FILLERS.test(reference) || reference.length > 140 ? null : reference;
}

/** The references of an entry's payments, as far as all of them share them. */
function namesOf(entry: XmlNode, details: readonly XmlNode[]): RowReferences {
  const shared = (read: (detail: XmlNode) => string | null): string | null => {
    const [first = null, ...others] = details.map(read);
    return others.every((other) => other === first) ? first : null;
  };
  return referencesOf({
    endToEndId: shared((detail) => textAt(detail, 'Refs', 'EndToEndId')),
    mandateId: shared((detail) => textAt(detail, 'Refs', 'MndtId')),
    creditorId: shared((detail) => {
      const party = at(detail, 'RltdPties', 'Cdtr');
      return textAt(at(party, 'Pty') ?? party, 'Id', 'PrvtId', 'Othr', 'Id');
    }),
    customerReference: shared((detail) => textAt(detail, 'Refs', 'InstrId')),
    bankReference: referenceOf(entry, details),
  });
}

function codeOf(node: XmlNode | undefined): string | null {
  const code = at(node, 'BkTxCd');
  const domain = [
    textAt(code, 'Domn', 'Cd'),
    textAt(code, 'Domn', 'Fmly', 'Cd'),
    textAt(code, 'Domn', 'Fmly', 'SubFmlyCd'),
  ].filter((part) => part !== null);
  return tidied(textAt(code, 'Prtry', 'Cd') ?? domain.join('-'));
}

/** What the payer wrote, then what the bank adds; the end-to-end reference if neither wrote anything. */
function descriptionOf(entry: XmlNode, details: readonly XmlNode[]): string | null {
  const written = details.map((detail) => {
    const remittance = at(detail, 'RmtInf');
    const free = childrenOf(remittance, 'Ustrd').map(textOf);
    const structured = childrenOf(remittance, 'Strd').flatMap((part) => [
      textAt(part, 'CdtrRefInf', 'Ref'),
      ...childrenOf(part, 'AddtlRmtInf').map(textOf),
    ]);
    return [...free, ...structured, textAt(detail, 'AddtlTxInf')].filter((part) => part !== null).join(' ');
  });
  const added = textAt(entry, 'AddtlNtryInf');
  const parts = [...new Set([...written, added ?? ''])].filter((part) => part !== '');
  const references = details.map((detail) => textAt(detail, 'Refs', 'EndToEndId') ?? '');
  const fallback = references.filter((reference) => reference !== '' && !FILLERS.test(reference));
  return tidied((parts.length > 0 ? parts : fallback).join(' | '), 'description');
}

type Party = Pick<StatementRow, 'nameSurname' | 'iban' | 'idNo'>;
const NOBODY: Party = { nameSurname: null, iban: null, idNo: '' };

/** The party that all payments of an entry share, or nobody: a batch has no single counterparty. */
function soleParty(parties: readonly Party[]): Party {
  const [first, ...others] = parties;
  const shared = others.every((other) => other.iban === first?.iban && other.nameSurname === first?.nameSurname);
  return first !== undefined && shared ? first : NOBODY;
}

function accountOf(detail: XmlNode, paidUs: boolean): string | null {
  const account = at(detail, 'RltdPties', `${paidUs ? 'Dbtr' : 'Cdtr'}Acct`, 'Id');
  return statedIban(textAt(account, 'IBAN') ?? textAt(account, 'Othr', 'Id'));
}

function isHolder(detail: XmlNode, paidUs: boolean, own: string | null): boolean {
  return own !== null && accountOf(detail, paidUs) === own;
}

/**
 * Who paid us (the debtor) or was paid (the creditor). From version 8 on, a party is inside `Pty` or is an agent
 * (`Agt`).
 */
function partyOf(detail: XmlNode, paidUs: boolean, own: string | null): Party {
  const parties = at(detail, 'RltdPties');
  const role = paidUs ? 'Dbtr' : 'Cdtr';
  const iban = accountOf(detail, paidUs);
  const party = [at(parties, role), at(parties, `Ultmt${role}`)].map(
    (node) => at(node, 'Pty') ?? at(node, 'Agt', 'FinInstnId') ?? node,
  );
  const named = party.find((node) => textAt(node, 'Nm') !== null);
  return {
    nameSurname: tidied(textAt(named, 'Nm')),
    iban: iban === own ? null : iban,
    idNo: identityOf(party[0]) ?? '',
  };
}

function identityOf(party: XmlNode | undefined): string | null {
  const numbers = ['OrgId', 'PrvtId'].flatMap((kind) => childrenOf(at(party, 'Id', kind), 'Othr'));
  const fitting = numbers.find((number) => {
    const scheme = textAt(number, 'SchmeNm', 'Cd');
    return scheme === null ? at(number, 'SchmeNm') === undefined : IDENTITY_SCHEMES.has(scheme);
  });
  return tidied(textAt(fitting, 'Id'));
}
