import { type Decimal, negate } from '../../shared/money.ts';
import { statedIban } from './account-number.ts';
import { xmlAmount } from './amount.ts';
import { camtEntry, dayOf } from './camt-entry.ts';
import { type CamtBalance, openIntradaySums, pendingChange } from './camt-intraday.ts';
import { type Statement, type StatementAccount, type StatementBalance, StatementFault, tidied } from './statement.ts';
import type { StatementPart, StatementReader } from './statement-parts.ts';
import { at, readXml, textAt, textOf, type XmlEvent, type XmlNode } from './xml.ts';

/** The most characters and elements of a statement outside its entries: its balances are kept until it closes. */
const LARGEST_HEAD = 4 * 1024 * 1024;
const MOST_HEAD_ELEMENTS = 20_000;
/** The most characters of entries held until account and closing balance, which should precede them, are read. */
const MOST_WAITING = 512 * 1024;
/** Envelopes in which SWIFT and banks deliver a message, such as `BizMsgEnvlp` and `Saa:DataPDU`, are no deeper. */
const DEEPEST_ENVELOPE = 4;

/** An ISO 20022 message of statements, with the element names of the message and of one statement. */
type CamtMessage = { readonly format: 'camt.052' | 'camt.053'; readonly message: string; readonly statement: string };

/**
 * Reads an ISO 20022 camt.053 message (BankToCustomerStatement, versions 2 to 13) by element names, whatever its
 * namespace. Yields one statement for each `Stmt` and currency, and a fault for each `Stmt` in which a part that
 * amounts depend on is missing or wrong.
 * @throws StatementFault when it is not such a message, or its XML is malformed
 */
export const readCamt053 = camtReader({ format: 'camt.053', message: 'BkToCstmrStmt', statement: 'Stmt' });

/**
 * Reads a camt.052 message (BankToCustomerAccountReport) in the same way. Its booked entries become rows; pending ones
 * (PDNG) are summed up. Entries with other states (FUTR, INFO) are ignored.
 * @throws StatementFault as above
 */
export const readCamt052 = camtReader({ format: 'camt.052', message: 'BkToCstmrAcctRpt', statement: 'Rpt' });

function camtReader(kind: CamtMessage): StatementReader {
  return (text) => readCamt(text, kind);
}

async function* readCamt(text: AsyncIterable<string>, names: CamtMessage): AsyncGenerator<StatementPart> {
  const isMessage = (path: readonly string[]): boolean =>
    path.at(-1) === names.message && isDocument(path.slice(0, -1));
  const isStatement = (path: readonly string[]): boolean =>
    path.at(-1) === names.statement && isMessage(path.slice(0, -1));
  let message = 0;
  let count = 0;
  let open: CamtStatement | null = null;
  // Only the first document, in whatever envelope, and its first message are read.
  let document = 0;
  const isWhole = (path: readonly string[]): boolean => isStatement(path.slice(0, -1));
  for await (const events of readXml(text, isWhole, (path) => open?.placeOf(path) ?? null)) {
    for (const event of events) {
      const { path, kind } = event;
      if (kind === 'begin' && isDocument(path)) document += 1;
      if (document > 1) break;
      if (kind === 'begin' && isMessage(path)) message += 1;
      if (message !== 1) continue;
      if (kind === 'begin' && isStatement(path)) {
        count += 1;
        open = openCamtStatement(`${names.statement}[${count}]`, names);
      } else if (kind === 'end' && isStatement(path)) {
        yield* open?.close() ?? [];
        open = null;
      } else if (kind === 'element' || kind === 'broken') {
        yield* open?.take(event) ?? [];
      }
    }
  }
  if (message === 0) {
    throw new StatementFault(`the XML is not a ${names.format} message`, null, 'STATEMENT_FORMAT_UNKNOWN');
  }
  if (count === 0) throw new StatementFault(`the message holds no statement (${names.statement})`, names.message);
}

export function isDocument(path: readonly string[]): boolean {
  return path.length <= DEEPEST_ENVELOPE + 1 && path.indexOf('Document') === path.length - 1;
}

type Taken = Extract<XmlEvent, { kind: 'element' | 'broken' }>;
type Entry = { readonly node: XmlNode; readonly place: string };
type CamtStatement = {
  /** Takes the next child of the statement. */
  readonly take: (event: Taken) => StatementPart[];
  readonly close: () => StatementPart[];
  readonly placeOf: (path: readonly string[]) => string;
};

/**
 * One `Stmt`: yields its rows as they are read, each for the statement of its currency, and at the end those statements
 * or a fault.
 */
