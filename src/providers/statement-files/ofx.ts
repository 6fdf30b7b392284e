import type { Decimal } from '../../shared/money.ts';
import { statedIban } from './account-number.ts';
import { signedAmount } from './amount.ts';
import { type OfxToken, ofxTokens } from './ofx-tokens.ts';
import { referencesOf } from './row-references.ts';
import { statedAccount } from './stated-account.ts';
import { type Statement, type StatementBalance, StatementFault, type StatementRow, tidied } from './statement.ts';
import type { StatementPart } from './statement-parts.ts';

/** The most aggregates open at once: elements without text count as open until a tag shows that they ended. */
const DEEPEST = 256;
/** Statements of bank accounts and of credit cards. */
const STATEMENTS = new Set(['STMTRS', 'CCSTMTRS']);
/** Aggregates of a row whose elements have the same names as its own, or as each other's. */
const PREFIXES = ['BANKACCTTO', 'CCACCTTO', 'ORIGCURRENCY', 'CURRENCY'];
const BALANCES = new Set(['LEDGERBAL', 'AVAILBAL']);

type Elements = Map<string, string>;

type Draft = {
  readonly place: string;
  readonly head: Elements;
  readonly balances: Map<string, Elements>;
  /** The day of its last row. */
  lastDay: string;
  rows: number;
  fault: StatementFault | null;
};

/**
 * Reads OFX 1 (SGML) and 2 (XML): a statement for each `STMTRS` and `CCSTMTRS`. OFX states no opening balance. The
 * ledger balance is the closing one if the rows reach up to its day. `FITID` is the bank's reference of a row.
 */
export async function* readOfx(text: AsyncIterable<string>): AsyncGenerator<StatementPart> {
  const stack: string[] = [];
  let draft: Draft | null = null;
  let row: Elements | null = null;
  let count = 0;
  let ended = false;
  const within = (name: string): boolean => stack.includes(name);

  function take({ name, value }: OfxToken): void {
    if (draft === null) return;
    const balance = stack.findLast((one) => BALANCES.has(one));
    if (row !== null) keep(row, `${PREFIXES.find((one) => within(one)) ?? ''}${name}`, value);
    else if (balance !== undefined) {
      const known = draft.balances.get(balance) ?? new Map();
      draft.balances.set(balance, known);
      keep(known, name, value);
    } else if (!within('BANKTRANLIST') || name === 'DTEND' || name === 'DTSTART') keep(draft.head, name, value);
  }

  try {
    for await (const token of ofxTokens(text)) {
      const { kind, name, value } = token;
      if (kind === 'open' && value !== '') {
        take(token);
        continue;
      }
      if (kind === 'open') {
        if (stack.length >= DEEPEST) throw new StatementFault('the elements are nested too deeply', name);
        stack.push(name);
        if (name === 'OFX') ended = false;
        if (STATEMENTS.has(name)) {
          if (draft !== null) throw new StatementFault('a statement has no end', draft.place);
          count += 1;
          const place = `${name}[${count}]`;
          draft = { place, head: new Map(), balances: new Map(), lastDay: '', rows: 0, fault: null };
        }
        if (name === 'STMTTRN' && draft !== null) row = new Map();
        continue;
      }
      const at = stack.lastIndexOf(name);
      if (at < 0) continue;
      stack.length = at;
      if (name === 'OFX') ended = true;
      if (name === 'STMTTRN' && draft !== null && row !== null) {
        const part = rowOf(draft, row);
        row = null;
        if (part !== null) yield part;
      }
      if (STATEMENTS.has(name) && draft !== null) {
        const done = draft;
        draft = null;
        yield closed(done);
      }
    }
    if (draft !== null) throw new StatementFault('the file ends within a statement', (draft as Draft).place);
    if (!ended) throw new StatementFault('the file ends before its last element (OFX)', null);
    if (count === 0) throw new StatementFault('the file holds no statement of an account (STMTRS, CCSTMTRS)', null);
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    yield { kind: 'fault', fault: error };
  }
}

