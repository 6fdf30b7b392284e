import { type Decimal, isExactAsNumber } from '../../shared/money.ts';
import { rawNumber } from '../../shared/raw-number.ts';

/**
 * An amount as JSON shows it: a number token with all its digits. One that floating point would round is written from
 * its text. Its type is still number, which it is for the client.
 */
export function jsonNumber(amount: Decimal): number {
  return isExactAsNumber(amount) ? Number(amount) : (rawNumber(amount) as unknown as number);
}
