import type {
  CreateRuleRequest,
  RuleCondition,
  RuleConditionsGiven,
  TransactionRule,
} from '../../../../sdk/src/index.ts';
import { type FieldName, isUnary, type Operator, operatorsOf, type ValueKind, valueKind } from './fields.ts';

export type Combinator = 'all' | 'any' | 'none';

/** One line of the editor. `value` is what was typed; `second` is the upper bound of a range. */
export type ConditionNode = {
  readonly key: number;
  readonly field: FieldName;
  readonly operator: Operator;
  readonly value: string;
  readonly second: string;
};
export type GroupNode = { readonly key: number; readonly combinator: Combinator; readonly children: readonly Node[] };
export type Node = ConditionNode | GroupNode;

export type Draft = {
  readonly name: string;
  readonly description: string;
  readonly top: GroupNode;
  readonly source: string;
  readonly entityType: string;
  readonly externalId: string;
  readonly label: string;
  /** Separated by commas. */
  readonly tags: string;
};

/**
 * As the contract has them: levels of groups, conditions of a rule, children of the outermost group and of any other.
 */
const MOST_LEVELS = 3;
const MOST_CONDITIONS = 50;
const MOST_AT_TOP = 2;
const MOST_IN_GROUP = 20;

let lastKey = 0;
const newKey = (): number => {
  lastKey += 1;
  return lastKey;
};

export function isGroup(node: Node): node is GroupNode {
  return 'children' in node;
}

export function newCondition(field: FieldName = 'description'): ConditionNode {
  return { key: newKey(), field, operator: operatorsOf(field)[0] ?? 'equals', value: '', second: '' };
}

export function newGroup(combinator: Combinator = 'any'): GroupNode {
  return { key: newKey(), combinator, children: [newCondition()] };
}

export function emptyDraft(conditions?: RuleConditionsGiven): Draft {
  const top = conditions === undefined ? { ...newGroup('all') } : topOf(conditions);
  return { name: '', description: '', top, source: 'erp', entityType: '', externalId: '', label: '', tags: '' };
}

export function draftOf(rule: TransactionRule): Draft {
  const { reference } = rule.actions[0] ?? {};
  return {
    name: rule.name,
    description: rule.description ?? '',
    top: topOf(rule.conditions),
    source: reference?.source ?? '',
    entityType: reference?.entityType ?? '',
    externalId: reference?.externalId ?? '',
    label: reference?.label ?? '',
    tags: rule.tags.join(', '),
  };
}

type Given = RuleConditionsGiven | RuleConditionsGiven['children'][number];

/** The outermost group holds two children at most, so the editor shows the one group in it as the outermost. */
function topOf(given: RuleConditionsGiven): GroupNode {
  const [only, ...more] = given.children;
  const isWrapped = only !== undefined && more.length === 0 && 'children' in only;
  const isPlain = (given.combinator ?? 'all') !== 'none';
  return groupOf(isWrapped && isPlain ? only : given);
}

function groupOf(given: Extract<Given, { children: unknown }>): GroupNode {
  const children = (given.children as readonly Given[]).map((one) =>
    'children' in one ? groupOf(one) : conditionOf(one),
  );
  return { key: newKey(), combinator: given.combinator ?? 'all', children };
}

function conditionOf({ field, operator, value }: RuleCondition): ConditionNode {
  const [first, second] = operator === 'between' && Array.isArray(value) ? value : [value, undefined];
  return { key: newKey(), field, operator, value: textOf(first), second: textOf(second) };
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  return Array.isArray(value) ? value.join('\n') : String(value);
}

/** What is wrong with a draft: with a line, by its key, or with the whole. */
export type DraftFault = 'empty' | 'number' | 'day' | 'dayOfMonth' | 'tooDeep' | 'tooMany' | 'groupEmpty';

export function faultsOf(top: GroupNode): ReadonlyMap<number, DraftFault> {
  const faults = new Map<number, DraftFault>();
  const walk = (node: Node, level: number): number => {
    if (!isGroup(node)) {
      const fault = conditionFault(node);
      if (fault !== null) faults.set(node.key, fault);
      return 1;
    }
    if (node.children.length === 0) faults.set(node.key, 'groupEmpty');
    if (node.children.length > MOST_IN_GROUP) faults.set(node.key, 'tooMany');
    if (level > MOST_LEVELS) faults.set(node.key, 'tooDeep');
    return node.children.reduce((sum, child) => sum + walk(child, level + 1), 0);
  };
  const conditions = walk(top, needsWrapping(top) ? 2 : 1);
  if (conditions > MOST_CONDITIONS) faults.set(top.key, 'tooMany');
  return faults;
}

function conditionFault({ field, operator, value, second }: ConditionNode): DraftFault | null {
  if (isUnary(operator)) return null;
  const kind = valueKind(field, operator);
  if (kind === 'flag') return null;
  const given = operator === 'between' ? [value, second] : (listOf(kind, value) ?? [value]);
  if (given.length === 0 || given.some((one) => one.trim() === '')) return 'empty';
  if (kind === 'number' && given.some((one) => !/^-?\d+([.,]\d+)?$/.test(one.trim()))) return 'number';
  if (kind === 'day' && given.some((one) => !/^\d{4}-\d\d-\d\d/.test(one.trim()))) return 'day';
  if (kind === 'dayOfMonth' && given.some((one) => !/^([1-9]|[12]\d|3[01])$/.test(one.trim()))) return 'dayOfMonth';
  return null;
}