/** Keeps the first element of each name, up to a limit: there may be any number of unknown ones. */
function keep(elements: Elements, name: string, value: string): void {
  if (elements.size < 200 && !elements.has(name)) elements.set(name, value);
}

/** Null for a row that cannot be read, which refuses the statement. */
function rowOf(draft: Draft, elements: Elements): StatementPart | null {
  draft.rows += 1;
  const place = `${draft.place}/STMTTRN[${draft.rows}]`;
  try {
    const row = toRow(elements, draft.head.get('CURDEF'), place);
    if (row.day > draft.lastDay) draft.lastDay = row.day;
    return { kind: 'row', row };
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    draft.fault ??= error;
    return null;
  }
}

function closed(draft: Draft): StatementPart {
  try {
    if (draft.fault !== null) throw draft.fault;
    return { kind: 'statement', statement: toStatement(draft) };
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    return { kind: 'fault', fault: error };
  }
}

function toStatement({ head, balances, lastDay, place }: Draft): Omit<Statement, 'rows'> {
  const account = statedAccount(head.get('ACCTID') ?? '', head.get('CURDEF') ?? '', place, {
    accountType: tidied(head.get('ACCTTYPE')),
    branchId: tidied(head.get('BANKID')),
  });
  const ledger = balanceOf(balances.get('LEDGERBAL'), `${place}/LEDGERBAL`);
  const available = balanceOf(balances.get('AVAILBAL'), `${place}/AVAILBAL`);
  const end = head.get('DTEND');
  const reached = end === undefined ? null : ofxDay(end, place);
  const isClosing = ledger !== null && reached !== null && reached >= ledger.day && lastDay <= ledger.day;
  return {
    identity: '',
    format: 'OFX',
    account,
    opening: null,
    closing: isClosing ? ledger : null,
    available: available?.amount ?? null,
    place,
    notes: [],
  };
}

function balanceOf(elements: Elements | undefined, place: string): StatementBalance | null {
  const [amount, day] = [elements?.get('BALAMT'), elements?.get('DTASOF')];
  if (amount === undefined || day === undefined) return null;
  return { amount: signedAmount(amount, place), day: ofxDay(day, place) };
}

const NO_REFERENCES = { endToEndId: null, mandateId: null, creditorId: null };

function toRow(elements: Elements, currency: string | undefined, place: string): StatementRow {
  const other = elements.get('CURRENCYCURSYM');
  if (other !== undefined && other !== currency) {
    throw new StatementFault('a movement is in another currency than its account', place);
  }
  const day = ofxDay(elements.get('DTPOSTED') ?? '', place);
  const amount: Decimal = signedAmount(elements.get('TRNAMT') ?? '', place);
  const reference = tidied(elements.get('FITID'));
  const texts = [elements.get('MEMO'), elements.get('CHECKNUM')].filter((text) => text !== undefined);
  return {
    reference: reference === null || reference.length > 255 ? null : reference,
    transactionDate: `${day}T00:00:00.000Z`,
    day,
    formerDay: null,
    amount: amount.replace('-', ''),
    incoming: !amount.startsWith('-'),
    description: tidied(texts.join(' '), 'description') ?? tidied(elements.get('NAME'), 'description'),
    nameSurname: tidied(elements.get('NAME')),
    iban: statedIban(elements.get('BANKACCTTOACCTID')),
    idNo: '',
    code: tidied(elements.get('TRNTYPE')),
    findAI: false,
    references: referencesOf({
      ...NO_REFERENCES,
      customerReference: elements.get('REFNUM'),
      bankReference: reference,
    }),
  };
}

/** `YYYY-MM-DD` of an OFX date, whose time and zone do not affect the day. @throws StatementFault */
function ofxDay(text: string, place: string): string {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})/.exec(text.trim()) ?? [];
  const written = `${year}-${month}-${day}`;
  const ms = Date.parse(`${written}T00:00:00Z`);
  if (Number.isNaN(ms) || !new Date(ms).toISOString().startsWith(written)) {
    throw new StatementFault('a date is no calendar day', place);
  }
  return written;
}
