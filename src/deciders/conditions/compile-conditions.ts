import {
  type Condition,
  type ConditionField,
  type ConditionGroup,
  type ConditionOperator,
  type ConditionValue,
  DATE_FIELDS,
  isGroup,
  NUMBER_FIELDS,
  type NumberField,
  TEXT_FIELDS,
  type TextField,
} from '../../events/conditions.ts';
import { type Decimal, isDecimal, toUnits } from '../../shared/money.ts';
import { foldText } from '../../shared/text-folding.ts';
import { amountOf, type ConditionSubject, isOneOf } from './condition.ts';
import { type Moment, momentOf } from './moment.ts';
import { compilePattern } from './pattern.ts';
import { dateMsOf, evenedOf, foldedOf, type PreparedSubject, prepareSubject, scaledOf } from './subject.ts';

/** One condition applied to one subject. `seen` is the field's value on the subject. */
export type ConditionOutcome = {
  readonly path: string;
  readonly field: ConditionField;
  readonly operator: ConditionOperator;
  readonly value: ConditionValue | null;
  readonly seen: string | boolean | null;
  readonly held: boolean;
};

export type CompiledConditions = {
  readonly matches: (prepared: PreparedSubject) => boolean;
  /** Every condition in the order of the tree, also those that `matches` would skip. */
  readonly explain: (prepared: PreparedSubject) => ConditionOutcome[];
};

type Test = (prepared: PreparedSubject) => boolean;
type Leaf = { readonly path: string; readonly condition: Condition; readonly test: Test };

/** Compiles a tree that `checkConditions` accepts. @throws ConditionError, PatternError for one that it refuses */
export function compileConditions(group: ConditionGroup): CompiledConditions {
  const leaves: Leaf[] = [];
  const matches = compileGroup(group, 'conditions', leaves);
  return {
    matches,
    explain: (prepared) =>
      leaves.map(({ path, condition, test }) => ({
        path,
        field: condition.field,
        operator: condition.operator,
        value: condition.value ?? null,
        seen: prepared.subject[condition.field] ?? null,
        held: test(prepared),
      })),
  };
}

/** Each condition of the tree with the value it saw and whether it held. */
export function explainConditions(group: ConditionGroup, subject: ConditionSubject): ConditionOutcome[] {
  return compileConditions(group).explain(prepareSubject(subject));
}

/** A tree was compiled that `checkConditions` refuses. */
export class ConditionError extends Error {
  constructor(path: string) {
    super(`${path} has not been checked`);
    this.name = 'ConditionError';
  }
}

function compileGroup(group: ConditionGroup, path: string, leaves: Leaf[]): Test {
  const tests = group.children.map((child, index) => {
    const childPath = `${path}.children.${index}`;
    if (isGroup(child)) return compileGroup(child, childPath, leaves);
    const test = compileCondition(child, childPath);
    leaves.push({ path: childPath, condition: child, test });
    return test;
  });
  switch (group.combinator) {
    case 'all':
      return (prepared) => tests.every((test) => test(prepared));
    case 'any':
      return (prepared) => tests.some((test) => test(prepared));
    case 'none':
      return (prepared) => !tests.some((test) => test(prepared));
  }
}

function compileCondition(condition: Condition, path: string): Test {
  const { field } = condition;
  if (isOneOf(TEXT_FIELDS, field)) return compileText(field, condition, path);
  if (isOneOf(NUMBER_FIELDS, field)) return compileNumber(field, condition, path);
  if (isOneOf(DATE_FIELDS, field)) return compileDate(condition, path);
  return (prepared) => prepared.subject[field] === condition.value;
}

function compileText(field: TextField, { operator, value }: Condition, path: string): Test {
  switch (operator) {
    case 'is_empty':
      return (prepared) => (foldedOf(prepared, field) ?? '') === '';
    case 'is_not_empty':
      return (prepared) => (foldedOf(prepared, field) ?? '') !== '';
    case 'in':
    case 'not_in': {
      const listed = new Set<string | null>(texts(value, path).map(foldText));
      return operator === 'in'
        ? (prepared) => listed.has(foldedOf(prepared, field))
        : (prepared) => !listed.has(foldedOf(prepared, field));
    }
    case 'matches': {
      const { found } = compilePattern(text(value, path));
      return (prepared) => {
        const evened = evenedOf(prepared, field);
        return evened !== null && found(evened);
      };
    }
    default:
      return compileFolded(field, operator, foldText(text(value, path)), path);
  }
}

