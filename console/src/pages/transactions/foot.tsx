import { useState } from 'preact/hooks';
import type { TransactionTotals } from '../../../../sdk/src/index.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Money, Totals } from '../../parts/money.tsx';
import { AssignForm } from '../../parts/transaction/assign-form.tsx';
import { mayWrite } from '../../session/session.ts';
import { common } from '../../words/index.ts';
import { RevokeMany } from './revoke-many.tsx';
import { netByCurrency, type Selection } from './selection.ts';
import { pageWords } from './words.ts';

type Props = {
  /** Null: on their way. */
  readonly sums: TransactionTotals | null;
  readonly known: { readonly count: number; readonly isWhole: boolean };
  readonly selection: Selection;
  readonly onChanged: () => void;
};

/** Under the table: what the filter adds up to by currency, then what is selected, and what can be done with that. */
export function Foot({ sums, known, selection, onChanged }: Props) {
  const w = pageWords();
  const t = common().table;
  const money = common().money;
  const [over, setOver] = useState<'assign' | 'revoke' | null>(null);
  const rows = [...selection.rows.values()];
  const count = sums?.count ?? { value: known.count, atLeast: !known.isWhole };
  const close = (): void => setOver(null);
  return (
    <div class="foot">
      <div class="sums">
        <span class="digits">{count.atLeast ? t.atLeast(t.rows(count.value)) : t.rows(count.value)}</span>
        {sums?.totals.map((total) => (
          <span key={total.currency} class="sum">
            <span class="muted">{money.in}</span>{' '}
            <Money amount={total.in} currency={total.currency} as="flow" showCurrency={false} />{' '}
            <span class="muted">{money.out}</span>{' '}
            <Money amount={`-${total.out}`} currency={total.currency} showCurrency={false} />{' '}
            <span class="muted">{money.net}</span> <Money amount={total.net} currency={total.currency} as="flow" />
          </span>
        ))}
      </div>
      {rows.length > 0 && (
        <div class="row selected">
          <strong>{t.selected(rows.length)}</strong>
          <Totals totals={netByCurrency(rows)} />
          {mayWrite('transactions:write') && (
            <>
              <Button onClick={() => setOver('assign')}>{w.assign}</Button>
              <Button onClick={() => setOver('revoke')}>{w.revoke}</Button>
            </>
          )}
          <Button kind="quiet" icon="close" label={w.clearSelection} onClick={selection.clear} />
        </div>
      )}
      {over === 'assign' && (
        <Dialog title={w.assignTitle(rows.length)} onClose={close}>
          <AssignForm
            rows={rows}
            full
            onDone={() => {
              close();
              onChanged();
            }}
          />
        </Dialog>
      )}
      {over === 'revoke' && <RevokeMany rows={rows} onClose={close} onChanged={onChanged} />}
    </div>
  );
}
