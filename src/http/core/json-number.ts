import { type Decimal, isExactAsNumber } from '../../shared/money.ts';
import { rawNumber } from '../../shared/raw-number.ts';

/**
 * An amount as it leaves in JSON: a number token with all its digits. One that a floating point number would round is
 * written from its text; to the types it is a number all the same, as it is to whoever reads the answer.
 */
export function jsonNumber(amount: Decimal): number {
  return isExactAsNumber(amount) ? Number(amount) : (rawNumber(amount) as unknown as number);
}
