/**
 * Exact decimals as text. An amount reaches the console as a number where that holds all of its digits, else as text
 * (see api/exact-json.ts), so it is never added or shown as a floating point number.
 */
export type Amount = number | string;

/** As plain decimal text: no exponent, no plus sign. */
export function decimalText(amount: Amount): string {
  const text = String(amount);
  const found = /^([+-]?)(\d+)(?:\.(\d+))?[eE]([+-]?\d+)$/.exec(text);
  if (found === null) return text.replace(/^\+/, '');
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = found;
  const point = whole.length + Number(exponent);
  const digits = `${whole}${fraction}`;
  const padded = point <= 0 ? `${'0'.repeat(1 - point)}${digits}` : digits.padEnd(point, '0');
  const at = Math.max(1, point);
  const rest = padded.slice(at);
  return `${sign === '-' ? '-' : ''}${padded.slice(0, at)}${rest === '' ? '' : `.${rest}`}`;
}

type Scaled = { readonly units: bigint; readonly scale: number };

function scaled(amount: Amount): Scaled {
  const [whole = '0', fraction = ''] = decimalText(amount).split('.');
  return { units: BigInt(`${whole}${fraction}`), scale: fraction.length };
}

function unscaled({ units, scale }: Scaled): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  return `${units < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

export function add(one: Amount, other: Amount): string {
  const [a, b] = [scaled(one), scaled(other)];
  const scale = Math.max(a.scale, b.scale);
  const raise = ({ units, scale: own }: Scaled): bigint => units * 10n ** BigInt(scale - own);
  return unscaled({ units: raise(a) + raise(b), scale });
}

export function negate(amount: Amount): string {
  const { units, scale } = scaled(amount);
  return unscaled({ units: -units, scale });
}

/** Of a transaction, whose direction stands beside its amount. */
export function signedAmount({ amount, incoming }: { readonly amount: Amount; readonly incoming: boolean }): string {
  return incoming ? String(amount) : negate(amount);
}

/** Less than, equal to or greater than 0. */
export function signOf(amount: Amount): -1 | 0 | 1 {
  const { units } = scaled(amount);
  return units < 0n ? -1 : units > 0n ? 1 : 0;
}
