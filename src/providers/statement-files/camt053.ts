import { setImmediate } from 'node:timers/promises';
import { type Decimal, negate } from '../../shared/money.ts';
import { statedIban } from './account-number.ts';
import { xmlAmount } from './amount.ts';
import { camtEntry, dayOf } from './camt-entry.ts';
import {
  type Reading,
  type Statement,
  type StatementAccount,
  type StatementBalance,
  StatementFault,
  type StatementRow,
  tidied,
} from './statement.ts';
import { at, childrenOf, readDocument, readFragment, textAt, textOf, type XmlNode } from './xml.ts';

/** Characters of entries read before others get their turn on the event loop. */
const READ_AT_ONCE = 256 * 1024;

/**
 * Reads an ISO 20022 camt.053 message (BankToCustomerStatement, versions 2 to 13) by element names, whatever its
 * namespace. One statement comes out for each `Stmt` and currency, and a fault for each `Stmt` of which a part that
 * money depends on is missing or wrong.
 * @throws StatementFault when it is no such message
 */
export async function readCamt053(text: string): Promise<Reading> {
  const { root, verbatim } = readDocument(text, 'Ntry');
  const message = at(documentIn(root), 'BkToCstmrStmt');
  if (message === undefined) {
    throw new StatementFault('the XML is not a camt.053 message', null, 'STATEMENT_FORMAT_UNKNOWN');
  }
  const given = childrenOf(message, 'Stmt');
  if (given.length === 0) throw new StatementFault('the message holds no statement (Stmt)', 'BkToCstmrStmt');
  const statements: Statement[] = [];
  const faults: StatementFault[] = [];
  for (const [index, statement] of given.entries()) {
    try {
      statements.push(...(await readStatement(statement, verbatim, `Stmt[${index + 1}]`)));
    } catch (error) {
      if (!(error instanceof StatementFault)) throw error;
      faults.push(error);
    }
  }
  return { statements, faults };
}

/** Envelopes in which SWIFT and banks deliver a message, such as `BizMsgEnvlp` and `Saa:DataPDU`, are no deeper. */
const DEEPEST_ENVELOPE = 4;

/** The message's `Document`, wherever in an envelope it stands. */
function documentIn(node: XmlNode, depth = 0): XmlNode | undefined {
  const found = at(node, 'Document');
  if (found !== undefined || depth === DEEPEST_ENVELOPE || typeof node === 'string') return found;
  for (const name of Object.keys(node)) {
    for (const child of childrenOf(node, name)) {
      const inside = documentIn(child, depth + 1);
      if (inside !== undefined) return inside;
    }
  }
  return undefined;
}

async function readStatement(statement: XmlNode, verbatim: readonly string[], place: string): Promise<Statement[]> {
  const holder = readHolder(statement, place);
  const balances = childrenOf(statement, 'Bal').map((balance, index) =>
    readBalance(balance, `${place}/Bal[${index + 1}]`),
  );
  const declared = textAt(statement, 'Acct', 'Ccy');
  const closingDay = balances.find(({ type }) => type === 'CLBD')?.day ?? null;
  const rows = new Map<string, StatementRow[]>(declared === null ? [] : [[declared, []]]);
  let readSince = 0;
  for (const [index, entry] of childrenOf(statement, 'Ntry').entries()) {
    const entryPlace = `${place}/Ntry[${index + 1}]`;
    const content = verbatim[Number(textOf(entry) ?? Number.NaN)];
    if (content === undefined) throw new StatementFault('an entry is empty', entryPlace);
    readSince += content.length;
    if (readSince > READ_AT_ONCE) {
      await setImmediate();
      readSince = content.length;
    }
    const node = readFragment('Ntry', content, entryPlace);
    const read = camtEntry(node, entryPlace, holder.iban, closingDay);
    if (read === null) continue;
    const ofCurrency = rows.get(read.currency);
    if (ofCurrency === undefined) rows.set(read.currency, [read.row]);
    else ofCurrency.push(read.row);
  }
  for (const { currency } of balances) {
    if (!rows.has(currency) && isStatedWhole(balances, currency, declared)) rows.set(currency, []);
  }
  const identity = textAt(statement, 'Id') ?? '';
  return [...rows].map(([currency, ofCurrency]) => ({
    identity: `${identity}/${textAt(statement, 'ElctrncSeqNb') ?? ''}/${currency}`,
    format: 'camt.053' as const,
    account: { ...holder, key: `${holder.key}/${currency}`, currency },
    ...balancesOf(balances, currency),
    rows: ofCurrency,
    place,
    notes: [],
  }));
}

