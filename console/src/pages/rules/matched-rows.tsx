import type { ComponentChildren } from 'preact';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { signedAmount } from '../../format/decimal.ts';
import { withMoment } from '../../frame/as-of-moment.ts';
import { Day } from '../../parts/moment.tsx';
import { Money } from '../../parts/money.tsx';
import { to } from '../../router.ts';
import { marked } from './rows.ts';

type Props = {
  readonly label: string;
  readonly rows: readonly BankTransaction[];
  /** Marked where they stand. */
  readonly wanted?: readonly string[];
  /** Behind a row, such as what was done to it. */
  readonly note?: (row: BankTransaction) => ComponentChildren;
};

/** Transactions in two lines each, for a column beside an editor; each leads to its page. */
export function MatchedRows({ label, rows, wanted = [], note }: Props) {
  return (
    <ul class="matched" aria-label={label}>
      {rows.map((row) => (
        <li key={row.id}>
          <a href={withMoment(`${to('transactions')}?open=${encodeURIComponent(row.id)}`)}>
            <span class="row between">
              <strong class="clip">
                <Marked text={row.nameSurname ?? row.description ?? row.id} wanted={wanted} />
              </strong>
              <Money amount={signedAmount(row)} currency={row.currency ?? null} as="flow" />
            </span>
            <span class="row between small muted">
              <span class="clip">
                <Day on={row.transactionDate} />
                {row.nameSurname && row.description && (
                  <>
                    {' · '}
                    <Marked text={row.description} wanted={wanted} />
                  </>
                )}
              </span>
              {note?.(row)}
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}

function Marked({ text, wanted }: { readonly text: string; readonly wanted: readonly string[] }) {
  return (
    <>{marked(text, wanted).map((piece, at) => (piece.isMarked ? <mark key={at}>{piece.text}</mark> : piece.text))}</>
  );
}
