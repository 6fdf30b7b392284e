import { addLines, type SwiftEvent, type SwiftField } from './mt940-fields.ts';
import { type Movement, readMovement } from './mt940-movement.ts';
import { StatementFault, type StatementNote } from './statement.ts';

/** A movement with the lines of its `:86:` and, for banks that write it, of its `:NS:`. */
export type DetailedMovement = { readonly movement: Movement; readonly details: string[]; readonly national: string[] };

/** The fields of one statement as they are in the file, without its movements. */
export type Mt940Block = {
  readonly line: number;
  readonly reference: SwiftField | null;
  readonly account: SwiftField | null;
  readonly sequence: SwiftField | null;
  readonly opening: SwiftField | null;
  readonly closing: SwiftField | null;
  readonly available: SwiftField | null;
  /** The first thing in it that cannot be read. */
  readonly fault: StatementFault | null;
  readonly notes: readonly StatementNote[];
};

type Draft = {
  line: number;
  reference: SwiftField | null;
  account: SwiftField | null;
  sequence: SwiftField | null;
  opening: SwiftField | null;
  closing: SwiftField | null;
  available: SwiftField | null;
  /** Those not yet emitted: the last one, whose details may continue, and those before the opening balance. */
  movements: DetailedMovement[];
  hasMovements: boolean;
  fault: StatementFault | null;
  notes: StatementNote[];
  /** The previous statement under the same `:20:`. */
  before: { readonly account: SwiftField | null; readonly closing: SwiftField | null } | null;
};

/** The most notes kept of one statement: a bank's habit repeats on every line. */
const MOST_NOTES = 5;
/** No account is longer, or has more than two lines: such a field is a `:86:` under the wrong tag. */
const LONGEST_ACCOUNT = 35;

/** The most movements held until the opening balance, which should precede them, is read. */
const MOST_WAITING = 100;

/**
 * Complete movements of a statement, with what was read of the statement so far, including its account and opening
 * balance; or a complete statement.
 */
export type Mt940Event =
  | { readonly kind: 'movements'; readonly block: Mt940Block; readonly movements: readonly DetailedMovement[] }
  | { readonly kind: 'block'; readonly block: Mt940Block };

export type Mt940Blocks = {
  /** Returns what an event completes. Movements come before their block. */
  readonly take: (event: SwiftEvent) => Mt940Event[];
  readonly end: () => Mt940Event[];
};

/**
 * Groups fields into statements. A statement begins at its `:20:`, and also at a field that the current one already has
 * or that cannot follow its closing balance: whatever makes a tag unreadable, the rows of one account are never read
 * into the statement of another.
 */
