import type { NumberField, TextField } from '../../events/conditions.ts';
import { toUnits } from '../../shared/money.ts';
import { evenText, foldText } from '../../shared/text-folding.ts';
import type { ConditionSubject } from './condition.ts';

type Folded = Partial<Record<TextField, string | null>>;

/**
 * A subject and the values that conditions derive from it, each computed once on first use, however many rules there
 * are.
 */
export type PreparedSubject = {
  readonly subject: ConditionSubject;
  readonly folded: Folded;
  readonly evened: Folded;
  readonly scaled: Partial<Record<NumberField, bigint | null>>;
  dateMs: number | null | undefined;
};

export function prepareSubject(subject: ConditionSubject): PreparedSubject {
  return { subject, folded: {}, evened: {}, scaled: {}, dateMs: undefined };
}

/** Null for a null or missing field. */
export function foldedOf(prepared: PreparedSubject, field: TextField): string | null {
  const known = prepared.folded[field];
  if (known !== undefined) return known;
  const text = prepared.subject[field] ?? null;
  const folded = text === null ? null : foldText(text);
  prepared.folded[field] = folded;
  return folded;
}

/** The text that patterns search; null for a null or missing field. */
export function evenedOf(prepared: PreparedSubject, field: TextField): string | null {
  const known = prepared.evened[field];
  if (known !== undefined) return known;
  const text = prepared.subject[field] ?? null;
  const evened = text === null ? null : evenText(text);
  prepared.evened[field] = evened;
  return evened;
}

/** In units of 0.00001; null for a null or missing field. */
export function scaledOf(prepared: PreparedSubject, field: NumberField): bigint | null {
  const known = prepared.scaled[field];
  if (known !== undefined) return known;
  const text = prepared.subject[field] ?? null;
  const value = text === null ? null : toUnits(text);
  prepared.scaled[field] = value;
  return value;
}

/** Epoch milliseconds; null for a null or missing date. */
export function dateMsOf(prepared: PreparedSubject): number | null {
  if (prepared.dateMs === undefined) {
    const text = prepared.subject.transactionDate ?? null;
    prepared.dateMs = text === null ? null : Date.parse(text);
  }
  return prepared.dateMs;
}
