import type { Decimal } from '../../shared/money.ts';
import type { Random } from './random.ts';

/** Letters of the bank (if any) and the number of digits after them, by country code (ISO 13616 registry). */
const IBAN_SHAPES = {
  TR: { bank: ['00062', '00064', '00010', '00046', '00134'], digits: 17 },
  DE: { bank: ['50010517', '37040044', '10010010'], digits: 10 },
  NL: { bank: ['INGB', 'ABNA', 'RABO'], digits: 10 },
  GB: { bank: ['NWBK', 'BARC'], digits: 14 },
  AT: { bank: ['12000', '20111'], digits: 11 },
} as const;

export type IbanCountry = keyof typeof IBAN_SHAPES;

/** An IBAN of the country's length whose check digits are right (ISO 7064 MOD 97-10). */
export function iban(country: IbanCountry, random: Random): string {
  const shape = IBAN_SHAPES[country];
  const digits = random.digits(shape.digits);
  // The sixth digit of a Turkish number is reserved and zero.
  const basic = `${random.pick<string>(shape.bank)}${country === 'TR' ? `0${digits.slice(1)}` : digits}`;
  return `${country}${String(98 - remainder97(`${basic}${country}00`)).padStart(2, '0')}${basic}`;
}

/**
 * The number that an IBAN represents, modulo 97, letters as 10 to 35; 1 for a valid IBAN whose first four characters
 * were moved to its end.
 */
export function remainder97(text: string): number {
  let remainder = 0;
  for (const character of text) {
    for (const digit of String(Number.parseInt(character, 36))) remainder = (remainder * 10 + Number(digit)) % 97;
  }
  return remainder;
}

/** A Turkish tax number (VKN): nine digits and the check digit of the Revenue Administration's published algorithm. */
export function taxNumber(random: Random): string {
  const nine = random.digits(9);
  const sum = [...nine].reduce((total, digit, index) => {
    const shifted = (Number(digit) + 9 - index) % 10;
    const weighted = (shifted * 2 ** (9 - index)) % 9;
    return total + (shifted !== 0 && weighted === 0 ? 9 : weighted);
  }, 0);
  return `${nine}${(10 - (sum % 10)) % 10}`;
}

/** Hundredths as a decimal without trailing zeros. */
export function decimalOfHundredths(hundredths: number): Decimal {
  const magnitude = Math.abs(hundredths);
  const fraction = magnitude % 100;
  const whole = (magnitude - fraction) / 100;
  const sign = hundredths < 0 ? '-' : '';
  if (fraction === 0) return `${sign}${whole}`;
  const digits = fraction < 10 ? `0${fraction}` : fraction % 10 === 0 ? `${fraction / 10}` : `${fraction}`;
  return `${sign}${whole}.${digits}`;
}
