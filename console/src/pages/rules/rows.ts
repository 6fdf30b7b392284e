import type { BankTransaction } from '../../../../sdk/src/index.ts';
import { add, signedAmount } from '../../format/decimal.ts';

type Total = { readonly currency: string | null; readonly amount: string };

/** In minus out, apart for each currency. */
export function totalsOf(rows: readonly BankTransaction[]): Total[] {
  const sums = new Map<string | null, string>();
  for (const row of rows) {
    const { currency = null } = row;
    sums.set(currency, add(sums.get(currency) ?? '0', signedAmount(row)));
  }
  return [...sums].map(([currency, amount]) => ({ currency, amount }));
}

/** Texts that the conditions look for, to mark them in the rows. */
export function wantedTexts(conditions: unknown): string[] {
  const { children, operator, value } = (conditions ?? {}) as {
    children?: readonly unknown[];
    operator?: string;
    value?: unknown;
  };
  if (children !== undefined) return children.flatMap(wantedTexts);
  if (!['contains', 'equals', 'starts_with', 'ends_with', 'in'].includes(operator ?? '')) return [];
  return [value].flat().filter((one): one is string => typeof one === 'string' && one.trim().length > 1);
}

export type Piece = { readonly text: string; readonly isMarked: boolean };

/** As rules compare texts: whatever the letter case, and with the four Turkish letters i alike. */
function folded(text: string): string {
  return [...text].map((letter) => (/[iıİI]/.test(letter) ? 'i' : letter.toLowerCase().slice(0, 1) || letter)).join('');
}

/** The text in pieces, of which those that were looked for are marked. */
export function marked(text: string, wanted: readonly string[]): Piece[] {
  const letters = [...text];
  const inside = folded(text);
  const marks = letters.map(() => false);
  for (const one of wanted) {
    const sought = folded(one.trim());
    for (let at = inside.indexOf(sought); at >= 0; at = inside.indexOf(sought, at + sought.length)) {
      marks.fill(true, at, at + sought.length);
    }
  }
  const pieces: { text: string; isMarked: boolean }[] = [];
  for (const [at, letter] of letters.entries()) {
    const last = pieces.at(-1);
    if (last !== undefined && last.isMarked === marks[at]) last.text += letter;
    else pieces.push({ text: letter, isMarked: marks[at] === true });
  }
  return pieces;
}
