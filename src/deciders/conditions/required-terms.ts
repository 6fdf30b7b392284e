import {
  type Condition,
  FLAG_FIELDS,
  type FlagField,
  NUMBER_FIELDS,
  type NumberField,
  TEXT_FIELDS,
  type TextField,
} from '../../events/conditions.ts';
import { toUnits } from '../../shared/money.ts';
import { foldText } from '../../shared/text-folding.ts';
import { amountOf, isOneOf } from './condition.ts';
import { dateMsOf, foldedOf, type PreparedSubject, scaledOf } from './subject.ts';

/**
 * A part of a subject: a whole text, each three consecutive characters of one, a number, a flag, the day of the month.
 */
export type Probe =
  | { readonly kind: 'text' | 'trigram'; readonly field: TextField }
  | { readonly kind: 'number'; readonly field: NumberField }
  | { readonly kind: 'flag'; readonly field: FlagField }
  | { readonly kind: 'day' };

export type Key = { readonly probe: Probe; readonly value: string | bigint };
/** Every subject that meets the condition has at least one of these keys. */
export type RequiredTerms = readonly Key[];

const TRIGRAM_LENGTH = 3;

export function isTrigram(probe: Probe): boolean {
  return probe.kind === 'trigram';
}

export function probeName({ probe }: Key): string {
  return probe.kind === 'day' ? 'day' : `${probe.kind}:${probe.field}`;
}

/** The sets of keys to choose from; none for a condition that may hold whatever the subject has. */
export function requiredTermsOf({ field, operator, value }: Condition): RequiredTerms[] {
  if (isOneOf(TEXT_FIELDS, field)) return requiredTextTerms(field, operator, value);
  if (isOneOf(NUMBER_FIELDS, field)) {
    if (operator !== 'equals' || (typeof value !== 'number' && typeof value !== 'string')) return [];
    return [[{ probe: { kind: 'number', field }, value: toUnits(amountOf(value)) }]];
  }
  if (isOneOf(FLAG_FIELDS, field)) return [[{ probe: { kind: 'flag', field }, value: String(value) }]];
  if (operator !== 'day_of_month') return [];
  return [[value].flat().map((day) => ({ probe: { kind: 'day' }, value: String(day) }))];
}

function requiredTextTerms(field: TextField, operator: string, value: Condition['value']): RequiredTerms[] {
  switch (operator) {
    case 'equals':
    case 'in':
      return [[value].flat().map((item) => ({ probe: { kind: 'text', field }, value: foldText(String(item)) }))];
    case 'contains':
    case 'starts_with':
    case 'ends_with': {
      const keys: RequiredTerms[] = [];
      eachTrigram(foldText(String(value)), (trigram) =>
        keys.push([{ probe: { kind: 'trigram', field }, value: trigram }]),
      );
      return keys;
    }
    default:
      return [];
  }
}

/** Every key that the subject has at this place. */
export function probeKeys(probe: Probe, prepared: PreparedSubject, found: (value: string | bigint) => void): void {
  switch (probe.kind) {
    case 'text':
    case 'trigram': {
      const folded = foldedOf(prepared, probe.field);
      if (folded === null) return;
      if (probe.kind === 'text') found(folded);
      else eachTrigram(folded, found);
      return;
    }
    case 'number': {
      const number = scaledOf(prepared, probe.field);
      if (number !== null) found(number);
      return;
    }
    case 'flag':
      found(String(prepared.subject[probe.field]));
      return;
    case 'day': {
      const ms = dateMsOf(prepared);
      if (ms !== null) found(String(new Date(ms).getUTCDate()));
    }
  }
}

function eachTrigram(text: string, take: (trigram: string) => void): void {
  for (let at = 0; at + TRIGRAM_LENGTH <= text.length; at += 1) take(text.slice(at, at + TRIGRAM_LENGTH));
}