function openCamtStatement(place: string, { format }: CamtMessage): CamtStatement {
  const head: Record<'Acct' | 'Id' | 'ElctrncSeqNb' | 'CreDtTm', XmlNode | undefined> = {
    Acct: undefined,
    Id: undefined,
    ElctrncSeqNb: undefined,
    CreDtTm: undefined,
  };
  const balances: CamtBalance[] = [];
  const currencies = new Set<string>();
  const intraday = format === 'camt.052' ? openIntradaySums() : null;
  let holder: Holder | null = null;
  let [headLength, headElements, waitingLength, entries] = [0, 0, 0, 0];
  let waiting: Entry[] = [];
  let fault: StatementFault | null = null;

  function attempt(work: () => StatementPart[]): StatementPart[] {
    try {
      return fault === null ? work() : [];
    } catch (error) {
      if (!(error instanceof StatementFault)) throw error;
      fault = error;
      waiting = [];
      return [];
    }
  }

  function placeOf(path: readonly string[]): string {
    const name = path.at(-1) ?? '';
    if (name === 'Ntry') return `${place}/Ntry[${entries + 1}]`;
    return name === 'Bal' ? `${place}/Bal[${balances.length + 1}]` : `${place}/${name}`;
  }

  function hold(length: number): void {
    headLength += length;
    headElements += 1;
    if (headLength > LARGEST_HEAD || headElements > MOST_HEAD_ELEMENTS) {
      throw new StatementFault('the head and balances are too long', place, 'STATEMENT_FILE_TOO_LARGE');
    }
  }

  function takeEntry(node: XmlNode, length: number): StatementPart[] {
    entries += 1;
    const entryPlace = `${place}/Ntry[${entries}]`;
    if (node === '') throw new StatementFault('an entry is empty', entryPlace);
    waiting.push({ node, place: entryPlace });
    waitingLength += length;
    const isReady = holder !== null && balances.some(({ type }) => type === 'CLBD');
    return isReady || waitingLength > MOST_WAITING ? readWaiting() : [];
  }

  function readWaiting(): StatementPart[] {
    holder ??= readHolder(head.Acct, place);
    const { iban } = holder;
    const closingDay = balances.find(({ type }) => type === 'CLBD')?.day ?? null;
    for (const entry of waiting) {
      const pending = intraday === null ? null : pendingChange(entry.node, entry.place);
      if (pending === null) continue;
      intraday?.addPending(pending);
      currencies.add(pending.currency);
    }
    const read = waiting.flatMap((entry) => camtEntry(entry.node, entry.place, iban, closingDay) ?? []);
    waiting = [];
    return read.map(({ row, currency }) => {
      intraday?.addBooked(currency, row);
      currencies.add(currency);
      return { kind: 'row', row, of: currency };
    });
  }

  function takeElement(event: Taken): StatementPart[] {
    if (event.kind === 'broken') throw new StatementFault(event.fault.message, placeOf(event.path), event.fault.code);
    const name = event.path.at(-1) ?? '';
    const { node, length } = event;
    if (name === 'Ntry') return takeEntry(node, length);
    hold(length);
    if (name === 'Bal') {
      balances.push(readBalance(node, `${place}/Bal[${balances.length + 1}]`));
    } else if (name === 'Acct' || name === 'Id' || name === 'ElctrncSeqNb' || name === 'CreDtTm') {
      if (head[name] !== undefined) return [];
      head[name] = node;
      if (name === 'Acct') {
        holder = readHolder(node, place);
        const declared = textAt(node, 'Ccy');
        if (declared !== null) currencies.add(declared);
      }
    }
    return [];
  }

  function closed(): StatementPart[] {
    const rows = readWaiting();
    const { key, ...account } = readHolder(head.Acct, place);
    const declared = textAt(head.Acct, 'Ccy');
    for (const { currency } of balances) if (isStatedWhole(balances, currency, declared)) currencies.add(currency);
    const identity = `${textOf(head.Id) ?? ''}/${textOf(head.ElctrncSeqNb) ?? ''}`;
    const ordered = [...currencies].sort((a, b) => Number(b === declared) - Number(a === declared));
    return [
      ...rows,
      ...ordered.map((currency): StatementPart => {
        const statement = {
          identity: `${identity}/${currency}`,
          format,
          account: { ...account, key: `${key}/${currency}`, currency },
          ...(intraday === null
            ? balancesOf(balances, currency)
            : intraday.statedOf(balances, currency, textOf(head.CreDtTm))),
          place,
          notes: [],
        };
        return { kind: 'statement', of: currency, statement };
      }),
    ];
  }

  return {
    take: (event) => attempt(() => takeElement(event)),
    close() {
      const parts = attempt(closed);
      return fault === null ? parts : [{ kind: 'fault', fault }];
    },
    placeOf,
  };
}

export type Holder = Omit<StatementAccount, 'currency'>;

export function readHolder(account: XmlNode | undefined, place: string): Holder {
  const stated = textAt(account, 'Id', 'IBAN') ?? textAt(account, 'Id', 'Othr', 'Id');
  if (stated === null) throw new StatementFault('the statement names no account (Acct/Id)', `${place}/Acct`);
  if (stated.length > 64) throw new StatementFault('the account number is too long', `${place}/Acct/Id`);
  // Some banks write an IBAN where other numbers belong; it is the same account.
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

function readBalance(balance: XmlNode, place: string): CamtBalance {
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
 * A balance in a currency other than the account's counts as a separate account only if the statement states both an
 * opening and a closing balance in it.
 */
function isStatedWhole(balances: readonly CamtBalance[], currency: string, declared: string | null): boolean {
  const { opening, closing } = balancesOf(balances, currency);
  if (declared === null) return opening !== null;
  return opening !== null && closing !== null;
}

/**
 * Opening: opening booked, otherwise previous closing booked. Closing: closing booked. In a statement split into pages,
 * interim booked balances replace either.
 */
function balancesOf(
  balances: readonly CamtBalance[],
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

function bare(balance: CamtBalance | undefined): StatementBalance | null {
  return balance === undefined ? null : { amount: balance.amount, day: balance.day };
}

function availableOf(balance: CamtBalance | undefined): Decimal | null {
  return balance?.amount ?? null;
}