type Holder = Omit<StatementAccount, 'currency'>;

function readHolder(statement: XmlNode, place: string): Holder {
  const account = at(statement, 'Acct');
  const stated = textAt(account, 'Id', 'IBAN') ?? textAt(account, 'Id', 'Othr', 'Id');
  if (stated === null) throw new StatementFault('the statement names no account (Acct/Id)', `${place}/Acct`);
  if (stated.length > 64) throw new StatementFault('the account number is too long', `${place}/Acct/Id`);
  // Some banks put an IBAN where other numbers belong; it is the same account.
  const iban = statedIban(stated);
  const bank = at(account, 'Svcr', 'FinInstnId');
  return {
    key: iban ?? stated.replace(/\s+/g, '').toUpperCase(),
    iban,
    accountNo: iban === null ? stated : null,
    accountName: tidied(textAt(account, 'Nm') ?? textAt(account, 'Ownr', 'Nm')),
    accountType: tidied(textAt(account, 'Tp', 'Cd') ?? textAt(account, 'Tp', 'Prtry')),
    branchId: tidied(textAt(bank, 'BICFI') ?? textAt(bank, 'BIC')),
    branchName: tidied(textAt(bank, 'Nm')),
  };
}

type Balance = StatementBalance & { readonly type: string; readonly currency: string };

function readBalance(balance: XmlNode, place: string): Balance {
  const currency = textAt(at(balance, 'Amt'), '@Ccy');
  if (currency === null || !/^[A-Z]{3}$/.test(currency))
    throw new StatementFault('a balance has no currency (Amt Ccy)', place);
  const magnitude = xmlAmount(textAt(balance, 'Amt') ?? '', place);
  const indicator = textAt(balance, 'CdtDbtInd');
  if (indicator !== 'CRDT' && indicator !== 'DBIT') {
    throw new StatementFault('a balance is neither CRDT nor DBIT (CdtDbtInd)', place);
  }
  const date = textAt(balance, 'Dt', 'Dt') ?? textAt(balance, 'Dt', 'DtTm');
  if (date === null) throw new StatementFault('a balance has no date (Dt)', place);
  const type = textAt(balance, 'Tp', 'CdOrPrtry', 'Cd') ?? '';
  return { type, currency, amount: indicator === 'CRDT' ? magnitude : negate(magnitude), day: dayOf(date, place) };
}

/**
 * A balance in another currency than the account's is taken for an account of its own only if the statement opens and
 * closes it.
 */
function isStatedWhole(balances: readonly Balance[], currency: string, declared: string | null): boolean {
  const { opening, closing } = balancesOf(balances, currency);
  if (declared === null) return opening !== null;
  return opening !== null && closing !== null;
}

/**
 * Opening booked, else the previous closing booked; closing booked. On a statement cut into pages interim booked
 * balances stand for the one or the other.
 */
function balancesOf(
  balances: readonly Balance[],
  currency: string,
): Pick<Statement, 'opening' | 'closing' | 'available'> {
  const own = balances.filter((balance) => balance.currency === currency);
  const first = (type: string) => own.find((balance) => balance.type === type);
  const interim = own.filter(({ type }) => type === 'ITBD');
  const stated = first('OPBD') ?? first('PRCD');
  const opening = stated ?? interim[0];
  const closing = first('CLBD') ?? interim.slice(stated === undefined ? 1 : 0).at(-1);
  return { opening: bare(opening), closing: bare(closing), available: availableOf(first('CLAV')) };
}

function bare(balance: Balance | undefined): StatementBalance | null {
  return balance === undefined ? null : { amount: balance.amount, day: balance.day };
}

function availableOf(balance: Balance | undefined): Decimal | null {
  return balance?.amount ?? null;
}
