import { type Amount, decimalText, signOf } from '../format/decimal.ts';
import { digitsOf, formatDigits, MINUS } from '../format/money.ts';
import { common } from '../words/index.ts';
import { language } from '../words/language.ts';

type Props = {
  /** Null: the service does not know it, which is not 0. */
  readonly amount: Amount | null;
  readonly currency: string | null;
  /** `flow`: plus and green for what came in; `plain`: a balance or a sum, a sign only below 0. */
  readonly as?: 'flow' | 'plain';
  readonly large?: boolean;
  /** Without, the code stands elsewhere, as in a column's heading. */
  readonly showCurrency?: boolean;
};

/**
 * An amount: sign before, digits, the currency as a quiet code after. Digits that a currency lacks are left as space,
 * so that decimal marks of different currencies stand under each other.
 */
export function Money({ amount, currency, as = 'plain', large = false, showCurrency = true }: Props) {
  if (amount === null) return <span class="muted">{common().money.unknown}</span>;
  const code = currency ?? '';
  const sign = signOf(amount);
  const shown = sign < 0 ? MINUS : as === 'flow' && sign > 0 ? '+' : '';
  const missing = 2 - digitsOf(code);
  return (
    <data
      class={`money digits ${as === 'flow' && sign > 0 ? 'in' : ''} ${large ? 'large' : ''}`}
      value={decimalText(amount)}
    >
      {shown}
      {formatDigits(language.value, amount, code)}
      {missing > 0 && !large && (
        <span class="pad" aria-hidden="true">
          {`.${'0'.repeat(missing)}`}
        </span>
      )}
      {showCurrency && code !== '' && <span class="code">{` ${code}`}</span>}
    </data>
  );
}

type TotalsProps = {
  readonly totals: readonly { readonly currency: string | null; readonly amount: Amount }[];
  readonly as?: 'flow' | 'plain';
};

/** Amounts by currency, never added up. */
export function Totals({ totals, as = 'flow' }: TotalsProps) {
  return (
    <>
      {totals.map(({ currency, amount }) => (
        <Money key={`${currency} ${amount}`} amount={amount} currency={currency} as={as} />
      ))}
    </>
  );
}
