import { setImmediate } from 'node:timers/promises';
import { MoneyError, negate } from '../../shared/money.ts';
import { onlyIbanIn, statedIban } from './account-number.ts';
import { swiftAmount } from './amount.ts';
import { type DetailedMovement, type Mt940Block, openMt940Blocks } from './mt940-blocks.ts';
import { readDetails, readVolksbank } from './mt940-details.ts';
import { openSwiftFields, type SwiftField } from './mt940-fields.ts';
import { type Movement, swiftDay } from './mt940-movement.ts';
import { referencesOf } from './row-references.ts';
import {
  type Reading,
  type Statement,
  type StatementAccount,
  type StatementBalance,
  StatementFault,
  type StatementNote,
  type StatementRow,
  tidied,
} from './statement.ts';

/** Lines, and then movements, read before others get their turn on the event loop. */
const READ_AT_ONCE = 2_000;

/**
 * Reads SWIFT MT940 messages, of any number of accounts. Of the fields the standard makes mandatory, a statement must
 * have those that money depends on: :20:, :25:, an opening (:60F: or :60M:) and a closing balance (:62F: or :62M:). A
 * statement without them, or with a line that cannot be read, is a fault, and the others are read. Read nevertheless,
 * because banks write them: headers between messages, missing end marks and line ends, blank lines, several :86: of
 * one movement, the older :28:, empty :86:, padded amounts. A :25: below a movement that holds no account is a :86:
 * gone wrong.
 */
export async function readMt940(lines: Iterable<string>): Promise<Reading> {
  const fields = openSwiftFields();
  const blocks = openMt940Blocks();
  const statements: Statement[] = [];
  const faults: StatementFault[] = [];
  const settle = async (done: readonly Mt940Block[]): Promise<void> => {
    for (const block of done) {
      try {
        statements.push(await toStatement(block));
      } catch (error) {
        if (error instanceof MoneyError) faults.push(new StatementFault('the sums exceed 18 digits', placeOf(block)));
        else if (error instanceof StatementFault) faults.push(error);
        else throw error;
      }
    }
  };
  let count = 0;
  for (const line of lines) {
    count += 1;
    if (count % READ_AT_ONCE === 0) await setImmediate();
    for (const event of fields.take(line)) await settle(blocks.take(event));
  }
  for (const event of fields.end()) await settle(blocks.take(event));
  await settle(blocks.end());
  if (statements.length + faults.length === 0)
    faults.push(new StatementFault('the file holds no statement (:20:)', null));
  return { statements, faults };
}

function placeOf({ line }: Mt940Block): string {
  return `line ${line}`;
}

async function toStatement(block: Mt940Block): Promise<Statement> {
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
  const account = readAccount(holder, opening.currency);
  const days = { from: opening.balance.day, to: closing.balance.day };
  const rows: StatementRow[] = [];
  for (const movement of block.movements) {
    rows.push(toRow(movement, days, account.iban));
    if (rows.length % READ_AT_ONCE === 0) await setImmediate();
  }
  return {
    identity: [number, block.sequence].map((field) => field?.lines[0]?.trim() ?? '').join('/'),
    format: 'MT940',
    account,
    opening: opening.balance,
    closing: closing.balance,
    available: block.available === null ? null : readBalance(block.available).balance.amount,
    rows,
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
function readAccount(field: SwiftField, currency: string): StatementAccount {
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

/**
 * The day on which a movement moves the balance: its entry date, else its value date, which for costs of a quarter or
 * for a payment to come lies outside of the days of the statement; then it was booked when the statement was made.
 */
function bookingDay({ entryDay, valueDay }: Movement, { from, to }: { from: string; to: string }): string {
  return entryDay ?? (valueDay >= from && valueDay <= to ? valueDay : to);
}

const NO_REFERENCES = { endToEndId: null, mandateId: null, creditorId: null, customerReference: null };

function toRow(
  { movement, details: lines }: DetailedMovement,
  days: { from: string; to: string },
  own: string | null,
): StatementRow {
  const details = readVolksbank(lines, movement.written, movement.supplement) ?? readDetails(lines);
  const day = bookingDay(movement, days);
  const formerDay = movement.entryDay ?? movement.valueDay;
  const text = [details.description, movement.supplement].filter((part) => part !== null).join(' ');
  const stated = details.iban ?? statedIban(movement.supplement) ?? statedIban(movement.written);
  const guessed = details.unstructured && stated === null ? onlyIbanIn(text, own) : null;
  const accountAsReference = statedIban(movement.written) !== null;
  const guessedName = details.nameSurname === null && !accountAsReference ? movement.overlong : null;
  return {
    reference: movement.bankReference,
    transactionDate: `${day}T00:00:00.000Z`,
    day,
    formerDay: formerDay === day ? null : formerDay,
    amount: movement.amount,
    incoming: movement.incoming,
    description: details.description ?? tidied(movement.supplement ?? movement.reference, 'description'),
    nameSurname: details.nameSurname ?? guessedName,
    iban: stated !== null && stated === own ? null : (stated ?? guessed),
    idNo: '',
    code: movement.code,
    findAI: guessed !== null || guessedName !== null,
    references: referencesOf({ ...NO_REFERENCES, ...details.references, bankReference: movement.bankReference }),
  };
}
