import { COMBINATORS, CONDITION_FIELDS, type Condition, type ConditionGroup } from '../../events/conditions.ts';
import { checkValue, operatorsOf } from './check-value.ts';
import { CONDITION_LIMITS, isOneOf } from './condition.ts';

export type ConditionCheck =
  | { readonly ok: true; readonly conditions: ConditionGroup }
  | {
      readonly ok: false;
      readonly code: 'RULE_TOO_COMPLEX' | 'RULE_CONDITION_INVALID';
      /** Dotted, from `conditions`: `conditions.children.0.value`. */
      readonly path: string;
      readonly message: string;
    };

type Refused = Extract<ConditionCheck, { ok: false }>;
type JsonObject = Readonly<Record<string, unknown>>;

const ROOT = 'conditions';

/**
 * Whether an outside value is a condition tree, and a fresh copy of it when it is. Never throws and never recurses
 * deeper than the tree may be: size and depth are measured first, by a loop that stops at the first level or condition
 * too many.
 */
export function checkConditions(input: unknown): ConditionCheck {
  const tooComplex = measure(input);
  if (tooComplex !== null) return tooComplex;
  const result = checkGroup(input, ROOT, CONDITION_LIMITS.rootChildren);
  return 'ok' in result ? result : { ok: true, conditions: result };
}

function measure(input: unknown): Refused | null {
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

function checkGroup(input: unknown, path: string, mostChildren: number): ConditionGroup | Refused {
  if (!isObject(input)) return invalid(path, 'must be a group { combinator, children }');
  const unknown = unknownKey(input, ['combinator', 'children']);
  if (unknown !== undefined) return invalid(`${path}.${unknown}`, 'is not a property of a group');
  const combinator = input.combinator === undefined ? 'all' : input.combinator;
  if (!isOneOf(COMBINATORS, combinator))
    return invalid(`${path}.combinator`, `must be one of ${COMBINATORS.join(', ')}`);
  const given = input.children;
  if (!Array.isArray(given) || given.length < 1 || given.length > mostChildren) {
    return invalid(`${path}.children`, `must be a list of 1 to ${mostChildren}`);
  }
  const children: (Condition | ConditionGroup)[] = [];
  for (const [index, child] of given.entries()) {
    const checked = checkChild(child, `${path}.children.${index}`);
    if ('ok' in checked) return checked;
    children.push(checked);
  }
  return { combinator, children };
}

function checkChild(input: unknown, path: string): Condition | ConditionGroup | Refused {
  if (!isObject(input))
    return invalid(path, 'must be a condition { field, operator, value } or a group { combinator, children }');
  const isGroup = Object.hasOwn(input, 'children') || Object.hasOwn(input, 'combinator');
  return isGroup ? checkGroup(input, path, CONDITION_LIMITS.groupChildren) : checkCondition(input, path);
}

function checkCondition(input: JsonObject, path: string): Condition | Refused {
  const unknown = unknownKey(input, ['field', 'operator', 'value']);
  if (unknown !== undefined) return invalid(`${path}.${unknown}`, 'is not a property of a condition');
  const { field, operator } = input;
  if (!isOneOf(CONDITION_FIELDS, field)) return invalid(`${path}.field`, 'is not a field that rules can see');
  const operators = operatorsOf(field);
  if (!isOneOf(operators, operator)) return invalid(`${path}.operator`, `must be one of ${operators.join(', ')}`);
  const checked = checkValue(field, operator, input.value);
  if ('fault' in checked) return invalid(`${path}.value${checked.fault.at}`, checked.fault.message);
  return checked.value === undefined ? { field, operator } : { field, operator, value: checked.value };
}

function unknownKey(input: JsonObject, known: readonly string[]): string | undefined {
  return Object.keys(input)
    .find((key) => !known.includes(key))
    ?.slice(0, 64);
}

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function complex(path: string, message: string): Refused {
  return { ok: false, code: 'RULE_TOO_COMPLEX', path, message };
}

function invalid(path: string, message: string): Refused {
  return { ok: false, code: 'RULE_CONDITION_INVALID', path, message };
}