function compileFolded(field: TextField, operator: ConditionOperator, folded: string, path: string): Test {
  switch (operator) {
    case 'equals':
      return (prepared) => foldedOf(prepared, field) === folded;
    case 'not_equals':
      return (prepared) => foldedOf(prepared, field) !== folded;
    case 'contains':
      return (prepared) => foldedOf(prepared, field)?.includes(folded) === true;
    case 'not_contains':
      return (prepared) => foldedOf(prepared, field)?.includes(folded) !== true;
    case 'starts_with':
      return (prepared) => foldedOf(prepared, field)?.startsWith(folded) === true;
    case 'ends_with':
      return (prepared) => foldedOf(prepared, field)?.endsWith(folded) === true;
    default:
      throw new ConditionError(path);
  }
}

function compileNumber(field: NumberField, { operator, value }: Condition, path: string): Test {
  const [first, second] = amounts(value, path).map(toUnits);
  if (first === undefined) throw new ConditionError(path);
  const tested = (holds: (seen: bigint) => boolean): Test => {
    return (prepared) => {
      const seen = scaledOf(prepared, field);
      return seen !== null && holds(seen);
    };
  };
  switch (operator) {
    case 'equals':
      return tested((seen) => seen === first);
    case 'not_equals':
      return (prepared) => scaledOf(prepared, field) !== first;
    case 'greater_than':
      return tested((seen) => seen > first);
    case 'at_least':
      return tested((seen) => seen >= first);
    case 'less_than':
      return tested((seen) => seen < first);
    case 'at_most':
      return tested((seen) => seen <= first);
    case 'between':
      return tested((seen) => seen >= first && second !== undefined && seen <= second);
    default:
      throw new ConditionError(path);
  }
}

/**
 * A date without time means the whole UTC day: `before` is before its start, `after` is after its end. `between` takes
 * the start of both days, excluding the second, like `from` and `to` of a list. `day_of_month` is the day in UTC.
 */
function compileDate({ operator, value }: Condition, path: string): Test {
  const tested = (holds: (ms: number) => boolean): Test => {
    return (prepared) => {
      const ms = dateMsOf(prepared);
      return ms !== null && holds(ms);
    };
  };
  if (operator === 'day_of_month') {
    const days = new Set(numbers(value, path));
    return tested((ms) => days.has(new Date(ms).getUTCDate()));
  }
  const [first, second] = (Array.isArray(value) ? texts(value, path) : [text(value, path)]).map((part) =>
    moment(part, path),
  );
  if (first === undefined) throw new ConditionError(path);
  switch (operator) {
    case 'before':
      return tested((ms) => ms < first.fromMs);
    case 'after':
      return tested((ms) => ms >= first.toMs);
    case 'between':
      return tested((ms) => ms >= first.fromMs && second !== undefined && ms < second.fromMs);
    default:
      throw new ConditionError(path);
  }
}

function text(value: ConditionValue | undefined, path: string): string {
  if (typeof value !== 'string') throw new ConditionError(path);
  return value;
}

function texts(value: ConditionValue | undefined, path: string): string[] {
  if (!Array.isArray(value)) throw new ConditionError(path);
  return value.map((item) => text(item, path));
}

function numbers(value: ConditionValue | undefined, path: string): number[] {
  return (Array.isArray(value) ? value : [value]).map((item) => {
    if (typeof item !== 'number') throw new ConditionError(path);
    return item;
  });
}

function amounts(value: ConditionValue | undefined, path: string): Decimal[] {
  return (Array.isArray(value) ? value : [value]).map((item) => {
    if (typeof item === 'number' || (typeof item === 'string' && isDecimal(item))) return amountOf(item);
    throw new ConditionError(path);
  });
}

function moment(part: string, path: string): Moment {
  const found = momentOf(part);
  if (found === null) throw new ConditionError(path);
  return found;
}
