import Big from 'big.js';

/**
 * A decimal in plain notation without needless zeros: `-?\d+(\.\d+)?`, at most 18 digits before and 5 after the point
 * (ISO 20022).
 */
export type Decimal = string;

const PLAIN = /^-?\d{1,18}(\.\d{1,5})?$/;
const INTEGER_DIGITS = 18;
/** Of the smallest unit in which money is counted. */
export const FRACTION_DIGITS = 5;
const UNITS = 10 ** FRACTION_DIGITS;
const NO_FRACTION = '0'.repeat(FRACTION_DIGITS);
const EXACT_DIGITS = 15;

export class MoneyError extends Error {
  constructor(text: string) {
    super(`not an amount of at most ${INTEGER_DIGITS} digits and ${FRACTION_DIGITS} decimals: ${text.slice(0, 40)}`);
    this.name = 'MoneyError';
  }
}

export function isDecimal(text: string): boolean {
  return PLAIN.test(text);
}

/** @throws MoneyError for anything but a plain decimal within the bounds */
export function decimal(text: string): Decimal {
  if (!isDecimal(text)) throw new MoneyError(text);
  const units = shortUnits(text);
  return Number.isNaN(units) ? new Big(text).toFixed() : fromShortUnits(units);
}

/** @throws MoneyError for a number that is not finite or that does not fit the bounds */
export function decimalOf(value: number): Decimal {
  if (!Number.isFinite(value)) throw new MoneyError(String(value));
  return decimal(new Big(value).toFixed());
}

/** Whether a floating point number holds the amount with all its digits. */
export function isExactAsNumber(amount: Decimal): boolean {
  return amount.length <= EXACT_DIGITS || new Big(Number(amount)).toFixed() === amount;
}

export function add(a: Decimal, b: Decimal): Decimal {
  const units = shortUnits(a) + shortUnits(b);
  return Number.isNaN(units) ? new Big(a).plus(b).toFixed() : fromShortUnits(units);
}

export function subtract(a: Decimal, b: Decimal): Decimal {
  const units = shortUnits(a) - shortUnits(b);
  return Number.isNaN(units) ? new Big(a).minus(b).toFixed() : fromShortUnits(units);
}

export function negate(a: Decimal): Decimal {
  const units = shortUnits(a);
  return Number.isNaN(units) ? new Big(0).minus(a).toFixed() : fromShortUnits(-units);
}

/**
 * An amount in units as a number, which holds it and the sum of two such exactly; NaN for a longer one. Numbers are
 * added in a tenth of the time that other decimals take, and most amounts are short.
 */
function shortUnits(amount: Decimal): number {
  const { length } = amount;
  if (length === 0 || length > EXACT_DIGITS - FRACTION_DIGITS) return Number.NaN;
  const point = amount.indexOf('.');
  if (point < 0) return Number(`${amount}${NO_FRACTION}`);
  const zeros = FRACTION_DIGITS - (length - point - 1);
  if (zeros < 0) return Number.NaN;
  return Number(`${amount.slice(0, point)}${amount.slice(point + 1)}${NO_FRACTION.slice(0, zeros)}`);
}

function fromShortUnits(units: number): Decimal {
  const magnitude = Math.abs(units);
  const sign = units < 0 ? '-' : '';
  let fraction = magnitude % UNITS;
  const whole = (magnitude - fraction) / UNITS;
  if (fraction === 0) return `${sign}${whole}`;
  let digits = FRACTION_DIGITS;
  for (; fraction % 10 === 0; fraction /= 10) digits -= 1;
  return `${sign}${whole}.${String(fraction).padStart(digits, '0')}`;
}

/** In units of the smallest fraction, for sums of many amounts: adding these is exact and far cheaper. */
export function toUnits(amount: Decimal): bigint {
  const point = amount.indexOf('.');
  const digits =
    point < 0
      ? `${amount}${NO_FRACTION}`
      : `${amount.slice(0, point)}${amount.slice(point + 1)}${NO_FRACTION.slice(amount.length - point - 1)}`;
  // A whole number this short is exact as a number, and read several times faster.
  return BigInt(digits.length <= EXACT_DIGITS ? Number(digits) : digits);
}

export function fromUnits(units: bigint): Decimal {
  const digits = (units < 0n ? -units : units).toString().padStart(FRACTION_DIGITS + 1, '0');
  const fraction = digits.slice(-FRACTION_DIGITS).replace(/0+$/, '');
  const plain = `${digits.slice(0, -FRACTION_DIGITS)}${fraction === '' ? '' : `.${fraction}`}`;
  return units < 0n ? `-${plain}` : plain;
}

/** -1, 0 or 1. */
export function compare(a: Decimal, b: Decimal): number {
  return new Big(a).cmp(b);
}

/** A row's effect on its account's balance. */
export function signed(amount: Decimal, incoming: boolean): Decimal {
  return incoming ? decimal(amount) : negate(amount);
}

/**
 * A text that sorts as the magnitude does, exactly, in every store: fixed width, zero padded.
 * @throws MoneyError for a negative value
 */
export function magnitudeKey(amount: Decimal): string {
  const [whole = '0', fraction = ''] = amount.split('.');
  if (whole.startsWith('-')) throw new MoneyError(amount);
  return `${whole.padStart(INTEGER_DIGITS, '0')}.${fraction.padEnd(FRACTION_DIGITS, '0')}`;
}
