import { type Decimal, decimal, MoneyError } from '../../shared/money.ts';
import { StatementFault } from './statement.ts';

/** Far more than 18 digits padded with zeros: longer texts are not examined. */
const LONGEST = 64;
const XML_DECIMAL = /^\+?(\d+)(?:\.(\d*))?$/;
const SWIFT_DECIMAL = /^(\d+)(?:[,.](\d*))?$/;

/** A magnitude as ISO 20022 writes it (xs:decimal, never negative). @throws StatementFault */
export function xmlAmount(text: string, place: string): Decimal {
  return amount(XML_DECIMAL, text.trim(), place);
}

/**
 * A magnitude as SWIFT writes it: a decimal comma (some banks: a point), with or without digits after it.
 * @throws StatementFault
 */
export function swiftAmount(text: string, place: string): Decimal {
  return amount(SWIFT_DECIMAL, text, place);
}

/** A signed amount with a decimal point or comma. @throws StatementFault */
export function signedAmount(text: string, place: string): Decimal {
  const written = text.trim();
  const isNegative = written.startsWith('-');
  const magnitude = amount(SWIFT_DECIMAL, written.replace(/^[+-]/, '').replace(/^(?=[.,])/, '0'), place);
  return isNegative && magnitude !== '0' ? `-${magnitude}` : magnitude;
}

/**
 * The amount of a signed whole number of a currency's smallest unit, where the currency has `decimals` decimals.
 * @throws StatementFault
 */
export function scaledAmount(text: string, decimals: number, place: string): Decimal {
  const [, sign = '', digits] = text.length > LONGEST ? [] : (/^([+-]?)(\d+)$/.exec(text.trim()) ?? []);
  if (digits === undefined) throw new StatementFault('an amount is not a whole number', place);
  const padded = digits.padStart(decimals + 1, '0');
  const whole = padded.slice(0, padded.length - decimals);
  return signedAmount(`${sign}${whole}.${padded.slice(padded.length - decimals)}`, place);
}

function amount(form: RegExp, text: string, place: string): Decimal {
  const [, whole, fraction = ''] = text.length > LONGEST ? [] : (form.exec(text) ?? []);
  if (whole === undefined) throw new StatementFault('an amount is not a decimal number', place);
  try {
    const [significant, decimals] = [whole.replace(/^0+(?=\d)/, ''), fraction.replace(/0+$/, '')];
    return decimal(decimals === '' ? significant : `${significant}.${decimals}`);
  } catch (error) {
    if (error instanceof MoneyError) throw new StatementFault('an amount has more than 18 digits or 5 decimals', place);
    throw error;
  }
}
