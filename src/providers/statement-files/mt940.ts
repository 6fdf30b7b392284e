import { setImmediate } from 'node:timers/promises';
import { negate } from '../../shared/money.ts';
import { onlyIbanIn, statedIban } from './account-number.ts';
import { swiftAmount } from './amount.ts';
import { readDetails } from './mt940-details.ts';
import { MOST_LINES, type SwiftField, swiftFields } from './mt940-fields.ts';
import { type Movement, readMovement, swiftDay } from './mt940-movement.ts';
import {
  type Statement,
  type StatementAccount,
  type StatementBalance,
  StatementFault,
  type StatementRow,
  tidied,
} from './statement.ts';

/** Fields, and then movements, read before others get their turn on the event loop. */
const READ_AT_ONCE = 2_000;

type Draft = {
  readonly line: number;
  readonly fields: Map<string, SwiftField>;
  readonly movements: { readonly movement: Movement; readonly details: string[] }[];
};

/**
 * Reads SWIFT MT940 messages, of any number of accounts. Of the fields the standard makes mandatory, a statement must have those that money
 * depends on: :20:, :25:, an opening (:60F: or :60M:) and a closing balance (:62F: or :62M:). A fragment without them is refused. Read
 * nevertheless, because banks write them: headers between messages, missing end marks and line ends, blank lines, several :86: of one
 * movement, the older :28:, empty :86:, padded amounts, text in another encoding. A :25: below a movement is no account but a :86: gone wrong.
 * @throws StatementFault
 */
export async function readMt940(text: string): Promise<Statement[]> {
  const statements: Statement[] = [];
  let draft: Draft | null = null;
  let count = 0;
  for (const field of swiftFields(text)) {
    count += 1;
    if (count % READ_AT_ONCE === 0) await setImmediate();
    if (draft !== null && (field === null || field.tag === '20')) {
      statements.push(await toStatement(draft));
      draft = null;
    }
    if (field === null) continue;
    draft ??= { line: field.line, fields: new Map(), movements: [] };
    take(draft, field);
  }
  if (draft !== null) statements.push(await toStatement(draft));
  if (statements.length === 0) throw new StatementFault('the file holds no statement (:20:)', null);
  return statements;
}

function take(draft: Draft, field: SwiftField): void {
  const { fields, movements } = draft;
  if (field.tag === '61') {
    movements.push({ movement: readMovement(field), details: [] });
    return;
  }
  const closed = fields.has('62F') || fields.has('62M');
  const belongsToMovement = field.tag === '86' || (field.tag.startsWith('25') && fields.has('25'));
  if (belongsToMovement && !closed) addDetails(movements.at(-1)?.details, field.lines);
  const name = field.tag === '25P' ? '25' : field.tag;
  if (!fields.has(name)) fields.set(name, field);
}

function addDetails(details: string[] | undefined, lines: readonly string[]): void {
  if (details !== undefined && details.length < MOST_LINES) details.push(...lines);
}

async function toStatement({ line, fields, movements }: Draft): Promise<Statement> {
  const missing = (name: string): never => {
    throw new StatementFault(`the statement has no ${name}`, `line ${line}`);
  };
  const number = fields.get('20') ?? missing('reference (:20:)');
  const holder = fields.get('25') ?? missing('account (:25:)');
  const opening = readBalance(fields.get('60F') ?? fields.get('60M') ?? missing('opening balance (:60F:)'));
  const closing = readBalance(fields.get('62F') ?? fields.get('62M') ?? missing('closing balance (:62F:)'));
  if (opening.currency !== closing.currency) {
    throw new StatementFault('the statement opens and closes in different currencies', `line ${line}`);
  }
  const available = fields.get('64');
  const account = readAccount(holder, opening.currency);
  const sequence = fields.get('28C') ?? fields.get('28');
  const rows: StatementRow[] = [];
  for (const { movement, details } of movements) {
    rows.push(toRow(movement, details, account.iban));
    if (rows.length % READ_AT_ONCE === 0) await setImmediate();
  }
  return {
    identity: [number, sequence].map((field) => field?.lines[0]?.trim() ?? '').join('/'),
    account,
    opening: opening.balance,
    closing: closing.balance,
    available: available === undefined ? null : readBalance(available).balance.amount,
    rows,
  };
}

const BALANCE = /^([CD])(\d{6})([A-Z]{3})(\d+(?:,\d*)?)$/;

function readBalance(field: SwiftField): { balance: StatementBalance; currency: string } {
  const place = `line ${field.line}`;
  const match = BALANCE.exec((field.lines[0] ?? '').trim());
  if (match === null) throw new StatementFault(`a balance (:${field.tag}:) cannot be read`, place);
  const [, mark, date = '', currency = '', text = ''] = match;
  const amount = swiftAmount(text, place);
  return { balance: { amount: mark === 'D' ? negate(amount) : amount, day: swiftDay(date, place) }, currency };
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

function toRow(movement: Movement, lines: readonly string[], own: string | null): StatementRow {
  const details = readDetails(lines);
  const text = [details.description, movement.supplement].filter((part) => part !== null).join(' ');
  const stated = details.iban ?? statedIban(movement.supplement);
  const guessed = details.unstructured && stated === null ? onlyIbanIn(text, own) : null;
  const guessedName = details.nameSurname === null ? movement.overlong : null;
  return {
    // References of MT940 are the payer's, or count anew every day: nothing to know an entry by.
    reference: null,
    transactionDate: `${movement.day}T00:00:00.000Z`,
    amount: movement.amount,
    incoming: movement.incoming,
    description: details.description ?? tidied(movement.supplement ?? movement.reference, 'description'),
    nameSurname: details.nameSurname ?? guessedName,
    iban: stated === own ? null : (stated ?? guessed),
    idNo: '',
    code: movement.code,
    findAI: guessed !== null || guessedName !== null,
  };
}
