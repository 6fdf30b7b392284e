import { type Amount, decimalText } from './decimal.ts';

type Known = { readonly digits: number };
const currencies = new Map<string, Known>();

/** How many decimals the currency has; 2 for a code that is none. */
export function digitsOf(currency: string): number {
  const known = currencies.get(currency);
  if (known !== undefined) return known.digits;
  let digits = 2;
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    // A bank may name a currency that is none; its amounts are shown all the same.
  }
  currencies.set(currency, { digits });
  return digits;
}

const formats = new Map<string, Intl.NumberFormat>();

/** Digits of the amount in the language, without sign and currency; all that it has, and never fewer than usual. */
export function formatDigits(language: string, amount: Amount, currency: string): string {
  const text = decimalText(amount).replace('-', '');
  const has = text.split('.')[1]?.length ?? 0;
  const digits = Math.max(digitsOf(currency), has);
  const key = `${language} ${digits}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat(language, { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(key, format);
  }
  return format.format(text as `${number}`);
}

export const MINUS = '\u2212';

/** With its sign and currency code, for sentences and copies. */
export function formatMoney(language: string, amount: Amount, currency: string, withPlus = false): string {
  const text = decimalText(amount);
  const sign = text.startsWith('-') ? MINUS : withPlus && !/^[0.]*$/.test(text) ? '+' : '';
  return `${sign}${formatDigits(language, text, currency)}\u00a0${currency}`;
}