/** What was typed for several values; null where there is one. */
function listOf(kind: ValueKind, text: string): string[] | null {
  if (kind !== 'list' && kind !== 'dayOfMonth') return null;
  return text
    .split(kind === 'list' ? '\n' : /[\n,]/)
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

/** With all of its digits, where the browser can write them. */
function numberOf(text: string): unknown {
  const digits = text
    .trim()
    .replace(',', '.')
    .replace(/^(-?)0+(?=\d)/, '$1');
  const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown };
  return rawJSON === undefined ? Number(digits) : rawJSON(digits);
}

function needsWrapping(top: GroupNode): boolean {
  return top.children.length > MOST_AT_TOP;
}

/** As the service takes them; null while a line is not complete. */
export function conditionsOf(top: GroupNode): RuleConditionsGiven | null {
  if (faultsOf(top).size > 0) return null;
  const written = writtenNode(top) as unknown as RuleConditionsGiven;
  if (!needsWrapping(top)) return written;
  return { combinator: 'all', children: [written as never] };
}

function writtenNode(node: Node): Record<string, unknown> {
  if (isGroup(node)) return { combinator: node.combinator, children: node.children.map(writtenNode) };
  const { field, operator } = node;
  return isUnary(operator) ? { field, operator } : { field, operator, value: typedValue(node) };
}

function typedValue({ field, operator, value, second }: ConditionNode): unknown {
  const kind = valueKind(field, operator);
  const one = (text: string): unknown => {
    if (kind === 'number') return numberOf(text);
    return kind === 'day' ? text.trim() : text;
  };
  if (kind === 'flag') return value !== 'false';
  const several = listOf(kind, value);
  if (kind === 'dayOfMonth') return several?.length === 1 ? Number(several[0]) : several?.map(Number);
  if (several !== null) return several;
  return operator === 'between' ? [one(value), one(second)] : one(value);
}

type Written = Pick<CreateRuleRequest, 'name' | 'conditions' | 'actions' | 'tags'> & {
  readonly description: string | null;
};

/** The body of a rule; null while something is missing. Further actions of a rule stay as they are. */
export function bodyOf(draft: Draft, others: TransactionRule['actions'] = []): Written | null {
  const conditions = conditionsOf(draft.top);
  const { source, entityType, externalId, label } = draft;
  if (conditions === null || draft.name.trim() === '' || [source, entityType, externalId].includes('')) return null;
  const reference = { source, entityType, externalId, ...(label.trim() === '' ? {} : { label: label.trim() }) };
  return {
    name: draft.name.trim(),
    description: draft.description.trim() === '' ? null : draft.description.trim(),
    conditions,
    actions: [
      { type: 'attach_reference', reference },
      ...others.map((one) => ({ type: one.type, reference: one.reference })),
    ],
    tags: draft.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  };
}

/** The tree with the node of that key replaced; null removes it. */
export function replaced(group: GroupNode, key: number, by: Node | null): GroupNode {
  if (group.key === key) return by !== null && isGroup(by) ? by : group;
  const children = group.children.flatMap((child): Node[] => {
    if (child.key === key) return by === null ? [] : [by];
    return isGroup(child) ? [replaced(child, key, by)] : [child];
  });
  return { ...group, children };
}

/** The tree with the node moved by so many places among its siblings; past either end it leaves its group. */
export function moved(group: GroupNode, key: number, by: -1 | 1): GroupNode {
  const at = group.children.findIndex((child) => child.key === key);
  if (at < 0) {
    for (const [index, child] of group.children.entries()) {
      if (!isGroup(child)) continue;
      const inner = child.children.findIndex((one) => one.key === key);
      const leaves = inner >= 0 && (by < 0 ? inner === 0 : inner === child.children.length - 1);
      if (!leaves) continue;
      const node = child.children[inner];
      if (node === undefined || child.children.length === 1) return group;
      const rest = { ...child, children: child.children.filter((one) => one.key !== key) };
      const pair = by < 0 ? [node, rest] : [rest, node];
      return { ...group, children: group.children.toSpliced(index, 1, ...pair) };
    }
    return { ...group, children: group.children.map((child) => (isGroup(child) ? moved(child, key, by) : child)) };
  }
  const node = group.children[at];
  const next = group.children[at + by];
  if (node === undefined || next === undefined) return group;
  if (isGroup(next) && !isGroup(node)) {
    // A line that meets a group goes into it, on the side it came from.
    const entered = { ...next, children: by < 0 ? [...next.children, node] : [node, ...next.children] };
    return {
      ...group,
      children: group.children.filter((one) => one.key !== key).map((one) => (one === next ? entered : one)),
    };
  }
  return { ...group, children: group.children.toSpliced(at, 1).toSpliced(at + by, 0, node) };
}

/** The tree with the node taken from its place and put before another one, as by dragging. */
export function dropped(top: GroupNode, key: number, beforeKey: number): GroupNode {
  const node = found(top, key);
  if (node === null || key === beforeKey || (isGroup(node) && found(node, beforeKey) !== null)) return top;
  const put = (group: GroupNode): GroupNode => ({
    ...group,
    children: group.children.flatMap((child): Node[] => {
      const here = isGroup(child) ? put(child) : child;
      return child.key === beforeKey ? [node, here] : [here];
    }),
  });
  return put(replaced(top, key, null));
}

function found(group: GroupNode, key: number): Node | null {
  for (const child of group.children) {
    if (child.key === key) return child;
    const inside = isGroup(child) ? found(child, key) : null;
    if (inside !== null) return inside;
  }
  return null;
}
