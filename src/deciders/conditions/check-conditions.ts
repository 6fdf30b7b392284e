import { COMBINATORS, CONDITION_FIELDS, type Condition, type ConditionGroup } from '../../events/conditions.ts';
import { checkValue, operatorsOf } from './check-value.ts';
import { CONDITION_LIMITS, isOneOf } from './condition.ts';

export type ConditionFault = {
  /** Dotted, from `conditions`: `conditions.children.0.value`. */
  readonly path: string;
  readonly message: string;
};

export type ConditionCheck =
  | { readonly ok: true; readonly conditions: ConditionGroup }
  | {
      readonly ok: false;
      readonly code: 'RULE_TOO_COMPLEX' | 'RULE_CONDITION_INVALID';
      /** In the order of the tree, at most 20; at least one. */
      readonly faults: readonly ConditionFault[];
    };

type JsonObject = Readonly<Record<string, unknown>>;

const ROOT = 'conditions';
const MOST_FAULTS = 20;

/**
 * Whether an outside value is a condition tree, and a fresh copy of it when it is. Never throws and never recurses
 * deeper than the tree may be: size and depth are measured first, by a loop that stops at the first level or condition
 * too many. All other faults are listed at once.
 */
export function checkConditions(input: unknown): ConditionCheck {
  const tooComplex = measure(input);
  if (tooComplex !== null) return tooComplex;
  const faults: ConditionFault[] = [];
  const conditions = checkGroup(input, ROOT, CONDITION_LIMITS.rootChildren, faults);
  return conditions !== null && faults.length === 0
    ? { ok: true, conditions }
    : { ok: false, code: 'RULE_CONDITION_INVALID', faults };
}

function measure(input: unknown): ConditionCheck | null {
  const open: { node: unknown; level: number; path: string }[] = [{ node: input, level: 1, path: ROOT }];
  let conditions = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, level, path } = next;
    if (!isObject(node) || !Array.isArray(node.children)) {
      conditions += 1;
      if (conditions > CONDITION_LIMITS.conditions) {
        return complex(ROOT, `more than ${CONDITION_LIMITS.conditions} conditions`);
      }
      continue;
    }
    if (level > CONDITION_LIMITS.levels)
      return complex(path, `groups more than ${CONDITION_LIMITS.levels} levels deep`);
    const children: readonly unknown[] = node.children;
    // Counting one more than allowed is enough, however wide the tree is.
    const looked = Math.min(children.length, CONDITION_LIMITS.conditions + 1);
    for (let index = 0; index < looked; index += 1) {
      open.push({ node: children[index], level: level + 1, path: `${path}.children.${index}` });
    }
  }
  return null;
}

/** Null for one with faults, which are added to the list; as are those of its children. */
function checkGroup(
  input: unknown,
  path: string,
  mostChildren: number,
  faults: ConditionFault[],
): ConditionGroup | null {
  const invalid = (at: string, message: string): null => noted(faults, at, message);
  if (!isObject(input)) return invalid(path, 'must be a group { combinator, children }');
  for (const key of unknownKeys(input, ['combinator', 'children'])) {
    invalid(`${path}.${key}`, 'is not a property of a group');
  }
  const combinator = input.combinator === undefined ? 'all' : input.combinator;
  const known = isOneOf(COMBINATORS, combinator) ? combinator : null;
  if (known === null) invalid(`${path}.combinator`, `must be one of ${COMBINATORS.join(', ')}`);
  const given = input.children;
  if (!Array.isArray(given) || given.length < 1 || given.length > mostChildren) {
    return invalid(`${path}.children`, `must be a list of 1 to ${mostChildren}`);
  }
  const children: (Condition | ConditionGroup)[] = [];
  for (const [index, child] of given.entries()) {
    if (faults.length === MOST_FAULTS) return null;
    const checked = checkChild(child, `${path}.children.${index}`, faults);
    if (checked !== null) children.push(checked);
  }
  return known === null ? null : { combinator: known, children };
}

function checkChild(input: unknown, path: string, faults: ConditionFault[]): Condition | ConditionGroup | null {
  if (!isObject(input)) {
    const message = 'must be a condition { field, operator, value } or a group { combinator, children }';
    return noted(faults, path, message);
  }
  const isGroup = Object.hasOwn(input, 'children') || Object.hasOwn(input, 'combinator');
  return isGroup
    ? checkGroup(input, path, CONDITION_LIMITS.groupChildren, faults)
    : checkCondition(input, path, faults);
}

function checkCondition(input: JsonObject, path: string, faults: ConditionFault[]): Condition | null {
  const invalid = (at: string, message: string): null => noted(faults, at, message);
  for (const key of unknownKeys(input, ['field', 'operator', 'value'])) {
    invalid(`${path}.${key}`, 'is not a property of a condition');
  }
  const { field, operator } = input;
  if (!isOneOf(CONDITION_FIELDS, field)) {
    return invalid(`${path}.field`, `must be one of ${CONDITION_FIELDS.join(', ')}`);
  }
  const operators = operatorsOf(field);
  if (!isOneOf(operators, operator)) return invalid(`${path}.operator`, `must be one of ${operators.join(', ')}`);
  const checked = checkValue(field, operator, input.value);
  if ('fault' in checked) return invalid(`${path}.value${checked.fault.at}`, checked.fault.message);
  return checked.value === undefined ? { field, operator } : { field, operator, value: checked.value };
}

function noted(faults: ConditionFault[], path: string, message: string): null {
  if (faults.length < MOST_FAULTS) faults.push({ path, message });
  return null;
}

function unknownKeys(input: JsonObject, known: readonly string[]): string[] {
  const unknown = Object.keys(input).filter((key) => !known.includes(key));
  return unknown.slice(0, MOST_FAULTS).map((key) => key.slice(0, 64));
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function complex(path: string, message: string): ConditionCheck {
  return { ok: false, code: 'RULE_TOO_COMPLEX', faults: [{ path, message }] };
}
