import type { RowReferences } from '../bank-provider.ts';
import { tidied } from './statement.ts';

const FILLERS = /^(NOTPROVIDED|NOT ?PROVIDED|NON ?REF|NONE|N\/?A|UNKNOWN|X+|0+|-+)$/i;

const NAMED: Readonly<Record<keyof RowReferences, true>> = {
  endToEndId: true,
  mandateId: true,
  creditorId: true,
  customerReference: true,
  bankReference: true,
};
const NAMES = Object.keys(NAMED) as (keyof RowReferences)[];

/** The references that are stated, without fillers. */
export function referencesOf(given: Readonly<Record<keyof RowReferences, string | null | undefined>>): RowReferences {
  const stated: Partial<Record<keyof RowReferences, string>> = {};
  for (const name of NAMES) {
    const text = tidied(given[name]);
    if (text !== null && !FILLERS.test(text)) stated[name] = text;
  }
  return stated;
}

/** Marks that SEPA puts before the parts of a purpose (`SVWZ+`), with or without a space after them. */
const MARKS = /(?<![A-Z])(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|COAM|OAMT|PURP|IBAN|BIC)\+/g;

/** The text after each mark; if a mark occurs more than once, after the first one. */
export function markedParts(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  if (!text.includes('+')) return parts;
  const marks = [...text.matchAll(MARKS)];
  for (const [index, mark] of marks.entries()) {
    const value = text.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length).trim();
    const name = mark[1] ?? '';
    if (!parts.has(name)) parts.set(name, value);
  }
  return parts;
}
