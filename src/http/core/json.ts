import Big from 'big.js';
import { type RawNumber, rawNumber } from '../../shared/raw-number.ts';

const DEEPEST = 64;
/** Longer ones are no amounts. */
const PLAIN = /^-?\d{1,40}(\.\d{1,40})?$/;

type Level = { readonly names: Set<string> | null; expectsName: boolean };

/**
 * JSON.parse for what strangers send. It refuses before anything is built: more than 64 levels, which nothing here has,
 * and a name that stands twice in an object, of which two readers could take different ones for the value. And it
 * refuses half a surrogate pair (RFC 7493, section 2.1), which no UTF-8 can hold: what is hashed or exported later
 * could not be written.
 * @throws SyntaxError
 */
export function parseJson(text: string): unknown {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const level = levels.at(-1);
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        if (level?.expectsName) noteName(level, text.slice(at, end + 1));
        at = end;
        break;
      }
      case '{':
        levels.push({ names: new Set(), expectsName: true });
        break;
      case '[':
        levels.push({ names: null, expectsName: false });
        break;
      case '}':
      case ']':
        levels.pop();
        break;
      case ',':
        if (level?.names) level.expectsName = true;
        break;
    }
    if (levels.length > DEEPEST) throw new SyntaxError(`more than ${DEEPEST} levels`);
  }
  // Only an escape can bring half a pair in: the text itself was decoded from UTF-8. And only a long number can lose
  // digits.
  return /\\u[dD][89a-fA-F]|\d[\d.]{15}/.test(text) ? JSON.parse(text, revived) : JSON.parse(text);
}

/** @param context not among the compiler's declarations yet */
function revived(name: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (!name.isWellFormed() || (typeof value === 'string' && !value.isWellFormed())) {
    throw new SyntaxError('half a surrogate pair');
  }
  return typeof value === 'number' ? unrounded(value, context?.source ?? '') : value;
}

/**
 * A plain number that floating point would round stays what it was written as, for those who can use it; to all others
 * it is no number.
 */
function unrounded(value: number, source: string): number | RawNumber {
  return PLAIN.test(source) && !new Big(source).eq(value) ? rawNumber(source) : value;
}

/** The index of the closing quotation mark. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  throw new SyntaxError('a string without an end');
}

function noteName(level: Level, quoted: string): void {
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1);
  if (level.names?.has(name)) throw new SyntaxError('a name that stands twice');
  level.names?.add(name);
  level.expectsName = false;
}