export function openMt940Blocks(): Mt940Blocks {
  let draft: Draft | null = null;

  function begin(line: number, given: Partial<Draft> = {}): Draft {
    const nothing = { reference: null, account: null, sequence: null, opening: null, closing: null, available: null };
    draft = { line, ...nothing, movements: [], hasMovements: false, fault: null, notes: [], before: null, ...given };
    return draft;
  }

  function finish(): Mt940Event[] {
    const done = draft;
    draft = null;
    return done === null || isBare(done) ? [] : [...giveAway(done, 0), { kind: 'block', block: done }];
  }

  function takeField(field: SwiftField): Mt940Event[] {
    const { tag, line } = field;
    const before = draft;
    if (tag === '20') {
      const done = finish();
      begin(line, { reference: field });
      return done;
    }
    const block = before ?? begin(line);
    switch (tag) {
      case '25':
      case '25P':
        return takeAccount(block, field);
      case '28':
      case '28C':
        if (block.closing !== null)
          return goOn(block, line, (next) => {
            next.sequence = field;
          });
        block.sequence ??= field;
        return [];
      case '60F':
      case '60M':
        if (block.opening === null && block.closing === null) {
          open(block, field);
          return [];
        }
        return goOn(block, line, (next) => open(next, field));
      case '61':
        if (block.closing !== null) return goOn(block, line, (next) => takeMovement(next, field));
        takeMovement(block, field);
        return giveAway(block, 1);
      case '62F':
      case '62M':
        if (block.closing === null) block.closing = field;
        else if (block.closing.lines[0]?.trim() !== field.lines[0]?.trim()) {
          return goOn(block, line, (next) => {
            next.closing = field;
          });
        }
        return [];
      case '64':
        block.available ??= field;
        return [];
      case '86':
        if (block.closing === null) append(block.movements.at(-1)?.details, field.lines);
        return [];
      case 'NS':
        if (block.closing === null) append(block.movements.at(-1)?.national, field.lines);
        return [];
      default:
        return [];
    }
  }

  function takeAccount(block: Draft, field: SwiftField): Mt940Event[] {
    if (block.account === null && !block.hasMovements) {
      block.account = field;
      return [];
    }
    const [written = ''] = field.lines;
    const isDetails = field.lines.length > 2 || written.trim().length > LONGEST_ACCOUNT || /[?>]\d\d/.test(written);
    if (isDetails && block.closing === null && block.hasMovements) {
      append(block.movements.at(-1)?.details, field.lines);
      return [];
    }
    const { reference } = block;
    const done = finish();
    begin(field.line, { reference, account: field });
    return done;
  }

  /** Opens the next statement under the same `:20:`. */
  function goOn(block: Draft, line: number, fill: (next: Draft) => void): Mt940Event[] {
    const { reference, account, closing } = block;
    const done = finish();
    fill(begin(line, { reference, before: { account, closing } }));
    return done;
  }

  return {
    take(event) {
      if (event.kind === 'field') return takeField(event.field);
      if (event.kind === 'end') return finish();
      const message = 'a line of one dash inside of a :86: was read as text';
      if (draft !== null) note(draft, { code: 'STATEMENT_READ_LENIENTLY', message, place: `line ${event.line}` });
      return [];
    },
    end: finish,
  };
}

/**
 * A statement without a `:25:` belongs to the account of the previous one only if it continues from the closing balance
 * of that one.
 */
function open(block: Draft, opening: SwiftField): void {
  block.opening = opening;
  const { before } = block;
  if (block.account === null && before?.closing && figuresOf(before.closing) === figuresOf(opening)) {
    block.account = before.account;
  }
}

/** A balance without its date. */
function figuresOf(balance: SwiftField): string {
  return (balance.lines[0] ?? '').trim().replace(/^([CD])\d{6}/, '$1');
}

/** Whether the block has no content of a statement, such as a lone available balance after the end mark. */
function isBare({ reference, account, opening, closing, hasMovements }: Draft): boolean {
  return reference === null && account === null && opening === null && closing === null && !hasMovements;
}

/** Emits the movements except the last `keep` ones; none before the opening balance, and none of a faulty statement. */
function giveAway(block: Draft, keep: number): Mt940Event[] {
  const { movements, fault, opening } = block;
  if (fault !== null) movements.length = 0;
  const isOver = keep === 0;
  if (opening === null && !isOver) {
    if (movements.length > MOST_WAITING) {
      block.fault = new StatementFault('the statement has no opening balance (:60F:)', `line ${block.line}`);
    }
    return [];
  }
  const whole = movements.splice(0, Math.max(0, movements.length - keep));
  return whole.length === 0 ? [] : [{ kind: 'movements', block, movements: whole }];
}

function takeMovement(block: Draft, field: SwiftField): void {
  try {
    const movement = readMovement(field);
    block.hasMovements = true;
    block.movements.push({ movement, details: [], national: [] });
    for (const one of movement.notes) note(block, one);
  } catch (error) {
    if (!(error instanceof StatementFault)) throw error;
    block.fault ??= error;
  }
}

function note(block: Draft, one: StatementNote): void {
  if (block.notes.length < MOST_NOTES) block.notes.push(one);
}

function append(lines: string[] | undefined, more: readonly string[]): void {
  if (lines !== undefined) addLines(lines, more);
}
