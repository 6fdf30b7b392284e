import Big from 'big.js';
import { type RawNumber, rawNumber } from '../../shared/raw-number.ts';

const DEEPEST = 64;
/** Longer numbers are not amounts. */
const PLAIN = /^-?\d{1,40}(\.\d{1,40})?$/;

type Level = { readonly names: Set<string> | null; expectsName: boolean };

/**
 * JSON.parse for untrusted text. Before it builds anything it refuses more than 64 levels, which no body needs, and a
 * name that occurs twice in an object, since two readers could use different values. It also refuses half a surrogate
 * pair (RFC 7493, section 2.1), which UTF-8 cannot hold, so that it could not be hashed or exported later.
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
  // Only an escape can hold half a pair, since the text was decoded from UTF-8. And only a long number can lose digits.
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
 * A plain number that floating point would round keeps its text, for fields that accept that; for all others it is not
 * a number.
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
