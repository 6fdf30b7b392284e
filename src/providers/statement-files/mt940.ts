import { MoneyError, negate } from '../../shared/money.ts';
import { onlyIbanIn, statedIban } from './account-number.ts';
import { swiftAmount } from './amount.ts';
import { type DetailedMovement, type Mt940Block, type Mt940Event, openMt940Blocks } from './mt940-blocks.ts';
import { readDetails, readVolksbank } from './mt940-details.ts';
import { openSwiftFields, type SwiftField } from './mt940-fields.ts';
import { swiftDay } from './mt940-movement.ts';
import { referencesOf } from './row-references.ts';
import {
  type Statement,
  type StatementAccount,
  type StatementBalance,
  StatementFault,
  type StatementNote,
  type StatementRow,
  tidied,
} from './statement.ts';
import type { StatementPart, StatementReader } from './statement-parts.ts';
import { linesOf } from './text-lines.ts';

/**
 * Reads SWIFT MT940 messages, of any number of accounts. Of the fields the standard makes mandatory, a statement must
 * have those that amounts depend on: :20:, :25:, an opening (:60F: or :60M:) and a closing balance (:62F: or :62M:). A
 * statement without them, or with a line that cannot be read, is reported as a fault, and the others are read. Accepted
 * nevertheless, because banks write them: headers between messages, missing end marks and line ends, blank lines,
 * several :86: for one movement, the older :28:, empty :86:, padded amounts. A :25: after a movement that holds no
 * account is read as a :86:.
 */
export const readMt940: StatementReader = async function* (text) {
  const fields = openSwiftFields();
  const blocks = openMt940Blocks();
  let holder: Holder | null = null;
  let found = false;

  function* partsOf(events: readonly Mt940Event[]): Generator<StatementPart> {
    for (const event of events) {
      const { block } = event;
      if (event.kind === 'block') {
        found = true;
        yield closingPart(block);
        continue;
      }
      if (holder?.block !== block) holder = { block, own: ownIban(block) };
      for (const movement of event.movements) yield toRow(movement, holder.own);
    }
  }

  for await (const lines of linesOf(text)) {
    for (const line of lines) {
      for (const event of fields.take(line)) yield* partsOf(blocks.take(event));
    }
  }
  for (const event of fields.end()) yield* partsOf(blocks.take(event));
  yield* partsOf(blocks.end());
  if (!found) yield { kind: 'fault', fault: new StatementFault('the file holds no statement (:20:)', null) };
};

/** The account of a statement whose movements are being read: an IBAN, or null. */
type Holder = { readonly block: Mt940Block; readonly own: string | null };

/** Null also where the account or the balance cannot be read: the statement is then refused at its end. */
function ownIban({ account, opening }: Mt940Block): string | null {
  if (account === null || opening === null) return null;
  try {
    return readAccount(account, readBalance(opening).currency).iban;
  } catch (error) {
    if (error instanceof StatementFault || error instanceof MoneyError) return null;
    throw error;
  }
}

function placeOf({ line }: Mt940Block): string {
  return `line ${line}`;
}

function closingPart(block: Mt940Block): StatementPart {
  try {
    return { kind: 'statement', statement: toStatement(block) };
  } catch (error) {
    if (error instanceof MoneyError)
      return { kind: 'fault', fault: new StatementFault('the sums exceed 18 digits', placeOf(block)) };
    if (error instanceof StatementFault) return { kind: 'fault', fault: error };
    throw error;
  }
}

