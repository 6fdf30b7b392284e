import { lastFour, type Span } from './spans.ts';

/** IBANs, card numbers and Turkish identity and tax numbers, recognized by their check digits. */
export function numberSpans(text: string): Span[] {
  return [...ibans(text), ...digitRuns(text)];
}

const IBAN_START = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?=[ -]?[A-Za-z0-9])/g;
const IBAN_LENGTH = { least: 15, most: 34 } as const;

/** With or without spaces or dashes; recognized by the two check digits of ISO 13616. */
function ibans(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: head, index: start } of text.matchAll(IBAN_START)) {
    let rest = 0;
    let end: number | null = null;
    let at = start + 4;
    for (let length = 5; length <= IBAN_LENGTH.most; length += 1) {
      if (/[ -]/.test(text[at] ?? '')) at += 1;
      if (!isSign(text[at])) break;
      rest = appended(rest, text[at] ?? '');
      at += 1;
      if (length < IBAN_LENGTH.least || isSign(text[at])) continue;
      if ([...head].reduce(appended, rest) === 1) end = at;
    }
    if (end !== null) spans.push({ start, end, shown: lastFour(text.slice(start, end)) });
  }
  return spans;
}

function isSign(sign: string | undefined): boolean {
  return sign !== undefined && /^[A-Za-z0-9]$/.test(sign);
}

/** ISO 7064 MOD 97-10: letters count as 10 to 35. */
function appended(rest: number, sign: string): number {
  const value = Number.parseInt(sign, 36);
  return (rest * (value > 9 ? 100 : 10) + value) % 97;
}

/** Digits that are not part of a longer number or a decimal fraction. */
const DIGITS = /(?<![\d.,])(?:\d{10,19}|\d{4}([ -])\d{4}\1\d{4}\1\d{1,7}|\d{4}([ -])\d{6}\2\d{5})(?![\d]|[.,]\d)/g;

function digitRuns(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: found, index: start } of text.matchAll(DIGITS)) {
    const digits = found.replace(/\D/g, '');
    if (isCard(digits) || isIdentityNumber(digits) || isTaxNumber(digits)) {
      spans.push({ start, end: start + found.length, shown: lastFour(digits) });
    }
  }
  return spans;
}

/**
 * ISO/IEC 7812: the Luhn check digit, within the ranges of card issuers; timestamps in milliseconds are outside of
 * them.
 */
function isCard(digits: string): boolean {
  if (digits.length < 13 || !/^[2-69]/.test(digits)) return false;
  let sum = 0;
  for (let place = 0; place < digits.length; place += 1) {
    const digit = Number(digits[digits.length - 1 - place]);
    const doubled = place % 2 === 0 ? digit : digit * 2;
    sum += doubled > 9 ? doubled - 9 : doubled;
  }
  return sum % 10 === 0;
}

/** TCKN: eleven digits, the last two computed from the others. */
function isIdentityNumber(digits: string): boolean {
  if (digits.length !== 11 || digits.startsWith('0')) return false;
  const at = (place: number): number => Number(digits[place]);
  const odd = at(0) + at(2) + at(4) + at(6) + at(8);
  const even = at(1) + at(3) + at(5) + at(7);
  const tenth = (((odd * 7 - even) % 10) + 10) % 10;
  return at(9) === tenth && at(10) === (odd + even + tenth) % 10;
}

/** VKN: ten digits, the last computed from the others. */
function isTaxNumber(digits: string): boolean {
  if (digits.length !== 10) return false;
  let sum = 0;
  for (let place = 0; place < 9; place += 1) {
    const shifted = (Number(digits[place]) + 9 - place) % 10;
    const part = (shifted * 2 ** (9 - place)) % 9;
    sum += shifted !== 0 && part === 0 ? 9 : part;
  }
  return (10 - (sum % 10)) % 10 === Number(digits[9]);
}
