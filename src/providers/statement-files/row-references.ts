import type { RowReferences } from '../bank-provider.ts';
import { tidied } from './statement.ts';

const FILLERS = /^(NOTPROVIDED|NOT ?PROVIDED|NON ?REF|NONE|N\/?A|UNKNOWN|X+|0+|-+)$/i;

/** Those that are stated, fillers left out. */
export function referencesOf(given: Readonly<Record<keyof RowReferences, string | null | undefined>>): RowReferences {
  const stated = Object.entries(given).flatMap(([name, value]) => {
    const text = tidied(value);
    return text === null || FILLERS.test(text) ? [] : [[name, text]];
  });
  return Object.fromEntries(stated);
}

/** Marks that SEPA puts before the parts of a purpose (`SVWZ+`), with or without a space behind. */
const MARKS = /(?<![A-Z])(EREF|KREF|MREF|CRED|DEBT|SVWZ|ABWA|ABWE|COAM|OAMT|PURP|IBAN|BIC)\+/g;

/** What stands behind each mark in a text, each mark once. */
export function markedParts(text: string): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  const marks = [...text.matchAll(MARKS)];
  for (const [index, mark] of marks.entries()) {
    const value = text.slice(mark.index + mark[0].length, marks[index + 1]?.index ?? text.length).trim();
    const name = mark[1] ?? '';
    if (!parts.has(name)) parts.set(name, value);
  }
  return parts;
}