function toStatement(block: Mt940Block): Omit<Statement, 'rows'> {
  const missing = (name: string): never => {
    throw new StatementFault(`the statement has no ${name}`, placeOf(block));
  };
  if (block.fault !== null) throw block.fault;
  const number = block.reference ?? missing('reference (:20:)');
  const holder = block.account ?? missing('account (:25:)');
  const opening = readBalance(block.opening ?? missing('opening balance (:60F:)'));
  const last = block.closing ?? missing('closing balance (:62F:)');
  const closing = readBalance(last);
  if (opening.currency !== closing.currency) {
    throw new StatementFault('the statement opens and closes in different currencies', placeOf(block));
  }
  return {
    identity: [number, block.sequence].map((field) => field?.lines[0]?.trim() ?? '').join('/'),
    format: 'MT940',
    account: readAccount(holder, opening.currency),
    opening: opening.balance,
    closing: closing.balance,
    available: block.available === null ? null : readBalance(block.available).balance.amount,
    place: `line ${last.line}`,
    notes: [...block.notes, ...opening.notes, ...closing.notes],
  };
}

const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d+(?:[,.]\d*)?)$/;

type Balance = {
  readonly balance: StatementBalance;
  readonly currency: string;
  readonly notes: readonly StatementNote[];
};

function readBalance(field: SwiftField): Balance {
  const place = `line ${field.line}`;
  const match = BALANCE.exec((field.lines[0] ?? '').trim());
  if (match === null) throw new StatementFault(`a balance (:${field.tag}:) cannot be read`, place);
  const [, mark, date = '', currency = '', text = ''] = match;
  const amount = swiftAmount(text, place);
  const message = `a balance (:${field.tag}:) has a decimal point in place of the comma`;
  return {
    balance: { amount: mark === 'D' ? negate(amount) : amount, day: swiftDay(date, place) },
    currency,
    notes: text.includes('.') ? [{ code: 'STATEMENT_READ_LENIENTLY', message, place }] : [],
  };
}

/** The account as `:25:` writes it: an IBAN, a number, or bank and number; some banks add the currency at the end. */
export function readAccount(field: SwiftField, currency: string): StatementAccount {
  const written = (field.lines[0] ?? '').trim();
  const bare = written.replace(new RegExp(`(?<=\\d)\\s?${currency}$`), '');
  if (bare === '' || bare.length > 64)
    throw new StatementFault('the account (:25:) cannot be read', `line ${field.line}`);
  const iban = statedIban(bare) ?? statedIban(bare.split('/').at(-1));
  const bank = field.tag === '25P' ? field.lines[1] : /^([A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?)\//.exec(bare)?.[1];
  return {
    key: `${iban ?? bare.replace(/\s+/g, '').toUpperCase()}/${currency}`,
    iban,
    accountNo: iban === null ? bare : null,
    currency,
    accountName: null,
    accountType: null,
    branchId: tidied(bank),
    branchName: null,
  };
}

/** For a movement without an entry date, the booking day is settled when its statement closes. */
function toRow({ movement, details: lines }: DetailedMovement, own: string | null): StatementPart {
  const details = readVolksbank(lines, movement.written, movement.supplement) ?? readDetails(lines);
  const day = movement.entryDay ?? movement.valueDay;
  const text = [details.description, movement.supplement].filter((part) => part !== null).join(' ');
  const stated = details.iban ?? statedIban(movement.supplement) ?? statedIban(movement.written);
  const guessed = details.unstructured && stated === null ? onlyIbanIn(text, own) : null;
  const accountAsReference = statedIban(movement.written) !== null;
  const guessedName = details.nameSurname === null && !accountAsReference ? movement.overlong : null;
  const row: StatementRow = {
    reference: movement.bankReference,
    transactionDate: `${day}T00:00:00.000Z`,
    day,
    formerDay: null,
    amount: movement.amount,
    incoming: movement.incoming,
    description: details.description ?? tidied(movement.supplement ?? movement.reference, 'description'),
    nameSurname: details.nameSurname ?? guessedName,
    iban: stated !== null && stated === own ? null : (stated ?? guessed),
    idNo: '',
    code: movement.code,
    findAI: guessed !== null || guessedName !== null,
    references: referencesOf({ ...details.references, bankReference: movement.bankReference }),
  };
  return { kind: 'row', row, ...(movement.entryDay === null ? { settled: false } : {}) };
}
