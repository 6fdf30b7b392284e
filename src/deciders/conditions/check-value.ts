import {
  type ConditionField,
  type ConditionOperator,
  type ConditionValue,
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

export function operatorsOf(field: ConditionField): readonly ConditionOperator[] {
  if (isOneOf(TEXT_FIELDS, field)) return TEXT_OPERATORS;
  if (isOneOf(NUMBER_FIELDS, field)) return NUMBER_OPERATORS;
  return isOneOf(FLAG_FIELDS, field) ? FLAG_OPERATORS : DATE_OPERATORS;
}

/** A value against what its field and operator take, both known to fit together. */
export function checkValue(field: ConditionField, operator: ConditionOperator, value: unknown): CheckedValue {
  if (isOneOf(TEXT_FIELDS, field)) return checkText(operator, value);
  if (isOneOf(NUMBER_FIELDS, field)) return checkNumber(operator, value);
  if (isOneOf(FLAG_FIELDS, field)) return typeof value === 'boolean' ? { value } : fault('must be true or false');
  return checkDate(operator, value);
}

function checkText(operator: ConditionOperator, value: unknown): CheckedValue {
  switch (operator) {
    case 'is_empty':
    case 'is_not_empty':
      return value === undefined ? { value } : fault(`${operator} takes no value`);
    case 'in':
    case 'not_in':
      return checkList(value, (item) => (isText(item) ? { item } : { wrong: TEXT_BOUND }));
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

function checkNumber(operator: ConditionOperator, value: unknown): CheckedValue {
  if (operator !== 'between') return single(value, readAmount, numberOf);
  return checkPair(value, readAmount, 'must be [low, high], both included, low no higher than high', (low, high) =>
    compare(low, high) <= 0 ? [numberOf(low), numberOf(high)] : null,
  );
}

function checkDate(operator: ConditionOperator, value: unknown): CheckedValue {
  switch (operator) {
    case 'day_of_month':
      return Array.isArray(value) ? checkList(value, readDayOfMonth) : single(value, readDayOfMonth, (day) => day);
    case 'between':
      return checkPair(value, readMoment, 'must be [from, to], to not included and later than from', (from, to) =>
        from.fromMs < to.fromMs ? [from.text, to.text] : null,
      );
    default:
      return single(value, readMoment, ({ text }) => text);
  }
}

/** An outside value as what it was read to be, or what is wrong with it. */
type Read<Item> = { readonly item: Item } | { readonly wrong: string };
type ReadItem<Item> = (value: unknown) => Read<Item>;

function single<Item>(value: unknown, read: ReadItem<Item>, asValue: (item: Item) => ConditionValue): CheckedValue {
  const one = read(value);
  return 'wrong' in one ? fault(one.wrong) : { value: asValue(one.item) };
}

function checkList(value: unknown, read: ReadItem<string | number>): CheckedValue {
  if (!Array.isArray(value) || value.length < 1 || value.length > CONDITION_LIMITS.listLength) {
    return fault(`must be a list of 1 to ${CONDITION_LIMITS.listLength}`);
  }
  const items = readAll(value, read);
  return 'fault' in items ? items : { value: items.all };
}

function checkPair<Item>(
  value: unknown,
  read: ReadItem<Item>,
  message: string,
  pairOf: (first: Item, second: Item) => (string | number)[] | null,
): CheckedValue {
  if (!Array.isArray(value) || value.length !== 2) return fault(message);
  const items = readAll(value, read);
  if ('fault' in items) return items;
  const [first, second] = items.all;
  const pair = first === undefined || second === undefined ? null : pairOf(first, second);
  return pair === null ? fault(message) : { value: pair };
}

function readAll<Item>(
  values: readonly unknown[],
  read: ReadItem<Item>,
): { readonly all: Item[] } | { readonly fault: ValueFault } {
  const all: Item[] = [];
  for (const [index, value] of values.entries()) {
    const one = read(value);
    if ('wrong' in one) return { fault: { at: `.${index}`, message: one.wrong } };
    all.push(one.item);
  }
  return { all };
}

const TEXT_BOUND = `must be a text of at most ${CONDITION_LIMITS.textLength} characters`;

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= CONDITION_LIMITS.textLength;
}

function readAmount(value: unknown): Read<Decimal> {
  try {
    if (isRawNumber(value)) return { item: decimal(value.rawJSON) };
    return typeof value === 'number' ? { item: decimalOf(value) } : { wrong: 'must be a number' };
  } catch (error) {
    if (error instanceof MoneyError) return { wrong: 'must be a number of at most 18 digits and 5 decimals' };
    throw error;
  }
}

function readMoment(value: unknown): Read<{ readonly text: string; readonly fromMs: number }> {
  const moment = typeof value === 'string' ? momentOf(value) : null;
  if (typeof value === 'string' && moment !== null) return { item: { text: value, fromMs: moment.fromMs } };
  return { wrong: 'must be a day YYYY-MM-DD or an ISO 8601 date-time with its offset' };
}

function readDayOfMonth(value: unknown): Read<number> {
  const isDay = typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 31;
  return isDay ? { item: value } : { wrong: 'must be a whole number from 1 to 31' };
}

function fault(message: string): CheckedValue {
  return { fault: { at: '', message } };
}
