import { sha256 } from '../shared/hash.ts';
import { oncePerObject } from '../shared/once-per-object.ts';
import { foldText } from '../shared/text-folding.ts';

/** Whom a row names, as the bank wrote it. */
export type Counterparty = { readonly nameSurname: string | null; readonly iban: string | null; readonly idNo: string };

/**
 * Rows whose name, IBAN and identity number are equal, ignoring spaces, have the same counterparty; what a bank omits
 * is "". The key is the same in every tenant.
 */
export const counterpartyOf = oncePerObject(({ nameSurname, iban, idNo }: Counterparty) => {
  const named = {
    counterparty: (nameSurname ?? '').trim().replaceAll(/\s+/gu, ' '),
    iban: (iban ?? '').replaceAll(/\s+/gu, '').toUpperCase(),
    idNo: idNo.trim(),
  };
  return { key: keyOf(JSON.stringify(named)), ...named };
});

const MOST_WORDS = 4;
/** Beyond this a text is not read: the words that decide stand at its beginning. */
const MOST_CHARACTERS = 500;
const LONGEST_WORD = 40;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
const HAS_NUMBER = /\p{N}/u;

/**
 * What makes descriptions alike: their first four words, in one case, leaving out whatever holds a digit up to the next
 * space. So dates, amounts, invoice and reference numbers do not matter, and neither do punctuation or what follows:
 * `Invoice 2231 Otto GmbH` and `INVOICE 2305, OTTO GMBH 03.09.` are both `invoice otto gmbh`. A description without any
 * such word is "".
 */
export function likenessOf(description: string | null): { readonly key: string; readonly words: string } {
  const words: string[] = [];
  for (const part of foldText((description ?? '').slice(0, MOST_CHARACTERS)).split(' ')) {
    if (words.length >= MOST_WORDS) break;
    if (!HAS_NUMBER.test(part)) words.push(...(part.match(WORD) ?? []).map((word) => cut(word, LONGEST_WORD)));
  }
  const text = words.slice(0, MOST_WORDS).join(' ');
  return { key: keyOf(text), words: text };
}

/** {@link likenessOf} a row's description. */
export const likenessOfRow = oncePerObject(({ description }: { readonly description: string | null }) =>
  likenessOf(description),
);

/** The first characters of a text, none of them split. */
export function cut(text: string, most: number): string {
  return text.length <= most
    ? text
    : Array.from(text.slice(0, most * 2))
        .slice(0, most)
        .join('');
}

function keyOf(text: string): string {
  return sha256(text).slice(0, 32);
}
