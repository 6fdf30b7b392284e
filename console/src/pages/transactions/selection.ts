import { useState } from 'preact/hooks';
import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { add, signedAmount } from '../../format/decimal.ts';

export type Selection = {
  readonly rows: ReadonlyMap<string, BankTransaction>;
  readonly set: (rows: readonly BankTransaction[], selected: boolean) => void;
  readonly clear: () => void;
};

/** Rows stay selected while one scrolls, and while the list is loaded anew. */
export function useSelection(): Selection {
  const [rows, setRows] = useState<ReadonlyMap<string, BankTransaction>>(new Map());
  return {
    rows,
    set: (changed, selected) => {
      setRows((before) => {
        const after = new Map(before);
        for (const row of changed) {
          if (selected) after.set(row.id, row);
          else after.delete(row.id);
        }
        return after;
      });
    },
    clear: () => setRows(new Map()),
  };
}

/** The net of the rows by currency, exact, in alphabetical order. */
export function netByCurrency(rows: Iterable<BankTransaction>): { currency: string; amount: string }[] {
  const sums = new Map<string, string>();
  for (const row of rows) {
    const currency = row.currency ?? '';
    sums.set(currency, add(sums.get(currency) ?? '0', signedAmount(row)));
  }
  return [...sums]
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([currency, amount]) => ({ currency, amount }));
}
