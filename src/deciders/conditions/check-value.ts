import {
  type ConditionValue,
  DATE_FIELDS,
  DATE_OPERATORS,
  FLAG_FIELDS,
  FLAG_OPERATORS,
  NUMBER_FIELDS,
  NUMBER_OPERATORS,
  TEXT_FIELDS,
  TEXT_OPERATORS,
} from '../../events/conditions.ts';
import { compare, type Decimal, decimal, decimalOf, MoneyError } from '../../shared/money.ts';
import { isRawNumber } from '../../shared/raw-number.ts';
import { foldText } from '../../shared/text-folding.ts';
import { CONDITION_LIMITS, isOneOf, numberOf } from './condition.ts';
import { momentOf } from './moment.ts';
import { compilePattern, PatternError } from './pattern.ts';

/** What is wrong with a value; `at` continues the value's path. */
export type ValueFault = { readonly at: string; readonly message: string };
/** `value` undefined: the operator takes none. */
export type CheckedValue = { readonly value: ConditionValue | undefined } | { readonly fault: ValueFault };

/** The operators of a field, undefined for a field that does not exist. */
export function operatorsOf(field: unknown): readonly string[] | undefined {
  if (isOneOf(TEXT_FIELDS, field)) return TEXT_OPERATORS;
  if (isOneOf(NUMBER_FIELDS, field)) return NUMBER_OPERATORS;
  if (isOneOf(FLAG_FIELDS, field)) return FLAG_OPERATORS;
  if (isOneOf(DATE_FIELDS, field)) return DATE_OPERATORS;
  return undefined;
}

/** A value against what its field and operator take, both known to fit together. */
export function checkValue(field: string, operator: string, value: unknown): CheckedValue {
  if (isOneOf(TEXT_FIELDS, field)) return checkText(operator, value);
  if (isOneOf(NUMBER_FIELDS, field)) return checkNumber(operator, value);
  if (isOneOf(FLAG_FIELDS, field)) return typeof value === 'boolean' ? { value } : fault('must be true or false');
  return checkDate(operator, value);
}

function checkText(operator: string, value: unknown): CheckedValue {
  switch (operator) {
    case 'is_empty':
    case 'is_not_empty':
      return value === undefined ? { value } : fault(`${operator} takes no value`);
    case 'in':
    case 'not_in':
      return checkList(value, (item) => (isText(item) ? null : TEXT_BOUND));
    case 'equals':
    case 'not_equals':
      return isText(value) ? { value } : fault(TEXT_BOUND);
    case 'matches':
      return checkPattern(value);
    default:
      if (!isText(value)) return fault(TEXT_BOUND);
      return foldText(value) === '' ? fault('must not be blank: every text would contain it') : { value };
  }
}

function checkPattern(value: unknown): CheckedValue {
  if (!isText(value) || value === '') return fault(`${TEXT_BOUND} and not empty`);
  try {
    compilePattern(value);
    return { value };
  } catch (error) {
    if (error instanceof PatternError) return fault(error.message);
    throw error;
  }
}

function checkNumber(operator: string, value: unknown): CheckedValue {
  if (operator !== 'between') {
    const wrong = numberFault(value);
    return wrong === null ? { value: numberOf(exactly(value)) } : fault(wrong);
  }
  return checkPair(value, numberFault, 'must be [low, high], both included, low no higher than high', (low, high) =>
    compare(exactly(low), exactly(high)) <= 0 ? [numberOf(exactly(low)), numberOf(exactly(high))] : null,
  );
}

function checkDate(operator: string, value: unknown): CheckedValue {
  switch (operator) {
    case 'day_of_month':
      return Array.isArray(value) ? checkList(value, dayOfMonthFault) : single(value, dayOfMonthFault);
    case 'between':
      return checkPair(value, momentFault, 'must be [from, to], to not included and later than from', (from, to) => {
        if (typeof from !== 'string' || typeof to !== 'string') return null;
        const [start, end] = [momentOf(from), momentOf(to)];
        return start !== null && end !== null && start.fromMs < end.fromMs ? [from, to] : null;
      });
    default:
      return single(value, momentFault);
  }
}

type FaultOf = (value: unknown) => string | null;

function single(value: unknown, faultOf: FaultOf): CheckedValue {
  const wrong = faultOf(value);
  return wrong === null ? { value: value as ConditionValue } : fault(wrong);
}

function checkList(value: unknown, faultOf: FaultOf): CheckedValue {
  if (!Array.isArray(value) || value.length < 1 || value.length > CONDITION_LIMITS.listLength) {
    return fault(`must be a list of 1 to ${CONDITION_LIMITS.listLength}`);
  }
  for (const [index, item] of value.entries()) {
    const wrong = faultOf(item);
    if (wrong !== null) return { fault: { at: `.${index}`, message: wrong } };
  }
  return { value: [...value] };
}

function checkPair(
  value: unknown,
  faultOf: FaultOf,
  message: string,
  pairOf: (first: unknown, second: unknown) => (string | number)[] | null,
): CheckedValue {
  if (!Array.isArray(value) || value.length !== 2) return fault(message);
  for (const [index, item] of value.entries()) {
    const wrong = faultOf(item);
    if (wrong !== null) return { fault: { at: `.${index}`, message: wrong } };
  }
  const pair = pairOf(value[0], value[1]);
  return pair === null ? fault(message) : { value: pair };
}

const TEXT_BOUND = `must be a text of at most ${CONDITION_LIMITS.textLength} characters`;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= CONDITION_LIMITS.textLength;
}

function numberFault(value: unknown): string | null {
  if (typeof value !== 'number' && !isRawNumber(value)) return 'must be a number';
  try {
    exactly(value);
    return null;
  } catch (error) {
    if (error instanceof MoneyError) return 'must be a number of at most 18 digits and 5 decimals';
    throw error;
  }
}

/** @throws MoneyError for a value that is no amount */
function exactly(value: unknown): Decimal {
  return isRawNumber(value) ? decimal(value.rawJSON) : decimalOf(value as number);
}

function momentFault(value: unknown): string | null {
  return typeof value === 'string' && momentOf(value) !== null
    ? null
    : 'must be a day YYYY-MM-DD or an ISO 8601 date-time with its offset';
}

function dayOfMonthFault(value: unknown): string | null {
  return Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 31 && typeof value === 'number'
    ? null
    : 'must be a whole number from 1 to 31';
}

function fault(message: string): CheckedValue {
  return { fault: { at: '', message } };
}
